package main

import (
	"errors"
	"io"
	"os"
	"syscall"

	"dyno/internal/foreign"
)

// outlet is stdout or stderr. If its reader has closed it, as in dyno run | head, the command is
// interrupted, as by Ctrl-C.
//
// Note: SIGPIPE would not do, because it is also raised for sockets whose peer has closed the
// connection.
type outlet struct {
	io.Writer
	unread func()
}

func (o *outlet) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(foreign.Hide(b))
	if errors.Is(err, syscall.EPIPE) {
		o.unread()
	}
	if err == nil { // a text with hidden secrets has another length
		n = len(b)
	}
	return n, err
}

// Fd returns the file descriptor, or an invalid one if the output is not a file.
func (o *outlet) Fd() uintptr {
	if f, ok := o.Writer.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// stopSignals end a command cleanly: it writes its measurements and stops the processes that it has
// started. A signal that was already ignored when dyno started, as by nohup, stays ignored.
var stopSignals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
