//go:build unix

package main

import (
	"os"
	"syscall"
)

// survivable returns a copy of stdout or stderr that can still be written to after its reader has
// closed it. Go ends a program that does this with descriptor 1 or 2.
func survivable(f *os.File) *os.File {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return f
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), f.Name())
}

// stopSignals end a command cleanly: it writes its measurements and stops the processes that it has
// started. A signal that was already ignored when dyno started, as by nohup, stays ignored.
var stopSignals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
