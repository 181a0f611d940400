package machine

import (
	"fmt"
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
