//go:build !linux

package wire

// dyno works on Linux alone: doc/machines.md says how to run it elsewhere.
var _ = dyno_needs_Linux
