package refserver

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns this process's CPU time (clock_gettime(2), CLOCK_PROCESS_CPUTIME_ID).
func cpuTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
