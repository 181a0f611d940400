//go:build !linux

package wire

// ReadSocket returns false: dyno does not read this system's counts.
func ReadSocket(int) (s Socket, ok bool) { return s, false }
