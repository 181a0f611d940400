//go:build !gonet

package loop

import (
	"net"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/load"
	"dyno/internal/wire"
)

func TestPinnedRunsOnItsCPUAndRestores(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, during, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !before.IsSet(cpu) {
		cpu++
	}
	w := &worker{cpu: cpu}
	w.pinned(func() { unix.SchedGetaffinity(0, &during) })
	unix.SchedGetaffinity(0, &after)
	if w.pinErr != nil || during.Count() != 1 || !during.IsSet(cpu) || after != before {
		t.Errorf("during %v, after %v, want before %v: %v", during, after, before, w.pinErr)
	}
	if _, err := (Engine{}).Open(t.Context(), load.Job{Endpoint: wire.TCP("127.0.0.1:1"), Scenario: twoRequests(),
		Connections: 1, CPUs: []int{1000}}); err == nil {
		t.Error("pinned to CPU 1000")
	}
}

// slowlyAccepting listens at a path with the shortest possible accept queue, and accepts a
// connection after each pause.
func slowlyAccepting(t *testing.T, pause time.Duration) (path string) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "s")
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 1); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			time.Sleep(pause)
			if _, _, err := unix.Accept(fd); err != nil && err != syscall.EINTR {
				return
			}
		}
	}()
	t.Cleanup(func() {
		unix.Shutdown(fd, unix.SHUT_RDWR)
		<-done
		unix.Close(fd)
	})
	return path
}

// TestOpenOutlastsAFullAcceptQueue: a unix socket refuses for the moment (EAGAIN) while its queue
// is full.
func TestOpenOutlastsAFullAcceptQueue(t *testing.T) {
	path := slowlyAccepting(t, time.Millisecond)
	s := connect(t, load.Job{Endpoint: wire.Endpoint{Network: "unix", Addr: path},
		Scenario: twoRequests(), Connections: 40, Timeout: time.Minute})
	if n := s.workers[0].up(); n != 40 {
		t.Errorf("%d connections of 40", n)
	}
}

// TestTimeOutIsOfOneDial: the timeout applies to each dial, not to all together: they need twice as
// long, each a third of it. Within one timeout at most 100 are accepted.
func TestTimeOutIsOfOneDial(t *testing.T) {
	path := slowlyAccepting(t, 10*time.Millisecond)
	s := connect(t, load.Job{Endpoint: wire.Endpoint{Network: "unix", Addr: path},
		Scenario: twoRequests(), Connections: 200, Timeout: time.Second})
	if n := s.workers[0].up(); n < 130 {
		t.Errorf("%d connections of 200", n)
	}
}

// TestLateLook: a dial that is done when a late thread checks was done in time.
func TestLateLook(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") // the kernel takes connections for it
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	s := connect(t, load.Job{Endpoint: wire.TCP(ln.Addr().String()), Scenario: twoRequests(), Connections: 3,
		Timeout: 1})
	if n := s.workers[0].up(); n == 0 {
		t.Error("no connection")
	}
}

// TestLateSweep: a sweep during which the thread lost its CPU does not put off the next.
func TestLateSweep(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	s := connect(t, load.Job{Endpoint: wire.TCP(ln.Addr().String()), Scenario: twoRequests(), Connections: 3,
		Workers: 1})
	w := s.workers[0]
	w.win, w.tick = &window{}, int64(time.Millisecond)
	began := w.now() - int64(10*time.Second)
	if w.sweep(began); w.nextSweep > began+int64(time.Second) {
		t.Errorf("the next sweep comes %v after one that lasted 10 s", time.Duration(w.nextSweep-began))
	}
	w.win = nil
}
