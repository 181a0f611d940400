//go:build unix

package machine

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ownedByOther reports whether a file belongs to another user, and to which.
func ownedByOther(st fs.FileInfo) (bool, int) {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return true, -1
	}
	return int(sys.Uid) != os.Geteuid(), int(sys.Uid)
}

// private returns an error if other users can write to the folder, and removes their read
// permission.
func private(dir string, st fs.FileInfo) error {
	switch mode := st.Mode().Perm(); {
	case mode&0o022 != 0:
		return fmt.Errorf("other users may write to %s (mode %04o); check its contents, then chmod 700 it or remove it",
			dir, mode)
	case mode&0o077 != 0:
		return os.Chmod(dir, 0o700)
	}
	return nil
}
