//go:build linux || darwin

package main

import (
	"fmt"
	"syscall"
)

// spareFiles are those that are open besides the connections.
const spareFiles = 64

// fileLimit makes room for so many connections, and for other files. Go itself has raised the soft limit to the hard
// one; only root can raise that.
func fileLimit(connections, others int64) error {
	var l syscall.Rlimit
	need := uint64(connections + others + spareFiles)
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil || l.Cur >= need {
		return nil
	}
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: need, Max: max(l.Max, need)}) != nil {
		return fmt.Errorf("%d connections: this process may open %d files only; raise that with: ulimit -n %d",
			connections, l.Cur, need)
	}
	return nil
}
