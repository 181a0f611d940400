//go:build unix

package proc

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ownedByOther reports whether a file belongs to somebody else, and to whom.
func ownedByOther(st fs.FileInfo) (bool, int) {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return true, -1
	}
	return int(sys.Uid) != os.Geteuid(), int(sys.Uid)
}

// private refuses a folder that others can write to, and closes one that they can read.
func private(dir string, st fs.FileInfo) error {
	switch mode := st.Mode().Perm(); {
	case mode&0o022 != 0:
		return fmt.Errorf("others may write to %s (mode %04o): look at what is in it, then chmod 700 it or remove it",
			dir, mode)
	case mode&0o077 != 0:
		return os.Chmod(dir, 0o700)
	}
	return nil
}
