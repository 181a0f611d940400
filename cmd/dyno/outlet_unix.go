//go:build unix

package main

import (
	"os"
	"syscall"
)

// survivable is a copy of stdout or stderr that may be written to when nobody reads it: Go ends a program that does
// so to descriptor 1 or 2.
func survivable(f *os.File) *os.File {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return f
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), f.Name())
}

// stopSignals end a command cleanly: what was measured is written, and what was started is stopped. One that whoever
// started dyno has it ignore, as nohup does, stays ignored.
var stopSignals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
