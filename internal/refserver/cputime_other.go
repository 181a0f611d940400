//go:build !linux

package refserver

import "time"

// cpuTime returns 0: it is implemented on Linux only.
func cpuTime() time.Duration { return 0 }
