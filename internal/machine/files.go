//go:build !windows

package machine

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// spareFiles are open besides connections.
const spareFiles = 64

// RoomFor makes sure that this process can open a number of connections and other files, and raises
// the limit if it may. Its error says how to allow it. Go has already raised the soft limit to the
// hard limit; only root can raise that.
func RoomFor(connections, others int64) error {
	var l syscall.Rlimit
	need := uint64(connections + others + spareFiles)
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil || l.Cur >= need {
		return nil
	}
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: need, Max: max(l.Max, need)}) != nil {
		return fmt.Errorf("%d connections: this process may open only %d files; raise the limit with: ulimit -n %d",
			connections, l.Cur, need)
	}
	return nil
}

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
