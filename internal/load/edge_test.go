package load

import (
	"math"
	"testing"
	"time"

	"dyno/internal/result"
)

// script is a closed loop of c connections, each answered after delay, from start on; the i-th
// begins i/c of spread later.
type script struct {
	connections            int
	delay, spread, planned int64
	stall                  int64 // when the server stops to answer, and time-outs end the window; 0: never
	mute                   int   // connections that are never answered
	late                   int64 // when the server begins to answer
}

const timeout = 700_000

// play runs the script on one recorder, as an engine would, in order of time, and returns the load.
func (s script) play(t *testing.T, edge func(w *Window, e *Edge)) result.Load {
	t.Helper()
	const start = 5_000
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
			r.Edge.Heard(1, now)
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

// TestRateWithinTheEdges: connections that start over one delay, or all at once, and are answered
// in step; whole turns or not.
func TestRateWithinTheEdges(t *testing.T) {
	for _, s := range []script{
		{connections: 10, delay: 1000, spread: 1000, planned: 20_000},
		{connections: 10, delay: 1000, planned: 20_000},
		{connections: 10, delay: 1000, planned: 20_500},
		{connections: 7, delay: 999, spread: 500, planned: 6_250},
	} {
		l := s.play(t, nil)
		want := float64(s.connections) / float64(s.delay) * 1e9
		if got, ok := l.PerSec(); !ok || math.Abs(got/want-1) > 1e-4 { // RateAnswers has three digits
			t.Errorf("%+v: %v/s, want %v: %+v", s, got, want, l)
		}
		first := max(s.delay, s.spread*int64(s.connections-1)/int64(s.connections)+s.delay)
		if l.RateFromNS != first || l.RateNS != s.planned-first || l.WallNS < l.WindowNS {
			t.Errorf("%+v: from %d, of %d ns: %+v", s, l.RateFromNS, l.RateNS, l)
		}
	}
}

// TestRateOfAPipeline: of a server that answers one request after another, the connections in turn,
// the rate is what it answers, however few turns the window holds.
func TestRateOfAPipeline(t *testing.T) {
	const connections, depth, each = 4, 16, 1000
	for _, turns := range []int64{3, 6, 50} {
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
			r.Done(OK, 200, sent[i][0], sent[i][0], now)
			r.Edge.Heard(k/connections+1, now)
			if sent[i] = sent[i][1:]; now < planned {
				r.Sent(1, now)
				sent[i] = append(sent[i], now)
			}
		}
		l, err := Merge([]*Recorder{r}, now)
		if got, _ := l.PerSec(); err != nil || math.Abs(got/(1e9/each)-1) > 1e-4 ||
			l.RateFromNS != connections*depth*each {
			t.Errorf("%d turns: %v/s, want %v: %+v, %v", turns, got, 1e9/each, l, err)
		}
	}
}

// TestRateOfWhatStalls: a server that stops to answer is not as fast as it was before.
func TestRateOfWhatStalls(t *testing.T) {
	l := script{connections: 4, delay: 100, planned: 10_000, stall: 1000}.play(t, nil)
	if l.Succeeded != 40 || l.RateFromNS != 100 || l.RateAnswers != 36 || l.RateNS != 9_900 || l.WallNS < timeout {
		t.Errorf("%+v", l)
	}
	l = script{connections: 4, delay: 100, planned: 10_000, mute: 1}.play(t, nil)
	if l.Succeeded != 300 || l.RateFromNS != 0 || l.RateAnswers != 300 || l.RateNS != 10_000 ||
		l.Edge() != result.Unsteady {
		t.Errorf("one connection mute: %+v", l)
	}
}

// TestRateOfALateStart: a server that stands still first is not as fast as it is afterwards. So it
// is from a tenth of the load on, unless what it does takes so long.
func TestRateOfALateStart(t *testing.T) {
	for _, c := range []struct {
		late   int64
		steady bool
	}{{0, true}, {800_000, true}, {1_000_000, false}, {4_000_000, false}} {
		l := script{connections: 4, delay: 100_000, planned: 10_000_000, late: c.late}.play(t, nil)
		answers := 4 * (10_000_000 - c.late) / 100_000
		if !c.steady && (l.RateFromNS != 0 || l.RateNS != 10_000_000 || l.RateAnswers != float64(answers)) ||
			c.steady && l.RateFromNS != c.late+100_000 {
			t.Errorf("from %d ns on: %+v", c.late, l)
		}
	}
	if l := (script{connections: 4, delay: 1_000_000, planned: 10_000_000}).play(t, nil); l.RateFromNS != 1_000_000 {
		t.Errorf("of long service times: %+v", l)
	}
}

