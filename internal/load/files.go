package load

import (
	"errors"
	"fmt"
	"syscall"
)

// OutOfFiles reports whether err says that this process, or its machine, may open no more files.
// That is no fault of the server's that it was to be connected to.
func OutOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// filesBeside are those that dyno has open besides its connections, with room to spare.
const filesBeside = 256

// FilesError is err if it is not OutOfFiles, and else says what to do about it.
func FilesError(err error, connections int) error {
	switch {
	case errors.Is(err, syscall.EMFILE):
		return fmt.Errorf("dyno itself may open no more files: %w; raise its limit with: ulimit -n %d",
			err, connections+filesBeside)
	case errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("this machine may open no more files: %w; raise fs.file-max (sysctl)", err)
	}
	return err
}
