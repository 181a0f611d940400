package load

import (
	"math"
	"testing"
	"time"

	"dyno/internal/record"
)

// sent plays a window in virtual time: workers send at send(due).
func sent(s *Schedule, workers int, length time.Duration, send func(due int64) int64) *record.Pace {
	all := NewRecorder()
	for i := range workers {
		r := NewRecorder()
		r.Pace = NewPace(s, workers, 0, int64(length))
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

func atOnce(due int64) int64 { return due }

// shape returns the dispersion of the counts by bin, and the largest distance between the gaps'
// distribution and the uniform one.
func shape(p *record.Pace) (dispersion, distance float64) {
	mean := float64(p.Sent) / float64(p.Bins)
	var all, sum float64
	for _, n := range p.Gaps {
		all += float64(n)
	}
	for i, n := range p.Gaps {
		sum += float64(n)
		distance = max(distance, math.Abs(sum/all-float64(i+1)/float64(len(p.Gaps))))
	}
	return (float64(p.Squares)/float64(p.Bins) - mean*mean) / mean, distance
}

func TestPaceShowsPoissonArrivals(t *testing.T) {
	flat := []Stage{{From: 5000, To: 5000}}
	for _, workers := range []int{1, 3} {
		s := &Schedule{Stages: flat, Poisson: true, Seed: 4}
		p := sent(s, workers, 10*time.Second, atOnce)
		i, d := shape(p)
		if p.Bins != int64(workers)*10_000 || p.Sent < 49_000 || math.Abs(i-1) > .05 || d > .02 {
			t.Errorf("%d workers: %d in %d bins, dispersion %.3f, distance %.3f", workers, p.Sent, p.Bins, i, d)
		}
		// With a tick of 1 ms, all requests due in it go out at its end, together.
		tick := func(due int64) int64 { return (due/1e6 + 1) * 1e6 }
		if _, d := shape(sent(s, workers, 10*time.Second, tick)); d < .3 {
			t.Errorf("%d workers: sent in bursts, yet the distance is %.3f", workers, d)
		}
		// Ten requests in a row every few ms.
		burst := func(due int64) int64 { return (due/2e6 + 1) * 2e6 }
		if i, _ := shape(sent(s, workers, 10*time.Second, burst)); i < 2 {
			t.Errorf("%d workers: sent in bursts, yet the dispersion is %.3f", workers, i)
		}
	}
	ramp := &Schedule{Stages: []Stage{{For: 10 * time.Second, From: 1000, To: 9000}}, Poisson: true, Seed: 4}
	if _, d := shape(sent(ramp, 2, 10*time.Second, atOnce)); d > .02 {
		t.Errorf("a ramp: distance %.3f", d)
	}
}

func TestPaceOfEvenArrivals(t *testing.T) {
	p := sent(&Schedule{Stages: []Stage{{From: 5000, To: 5000}}}, 1, time.Second, atOnce)
	if p.Bins != 1000 || p.Sent != 5000 || p.Squares != 25_000 || p.Gaps != nil {
		t.Errorf("%+v", p)
	}
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
	s := &Schedule{Stages: []Stage{{From: 1000, To: 1000}}, Poisson: true}
	r := NewRecorder()
	r.Pace = NewPace(s, 1, 1e9, 2e9)
	for at := int64(1e9); at < 1.5e9; at += 1e6 {
		r.Sent(1, at)
		r.Done(OK, 200, at, at, at+1e6)
	}
	r.ClosePace(true)
	if p := r.Pace.sum; p.Bins != 499 || p.Sent != 499 || p.HalfNS+p.EarlyNS+p.LateNS != 0 {
		t.Errorf("%+v", p)
	}
}
