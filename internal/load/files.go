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

// FilesError adds a remedy to an OutOfFiles error.
func FilesError(err error, connections int) error {
	return fmt.Errorf("%w; raise the limit of open files: ulimit -n %d or, for the whole machine, sysctl fs.file-max",
		err, connections+filesBeside)
}
