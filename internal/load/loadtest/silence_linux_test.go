package loadtest

import (
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dyno/internal/load"
)

// silences are about a server whose system has no word for a dial, as behind a firewall: its accept
// queue is full, and Linux drops what comes then (listen(2)).
var silences = map[string]func(*testing.T, load.Engine){
	"no word on a dial":       func(t *testing.T, e load.Engine) { silent(t, e, nil) },
	"no word on a dial, open": func(t *testing.T, e load.Engine) { silent(t, e, constant(100)) },
	"connect timeout":         connectTimeout,
	"short accept queue":      shortQueue,
}

// shortQueue: a server that takes in one connection after another, whose queue holds four, serves all of
// them. It begins once the system has dropped a dial.
func shortQueue(t *testing.T, e load.Engine) {
	t.Parallel()
	ln := listenShort(t, 3)
	dropped := fmt.Sprintf(":%04X 02 ", ln.Addr().(*net.TCPAddr).Port) // remote port, SYN_SENT (proc_net_tcp(5))
	s := serveOn(t, &reluctant{ln, sync.OnceFunc(func() {
		for range int(never / time.Millisecond) {
			if all, err := os.ReadFile("/proc/net/tcp"); err != nil || strings.Contains(string(all), dropped) {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})}, each(value))
	j := job(s)
	j.Connections = 20
	l := run(t, open(t, e, j), load.Window{Requests: 100})
	if l.Established != 20 || l.Succeeded != 100 || l.RepeatedDials == 0 || l.OpeningNS <= 0 {
		t.Errorf("%+v", l)
	}
}

// reluctant is a listener that accepts nothing before begin has returned.
type reluctant struct {
	net.Listener
	begin func()
}

func (l *reluctant) Accept() (net.Conn, error) {
	l.begin()
	return l.Listener.Accept()
}

// connectTimeout: a dial without a word is given up after its own time, however patient requests are.
func connectTimeout(t *testing.T, e load.Engine) {
	t.Parallel()
	s := serveOn(t, listenOnce(t), each(value))
	guest, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { guest.Close() })
	for s.accepted.Load() == 0 { // taken later it would leave a place in the queue
		time.Sleep(time.Millisecond)
	}
	if !fill(t, s.Addr().String()) {
		t.Skip("this system takes in whoever comes")
	}
	j := job(s)
	j.Connections, j.Workers, j.ConnectTimeout = 1, 1, 50*time.Millisecond
	start := time.Now()
	if _, err := e.Open(t.Context(), j); err == nil {
		t.Error("opened")
	}
	if took := time.Since(start); took > j.Timeout/2 {
		t.Errorf("gave up after %v; the time-out of requests is %v", took, j.Timeout)
	}
}

// silent: a window by time whose connection is closed after an answer, and whose dials have had no
// word for long when it is over, ended early. On a busy machine the server may close late: then a
// longer window is tried.
func silent(t *testing.T, e load.Engine, schedule *load.Schedule) {
	t.Parallel()
	last := strings.Replace(value, "\r\n", "\r\nConnection: close\r\n", 1)
	for length := 2 * time.Second; length <= never/4; length *= 2 {
		var full bool
		left := make(chan time.Time, 1)
		s := serveOn(t, listenOnce(t), func(p *peer) {
			defer close(left) // also where a starved generator has sent fewer requests
			for p.next() {
				if p.n < 10 {
					p.say(value)
					continue
				}
				full = fill(t, p.Addr().String())
				p.say(last)
				left <- time.Now()
				return
			}
		})
		j := job(s)
		j.Connections, j.Workers, j.Timeout = 1, 1, length
		start := time.Now()
		o := observe(t, t.Context(), open(t, e, j), load.Window{For: length, Schedule: schedule}, 100*time.Millisecond)
		switch at, ok := <-left; {
		case !ok || full && at.Sub(start) > length/4:
			continue
		case !full:
			t.Skip("this system takes in whoever comes")
		}
		missing := o.Errors["dial"] + o.NeverStarted
		if o.UnreachableNS < int64(time.Second) || missing == 0 || o.Errored() != o.Errors["dial"] ||
			o.Detail.Texts["dial"] == "" {
			t.Errorf("%+v, %v", o.Load, o.Detail.Texts)
		}
		return
	}
	t.Skip("this machine is too busy")
}

// listenOnce returns a listener that takes one connection, with the shortest queue for others.
func listenOnce(t *testing.T) net.Listener {
	t.Helper()
	return &oneGuest{Listener: listenShort(t, 0), closed: make(chan struct{})}
}

// listenShort returns a listener whose queue holds one connection more than backlog.
func listenShort(t *testing.T, backlog int) net.Listener {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "listener")
	defer f.Close()
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, backlog); err != nil {
		t.Fatal(err)
	}
	ln, err := net.FileListener(f)
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

type oneGuest struct {
	net.Listener
	taken  atomic.Bool
	closed chan struct{}
	end    sync.Once
}

func (l *oneGuest) Accept() (net.Conn, error) {
	if l.taken.Swap(true) {
		<-l.closed
		return nil, net.ErrClosed
	}
	return l.Listener.Accept()
}

func (l *oneGuest) Close() error {
	l.end.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// fill dials addr until a dial has no answer for a while, and keeps what was connected until the
// test ends.
func fill(t *testing.T, addr string) bool {
	for range 8 {
		c, err := net.DialTimeout("tcp", addr, 200*time.Millisecond)
		if err != nil {
			return true
		}
		t.Cleanup(func() { c.Close() })
	}
	return false
}