// TestSteadyFromFiveServiceTimes, and not below.
func TestSteadyFromFiveServiceTimes(t *testing.T) {
	for planned, want := range map[int64]result.Edge{61_000: result.Inside, 55_000: result.Unsteady,
		15_000: result.Unsteady} {
		if l := (script{connections: 3, delay: 10_000, planned: planned}).play(t, nil); l.Edge() != want {
			t.Errorf("%d ns: %v: %+v", planned, l.Edge(), l)
		}
	}
}

// TestRateOfACutWindow ends with the cut; of a number of requests, with the last that was started.
func TestRateOfACutWindow(t *testing.T) {
	s := script{connections: 10, delay: 1000, planned: 20_000}
	for _, end := range []func(*Edge){func(e *Edge) { e.Cut(15_000) }, func(e *Edge) { e.Over(15_000) }} {
		l := s.play(t, func(_ *Window, e *Edge) { end(e) })
		if l.RateFromNS != 1000 || l.RateNS != 9_000 || l.RateAnswers != 90 {
			t.Errorf("%+v", l)
		}
	}
}

// TestRateOfAnOpenLoop begins with its first answer, whatever the connections do.
func TestRateOfAnOpenLoop(t *testing.T) {
	r := NewRecorder()
	w := Window{For: 10_000, Schedule: &Schedule{Stages: []Stage{{From: 1, To: 1}}}}
	r.Edge = NewEdge(&w, &Job{Connections: 100}, 2, 0, 10_000)
	for due := int64(0); due < 10_000; due += 100 {
		r.Sent(1, due)
	}
	for due := int64(0); due < 10_000; due += 100 {
		r.Done(OK, 200, due, due, due+2000)
		if due == 0 {
			r.Edge.Heard(1, 2000)
		}
	}
	if l, _ := Merge([]*Recorder{r}, 12_000); l.RateFromNS != 2000 || l.RateNS != 8000 ||
		math.Abs(l.RateAnswers-80) > 1e-9 {
		t.Errorf("%+v", l)
	}
}

// TestRateOfABacklog: an open loop whose first answer was late, and who then worked off what had
// waited, is as fast as it was asked: whether or not it came soon enough for a steady part.
func TestRateOfABacklog(t *testing.T) {
	for _, late := range []int64{900, 4000} {
		r := NewRecorder()
		w := Window{For: 10_000, Schedule: &Schedule{Stages: []Stage{{From: 1, To: 1}}}}
		r.Edge = NewEdge(&w, &Job{Connections: 100}, 2, 0, 10_000)
		for due := int64(0); due < 10_000; due += 100 {
			r.Sent(1, max(due, late))
			if due == 0 {
				r.Edge.Heard(1, late)
			}
			r.Done(OK, 200, due, max(due, late), max(due, late)+10)
		}
		l, _ := Merge([]*Recorder{r}, 10_000)
		if got, _ := l.PerSec(); math.Abs(got/10e6-1) > 1e-6 || (l.RateFromNS > 0) != (late < 1000) {
			t.Errorf("%v/s, want %v: %+v", got, 10e6, l)
		}
	}
}

// TestRateWithPauses: the turns of connections in step, of a pause and an answer, are whole or not.
func TestRateWithPauses(t *testing.T) {
	const pause, delay, connections = 900, 100, 4
	for _, planned := range []int64{10_000, 10_050, 10_500, 10_950, 2_000} {
		r := NewRecorder()
		w := Window{For: time.Duration(planned), Think: Pause{Mean: pause}}
		r.Edge = NewEdge(&w, &Job{Connections: connections}, 1, 0, planned)
		due := int64(0)
		for ; due < planned; due += pause + delay {
			for range connections {
				r.Sent(1, due)
				r.Done(OK, 200, due, due, due+delay)
				if due == 0 {
					r.Edge.Heard(1, delay)
				}
			}
		}
		for range connections {
			r.Rest(due)
		}
		l, _ := Merge([]*Recorder{r}, due)
		want := connections * 1e9 / float64(pause+delay)
		if got, _ := l.PerSec(); math.Abs(got/want-1) > 1e-3 || l.RateFromNS != delay {
			t.Errorf("%d: %v/s, want %v: %+v", planned, got, want, l)
		}
	}
}
