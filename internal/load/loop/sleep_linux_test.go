//go:build !gonet

package loop

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/load"
)

// TestSleepsWithoutPwait2: if epoll_pwait2 is missing or forbidden, a worker still sleeps to the
// microsecond, and wakes for an event.
func TestSleepsWithoutPwait2(t *testing.T) {
	for _, missing := range []syscall.Errno{syscall.ENOSYS, syscall.EPERM} {
		ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(ep)
		asked := 0
		wait := sleeperFor(ep, func(int, []unix.EpollEvent, int64) (int, syscall.Errno) {
			asked++
			return 0, missing
		})
		const pause = 200 * time.Microsecond
		events := make([]unix.EpollEvent, 4)
		shortest := time.Hour
		for range 200 {
			began := time.Now()
			n, errno := wait(ep, events, int64(pause))
			if errno == syscall.EINTR { // the Go runtime preempts by signals
				continue
			}
			if n != 0 || errno != 0 {
				t.Fatalf("%v: %d events, %v", missing, n, errno)
			}
			shortest = min(shortest, time.Since(began))
		}
		if shortest < pause || shortest >= time.Millisecond {
			t.Errorf("%v: slept %v at the least; want %v", missing, shortest, pause)
		}
		fd, err := unix.Eventfd(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if err := unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd,
			&unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: 7}); err != nil {
			t.Fatal(err)
		}
		n, errno := wait(ep, events, int64(time.Hour))
		for errno == syscall.EINTR {
			n, errno = wait(ep, events, int64(time.Hour))
		}
		if n != 1 || events[0].Fd != 7 || errno != 0 {
			t.Errorf("%v: %d events, %v", missing, n, errno)
		}
		if asked != 1 {
			t.Errorf("%v: tried %d times", missing, asked)
		}
	}
}

// TestHoldsBack: many requests in flight keep turns apart, and the loop's waiting is not a gap;
// with fewer requests it does not wait.
func TestHoldsBack(t *testing.T) {
	for _, c := range []struct {
		spin    bool
		pending int
		waits   bool
	}{{true, crowd, true}, {false, crowd, true}, {true, crowd - 1, false}, {false, crowd - 1, false}} {
		w := &worker{base: time.Now(), job: &load.Job{Spin: c.spin}, rec: &load.Recorder{}, pending: c.pending}
		apart := make([]int64, 200)
		for i := range apart {
			w.turned, w.seen, w.rec.GapNS = w.now(), w.now(), 0
			last := w.turned
			w.holdBack()
			apart[i] = w.turned - last
			if gap := w.rec.GapNS; gap > max(apart[i]-eager, 0) {
				t.Errorf("%+v: a gap of %d ns in a turn %d ns after the last", c, gap, apart[i])
			}
		}
		slices.Sort(apart)
		least := apart[20] // a signal ends a sleep early
		if c.waits != (least >= eager) {
			t.Errorf("%+v: turns %d ns apart", c, least)
		}
	}
}
