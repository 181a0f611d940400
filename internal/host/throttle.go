package host

import (
	"bytes"
	"time"
)

// throttled reads cpu.stat of a cgroup: throttled_usec in version 2, throttled_time in ns in version 1.
func throttled(data []byte, v2 bool) time.Duration {
	key, unit := "throttled_time ", time.Nanosecond
	if v2 {
		key, unit = "throttled_usec ", time.Microsecond
	}
	for len(data) > len(key) {
		if string(data[:len(key)]) == key {
			n, _ := number(data[len(key):])
			return time.Duration(n) * unit
		}
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			break
		}
		data = data[i+1:]
	}
	return 0
}
