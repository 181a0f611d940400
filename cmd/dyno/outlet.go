package main

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// outlet is stdout or stderr. When nobody reads it any more, as in dyno run | head, the command is told to end, as by
// Ctrl-C.
//
// Note: SIGPIPE says less. A socket whose server hung up raises it too, and a program that asks for the signal gets
// those as well.
type outlet struct {
	io.Writer
	unread func()
}

func (o *outlet) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		o.unread()
	}
	return n, err
}

// Fd is the file descriptor, for those who ask what it is; of what is no file, none.
func (o *outlet) Fd() uintptr {
	if f, ok := o.Writer.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}
