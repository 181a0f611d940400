package host

import (
	"os"
	"runtime"
)

// Online is how many CPUs the machine runs, those among them that this process may not use; where the system does not say, those it may.
func Online() int {
	if runtime.GOOS == "linux" {
		if n := len(parseList(read(os.DirFS("/"), "sys/devices/system/cpu/online"))); n > 0 {
			return n
		}
	}
	return runtime.NumCPU()
}
