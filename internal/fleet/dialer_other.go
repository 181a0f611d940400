//go:build !linux

package fleet

import "syscall"

// impatient leaves to the system when a connection ends whose bytes nobody acknowledges.
func impatient(_, _ string, _ syscall.RawConn) error { return nil }
