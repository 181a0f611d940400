package loadtest

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/load"
)

// limits are about what the generator itself lacks.
var limits = map[string]func(*testing.T, load.Engine){
	"out of files":             func(t *testing.T, e load.Engine) { outOfFiles(t, e, false) },
	"out of files in a window": func(t *testing.T, e load.Engine) { outOfFiles(t, e, true) },
}

// outOfFiles: that the generator may open no more files is no failure of the server's, and the
// error says what to do.
func outOfFiles(t *testing.T, e load.Engine, lazy bool) {
	s := serve(t, "tcp", each(value))
	j := job(s)
	j.Connections, j.Lazy, j.Timeout = 64, lazy, 200*time.Millisecond // for the server has no file for some, either
	fewFiles(t, 24)
	session, err := e.Open(t.Context(), j)
	if lazy && err == nil {
		_, err = session.Run(t.Context(), load.Window{For: 50 * time.Millisecond})
	}
	if session != nil {
		session.Close()
	}
	if !load.OutOfFiles(err) || !strings.Contains(err.Error(), "ulimit -n 320") {
		t.Errorf("error %v", err)
	}
}

// fewFiles lets this process open n more files at most, until the test ends.
func fewFiles(t *testing.T, n uint64) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	open := map[string]bool{}
	for _, e := range list {
		open[e.Name()] = true
	}
	limit := uint64(0) // below which n numbers are free
	for free := uint64(0); free < n; limit++ {
		if !open[strconv.FormatUint(limit, 10)] {
			free++
		}
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: before.Max}); err != nil {
		t.Skip("the limit cannot be lowered: ", err)
	}
	t.Cleanup(func() { syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before) })
}
