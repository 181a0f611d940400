package refserver

import (
	"bytes"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// held is the queue of pending responses in a timed server. All have the same delay, so they are due in the
// order in which their requests were read.
type held struct {
	all   []heldAnswer
	first int // index in all of the first unsent response
}

type heldAnswer struct {
	c    *nullConn
	fd   int
	size int // length of the response or of its head
	read time.Duration
}

func (h *held) push(a heldAnswer) {
	if h.first > len(h.all)/2 { // reuses the memory; moves each answer at most once
		h.all, h.first = slices.Delete(h.all, 0, h.first), 0
	}
	h.all = append(h.all, a)
}

// next returns the next due response, or nil.
func (h *held) next() *heldAnswer {
	if h.first == len(h.all) {
		return nil
	}
	return &h.all[h.first]
}

// withTime adds timeHeader to a response and returns the position of its digits.
func withTime(response []byte, head int) (timed, digits []byte) {
	line := []byte(timeHeader + ": 000000000000000\r\n")
	at := head + len("\r\n")
	timed = bytes.Join([][]byte{response[:at], line, response[at:]}, nil)
	end := at + len(line) - len("\r\n")
	return timed, timed[end-15 : end]
}

// clock returns the time since the server's start.
func (s *nullServer) clock() time.Duration { return time.Since(s.start) }

// act sends the due responses of a timed server. The loop calls it as often as it can.
func (s *nullServer) act() {
	for a := s.held.next(); a != nil; a = s.held.next() {
		now := s.clock()
		if now < a.read+s.manner.Delay {
			return
		}
		s.held.first++
		if s.conns[a.fd] != a.c {
			continue // closed meanwhile
		}
		s.service.Record(int64(now - a.read - s.manner.Delay))
		putNumber(s.digits, uint64(now-a.read))
		if !s.send(a.fd, a.c, s.base.Bytes[:a.size]) {
			s.close(a.fd)
		}
	}
}

// await waits for events until the next response is due. It busy-waits: waking this CPU for a request would
// take 50 to 100 µs longer in a virtual machine, which the clock here could not measure.
func (s *nullServer) await(events []unix.EpollEvent) (n uintptr, errno syscall.Errno) {
	until := s.clock() + nullTick
	if a := s.held.next(); a != nil {
		until = min(until, a.read+s.manner.Delay)
	}
	for {
		if n, errno = s.poll(events); n != 0 || errno != 0 || s.clock() >= until {
			return n, errno
		}
	}
}

// report completes the tally. The histogram holds the excess over the delay, because its resolution decreases
// with the value; for the excess it is 0.5 µs.
func (s *nullServer) report() Tally {
	t := s.tally
	if s.manner.Timed {
		q := func(p float64) int64 { return int64(s.manner.Delay) + s.service.Quantile(p) }
		t.Service = &Service{
			Count: s.service.Count(), P50NS: q(.5), P99NS: q(.99), MaxNS: q(1),
		}
	}
	return t
}
