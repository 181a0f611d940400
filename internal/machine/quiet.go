package machine

import (
	"runtime"
	"runtime/debug"
)

// Quiet stops this process's garbage collector until the returned function is called. Little garbage
// accumulates in a trial.
func Quiet() func() {
	old := debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(old)
		runtime.GC()
	}
}
