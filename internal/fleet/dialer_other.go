//go:build !linux

package fleet

import "syscall"

// impatient leaves the end of a connection without acknowledgements to the system.
func impatient(_, _ string, _ syscall.RawConn) error { return nil }
