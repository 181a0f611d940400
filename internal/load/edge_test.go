package load

import (
	"math"
	"testing"
	"time"

	"dyno/internal/record"
)

// script is a closed loop with c connections, each answered after delay, from start on; the i-th
// begins i/c of spread later. All times are in µs.
type script struct {
	connections            int
	delay, spread, planned int64
	stall                  int64 // when the server stops answering, and timeouts end the window; 0: never
	mute                   int   // connections that are never answered
	late                   int64 // when the server begins answering
}

// us is the unit of the scripts.
const us = int64(time.Microsecond)

const timeout = 700_000 * us

// play runs the script on one recorder, like an engine, in order of time, and returns the load.
func (s script) play(t *testing.T, edge func(w *Window, e *Edge)) record.Load {
	t.Helper()
	const start = 5_000 * us
	s.delay, s.spread, s.planned, s.stall, s.late = s.delay*us, s.spread*us, s.planned*us, s.stall*us, s.late*us
	r := NewRecorder()
	w := Window{For: time.Duration(s.planned), Spread: time.Duration(s.spread)}
	r.Edge = NewEdge(&w, &Job{Connections: s.connections}, 1, start, start+s.planned)
	if edge != nil {
		edge(&w, r.Edge)
	}
	sent, heard := make([]int64, s.connections), make([]bool, s.connections)
	for i := range sent {
		sent[i] = start + s.spread*int64(i)/int64(s.connections)
		r.Sent(1, sent[i])
	}
	end, left := int64(start), s.connections
	for left > 0 {
		next := 0 // the connection whose answer comes first
		for i := range sent {
			if sent[i] < sent[next] {
				next = i
			}
		}
		now := max(sent[next], start+s.late) + s.delay
		if end = max(end, now); next >= s.connections-s.mute || s.stall > 0 && now > start+s.stall {
			end = max(end, sent[next]+timeout)
			r.Broken(Timeout, sent[next], sent[next], sent[next]+timeout)
			sent[next], left = math.MaxInt64-timeout, left-1
			continue
		}
		r.Done(OK, 200, sent[next], sent[next], now)
		if !heard[next] {
			heard[next] = true
			r.Edge.Heard(1, OK, sent[next], now)
		}
		if sent[next] = math.MaxInt64 - timeout; now < start+s.planned {
			sent[next] = now
			r.Sent(1, now)
		} else {
			left--
		}
	}
	l, err := Merge([]*Recorder{r}, end)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestRateWithinTheEdges: connections start over one delay, or all at once, and are answered in
// step, in whole turns or not.
func TestRateWithinTheEdges(t *testing.T) {
	for _, s := range []script{
		{connections: 10, delay: 1000, spread: 1000, planned: 20_000},
		{connections: 10, delay: 1000, planned: 20_000},
		{connections: 10, delay: 1000, planned: 20_500},
		{connections: 7, delay: 999, spread: 500, planned: 6_750},
	} {
		l := s.play(t, nil)
		want := float64(s.connections) / float64(s.delay) * 1e6
		if got, ok := l.PerSec(); !ok || math.Abs(got/want-1) > 1e-4 { // RateAnswers has three digits
			t.Errorf("%+v: %v/s, want %v: %+v", s, got, want, l)
		}
		if l.RateFromNS != max(s.spread*us, 1) || l.RateNS != (s.planned-s.spread)*us || l.WallNS < l.WindowNS {
			t.Errorf("%+v: from %d, of %d ns: %+v", s, l.RateFromNS, l.RateNS, l)
		}
	}
}

// TestRateOfAPipeline: if a server answers one request after another, the connections in turn, the
// rate is its own, however few turns the window contains.
func TestRateOfAPipeline(t *testing.T) {
	const connections, depth, each = 4, 16, 1000 * us
	for _, turns := range []int64{3, 6, 7, 50} {
		planned := turns * connections * depth * each
		r := NewRecorder()
		w := Window{For: time.Duration(planned)}
		r.Edge = NewEdge(&w, &Job{Connections: connections, Pipeline: depth}, 1, 0, planned)
		var sent [connections][]int64
		for i := range sent {
			sent[i] = make([]int64, depth)
			r.Sent(depth, 0)
		}
		now := int64(0)
		for k := 0; len(sent[k%connections]) > 0; k++ {
			i := k % connections
			now += each
			service := now - sent[i][0]
			r.Done(OK, 200, sent[i][0], sent[i][0], now)
			r.Edge.Heard(k/connections+1, OK, now-service, now)
			if sent[i] = sent[i][1:]; now < planned {
				r.Sent(1, now)
				sent[i] = append(sent[i], now)
			}
		}
		l, err := Merge([]*Recorder{r}, now)
		if got, _ := l.PerSec(); err != nil || math.Abs(got/1000-1) > 2e-4 ||
			(l.RateFromNS > 0) != (turns >= 6) {
			t.Errorf("%d turns: %v/s, want 1000: %+v, %v", turns, got, l, err)
		}
	}
}

// TestRateOfWhatStalls: a server that stops answering is not as fast as it was before.
func TestRateOfWhatStalls(t *testing.T) {
	l := script{connections: 4, delay: 100, planned: 10_000, stall: 1000}.play(t, nil)
	if l.Succeeded != 40 || l.RateFromNS != 1 || l.RateAnswers != 40 || l.RateNS != 10_000*us || l.WallNS < timeout {
		t.Errorf("%+v", l)
	}
	l = script{connections: 4, delay: 100, planned: 10_000, mute: 1}.play(t, nil)
	if l.Succeeded != 300 || l.RateFromNS != 0 || l.RateAnswers != 300 || l.RateNS != 10_000*us ||
		l.Steady() {
		t.Errorf("one connection mute: %+v", l)
	}
}

// TestRateOfALateStart: a server that first stands still is not as fast as it is afterwards.
func TestRateOfALateStart(t *testing.T) {
	for _, late := range []int64{0, 800_000, 1_000_000, 4_000_000} {
		l := script{connections: 4, delay: 100_000, planned: 10_000_000, late: late}.play(t, nil)
		if l.RateFromNS != 1 || l.RateNS != 10_000_000*us ||
			math.Abs(l.RateAnswers-float64(4*(10_000_000-late)/100_000)) > 1e-3 {
			t.Errorf("from %d µs on: %+v", late, l)
		}
	}
}

// TestSteadyFromFiveServiceTimes, and not below.
func TestSteadyFromFiveServiceTimes(t *testing.T) {
	for planned, want := range map[int64]bool{61_000: true, 55_000: false, 15_000: false} {
		if l := (script{connections: 3, delay: 10_000, planned: planned}).play(t, nil); l.Steady() != want {
			t.Errorf("%d ns: %v: %+v", planned, l.Steady(), l)
		}
	}
}

// TestRateOfACutWindow: the rate ends with the cut; for a number of requests, with the last that
// was started.
func TestRateOfACutWindow(t *testing.T) {
	s := script{connections: 10, delay: 1000, planned: 20_000}
	for _, end := range []func(*Edge){func(e *Edge) { e.Cut(15_000 * us) }, func(e *Edge) { e.Over(15_000 * us) }} {
		l := s.play(t, func(_ *Window, e *Edge) { end(e) })
		if l.RateFromNS != 1 || l.RateNS != 10_000*us || l.RateAnswers != 100 {
			t.Errorf("%+v", l)
		}
	}
}

// openLoop returns an open loop of 10 ms with a request due every 100 µs. The server gets it when a
// connection is free, not before sent, and answers it at done.
func openLoop(t *testing.T, sent, done func(due int64) int64) record.Load {
	t.Helper()
	const planned = 10_000 * us
	r := NewRecorder()
	w := Window{For: time.Duration(planned), Schedule: &Schedule{Stages: []Stage{{From: 1, To: 1}}}}
	r.Edge = NewEdge(&w, &Job{Connections: 100}, 1, 0, planned)
	r.Pace = NewPace(0, planned)
	last := int64(0)
	for due := int64(0); due < planned; due += 100 * us {
		at := max(due, sent(due))
		now := max(at, done(due))
		if at >= planned {
			r.Never(due, planned)
			continue
		}
		r.Sent(1, at)
		r.Done(OK, 200, due, at, now)
		r.Edge.Heard(1, OK, at, now)
		last = max(last, now)
	}
	r.ClosePace(false)
	l, err := Merge([]*Recorder{r}, last)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestRateOfAnOpenLoop: a server that keeps up is as fast as requested, however long its answers
// take; a server that falls behind is as fast as it answers, whether requests wait in it or for a
// connection; and requests that it works off after the load do not count.
func TestRateOfAnOpenLoop(t *testing.T) {
	same := func(due int64) int64 { return due }
	for name, c := range map[string]struct {
		sent, done func(due int64) int64
		want       float64
	}{
		"at once":      {same, func(due int64) int64 { return due + 10*us }, 100},
		"long answers": {same, func(due int64) int64 { return due + 2000*us }, 100},
		"few long ones": {same, func(due int64) int64 {
			if due/(100*us)%5 == 0 {
				return due + 2500*us
			}
			return due + 10*us
		}, 100},
		"a late start":    {func(int64) int64 { return 900 * us }, same, 100},
		"a very late one": {func(int64) int64 { return 4000 * us }, same, 100},
		"half, in it":     {same, func(due int64) int64 { return 2*due + 10*us }, 50},
		"half, outside":   {func(due int64) int64 { return 2 * due }, func(due int64) int64 { return 2*due + 10*us }, 50},
		"a stop, to the end": {same, func(due int64) int64 {
			if due > 5000*us {
				return 15_000 * us
			}
			return due + 10*us
		}, 51},
	} {
		l := openLoop(t, c.sent, c.done)
		if got, _ := l.PerSec(); math.Abs(got/(c.want*100)-1) > 1e-2 {
			t.Errorf("%s: %v/s, want %v: %+v %+v", name, got, c.want*100, l, l.Pace)
		}
	}
}
