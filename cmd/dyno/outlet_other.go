//go:build !unix

package main

import (
	"os"
	"syscall"
)

func survivable(f *os.File) *os.File { return f }

var stopSignals = []os.Signal{syscall.SIGTERM}
