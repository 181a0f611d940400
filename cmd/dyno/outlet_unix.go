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
