package machine

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// silence counts the callers of Quiet that have not ended theirs.
var silence struct {
	sync.Mutex
	callers int
	percent int // the collector's setting before the first
}

// Quiet stops this process's garbage collector until the returned function is called, of several
// calls until the last one's. Little garbage accumulates in a trial.
func Quiet() func() {
	silence.Lock()
	defer silence.Unlock()
	if silence.callers++; silence.callers == 1 {
		silence.percent = debug.SetGCPercent(-1)
	}
	return sync.OnceFunc(func() {
		silence.Lock()
		defer silence.Unlock()
		if silence.callers--; silence.callers == 0 {
			debug.SetGCPercent(silence.percent)
			runtime.GC()
		}
	})
}
