//go:build !linux

package refserver

import "time"

// cpuTime returns 0: the clock of a process is read on Linux alone.
func cpuTime() time.Duration { return 0 }
