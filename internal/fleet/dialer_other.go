//go:build !linux

package fleet

import "syscall"

// impatient does nothing here: dyno cannot set the time after which an unacknowledged connection ends.
func impatient(string, string, syscall.RawConn) error { return nil }
