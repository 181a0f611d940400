package load

import (
	"testing"
	"time"

	"dyno/internal/record"
)

// sent plays a window in virtual time: workers send at send(due).
func sent(s *Schedule, workers int, length time.Duration, send func(due int64) int64) *record.Pace {
	all := NewRecorder()
	for i := range workers {
		r := NewRecorder()
		r.Pace = NewPace(0, int64(length))
		arrivals := s.Arrivals(i, workers, 0)
		for {
			due, ok := arrivals.Next()
			if !ok || due >= int64(length) {
				break
			}
			at := send(due)
			r.Sent(1, at)
			r.Done(OK, 200, due, at, at)
		}
		r.ClosePace(false)
		all.merge(r)
	}
	l := all.load(0)
	return l.Pace
}

func TestPaceSeesABacklogGrow(t *testing.T) {
	s := &Schedule{Stages: []Stage{{From: 1000, To: 1000}}}
	steady := sent(s, 2, time.Second, func(due int64) int64 { return due + 20e6 })
	if steady.HalfNS != 500e6 {
		t.Errorf("%+v", steady)
	}
	// 20 ms each: 20 wait at any time, but in the first 20 ms; in the last 20 the window ends
	// before they are answered.
	if early, late := steady.EarlyNS/1e9, steady.LateNS/1e9; early != 9 || late != 10 {
		t.Errorf("%d and %d request·s waited; %+v", early, late, steady)
	}
	growing := sent(s, 1, time.Second, func(due int64) int64 { return due + due/10 })
	if growing.LateNS < 2*growing.EarlyNS || growing.EarlyNS == 0 {
		t.Errorf("%+v", growing)
	}
}

func TestPaceOfAWindowCutShort(t *testing.T) {
	r := NewRecorder()
	r.Pace = NewPace(1e9, 2e9)
	for at := int64(1e9); at < 1.5e9; at += 1e6 {
		r.Sent(1, at)
		r.Done(OK, 200, at, at, at+1e6)
	}
	r.ClosePace(true)
	if p := r.Pace.Sum; p != (record.Pace{}) {
		t.Errorf("%+v", p)
	}
}
