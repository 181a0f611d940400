//go:build !linux

package fleet

import "syscall"

// impatient does nothing: on this system dyno cannot set the time after which an unacknowledged
// connection ends.
func impatient(_, _ string, _ syscall.RawConn) error { return nil }
