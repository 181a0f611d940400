package load

import (
	"errors"
	"fmt"
	"syscall"
)

// OutOfFiles reports whether err says that this process, or its machine, may open no more files.
// The server is not to blame.
func OutOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// filesBeside is an upper bound on the files that dyno opens besides its connections.
const filesBeside = 256

// FilesError adds a remedy to an OutOfFiles error, and returns any other err unchanged.
func FilesError(err error, connections int) error {
	switch {
	case errors.Is(err, syscall.EMFILE):
		return fmt.Errorf("dyno has reached its limit of open files: %w; raise it with: ulimit -n %d",
			err, connections+filesBeside)
	case errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("this machine has reached its limit of open files: %w; raise fs.file-max with sysctl", err)
	}
	return err
}
