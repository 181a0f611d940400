package load

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dyno/internal/record"
)

// simulated is a load on a server whose own account is known: requests and answers are events on a
// simulated clock, and the books are those of an engine with two event loops.
type simulated struct {
	connections int
	length      time.Duration
	schedule    *Schedule // nil: a closed loop
	// service returns when a request that arrives at now is answered.
	service func(rng *rand.Rand, now int64) int64

	received, answered int64 // the server's own counts while requests were sent
}

// event is an answer on a connection, or an arrival of the schedule: connection -1.
type event struct {
	at         int64
	connection int
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// run carries out the load and returns the engine's result.
func (s *simulated) run(t *testing.T, seed uint64) record.Load {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 36))
	const start = 1_000_000
	until := start + int64(s.length)
	w := Window{For: s.length, Schedule: s.schedule}
	starters := 1
	if w.Schedule != nil {
		starters = 2
	}
	edge := NewEdge(&w, &Job{Connections: s.connections}, starters, start, until)
	loops := []*Recorder{NewRecorder(), NewRecorder()}
	for _, r := range loops {
		if r.Begin(edge); w.Schedule != nil {
			r.Pace = NewPace(start, until)
		}
	}
	due, sent, heard := make([]int64, s.connections), make([]int64, s.connections), make([]int, s.connections)
	var queue events
	now, last := int64(start), int64(start)
	send := func(c int, at int64) {
		loops[c%2].Sent(1, now)
		s.received++
		due[c], sent[c] = at, now
		heap.Push(&queue, event{s.service(rng, now), c})
	}
	var free []int
	var backlog []int64
	var arrivals Arrivals
	for c := range s.connections {
		if w.Schedule == nil {
			send(c, now)
		} else {
			free = append(free, c)
		}
	}
	next := func() {
		if at, ok := arrivals.Next(); ok && start+at < until {
			heap.Push(&queue, event{start + at, -1})
		}
	}
	if w.Schedule != nil {
		arrivals = w.Schedule.Arrivals(0, 1, 0)
		next()
	}
	for len(queue) > 0 {
		e := heap.Pop(&queue).(event)
		now = e.at
		if e.connection < 0 {
			backlog = append(backlog, now)
			next()
		} else {
			c := e.connection
			loops[c%2].Done(OK, 200, due[c], sent[c], now)
			heard[c]++
			edge.Heard(heard[c], OK, sent[c], now)
			if last = now; now <= until {
				s.answered++
			}
			switch {
			case now >= until:
			case w.Schedule == nil:
				send(c, now)
			default:
				free = append(free, c)
			}
		}
		for len(backlog) > 0 && len(free) > 0 && now < until {
			c, at := free[0], backlog[0]
			free, backlog = free[1:], backlog[1:]
			send(c, at)
		}
	}
	for _, at := range backlog {
		loops[0].Never(at, until)
	}
	for _, r := range loops {
		r.ClosePace(false)
	}
	l, err := Merge(loops, last)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestRateIsTheServersAccount: if a few answers are slow, up to so many that each connection waits
// for ten in turn, the rate is within 1 % of the server's own count while it was sent requests. The
// counts of requests and of answers differ by the requests under way at the end, so that in closed
// loops both are this near; in the open loop all requests are answered, and the rate equals theirs.
func TestRateIsTheServersAccount(t *testing.T) {
	const fast = 5 * time.Millisecond
	loads := 20
	if testing.Short() {
		loads = 3
	}
	for _, open := range []bool{false, true} {
		for _, slow := range []float64{0.1, 0.5, 1, 3, 10} { // connections × their share
			worst := 0.
			for seed := range uint64(loads) {
				s := simulated{connections: []int{50, 125}[seed%2], length: 10 * time.Second}
				late := []time.Duration{1500, 700, 300}[seed%3] * time.Millisecond
				share := slow / float64(s.connections)
				if share > 0.1 { // or each connection has too few turns for any rate
					late = 100 * time.Millisecond
				}
				s.service = func(rng *rand.Rand, now int64) int64 {
					if took := int64(fast) + rng.Int64N(int64(fast)/10); rng.Float64() >= share {
						return now + took
					}
					return now + int64(late) + rng.Int64N(int64(fast))
				}
				accounts := []*int64{&s.received, &s.answered}
				if open {
					perSec := 0.7 * float64(s.connections) / (fast.Seconds() + share*late.Seconds())
					s.schedule = &Schedule{Poisson: true, Seed: seed, Stages: []Stage{{s.length, perSec, perSec}}}
					accounts = accounts[:1]
				}
				l := s.run(t, seed)
				got, _ := l.PerSec()
				for i, n := range accounts {
					off := got/(float64(*n)/s.length.Seconds()) - 1
					if worst = max(worst, math.Abs(off)); math.Abs(off) > 0.01 {
						t.Errorf("open %v, %v slow ones of %d, %v, seed %d: %.1f/s, %+.2f %% of account %d: %d, %d",
							open, slow, s.connections, late, seed, got, 100*off, i, s.received, s.answered)
					}
				}
			}
			t.Logf("open %v, %v slow: off by at most %.2f %%", open, slow, 100*worst)
		}
	}
}

// TestRateOfAQueue: trials of 0.1 s on a server with one CPU, which answers one request after
// another, have the rate that the server counts, on average within 0.2 %; also if it cannot keep up
// with a schedule.
func TestRateOfAQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many loads")
	}
	for name, schedule := range map[string]*Schedule{
		"closed":   nil,
		"overload": {Stages: []Stage{{100 * time.Millisecond, 30_000, 30_000}}},
	} {
		for _, connections := range []int{8, 64, 256} {
			for _, each := range []float64{20_000, 50_000} { // ns on average
				sum, worst := 0., 0.
				const trials = 20
				for seed := range uint64(trials) {
					s := simulated{connections: connections, length: 100 * time.Millisecond}
					if schedule != nil {
						copied := *schedule
						copied.Stages = []Stage{{s.length, 1.5e9 / each, 1.5e9 / each}}
						s.schedule = &copied
					}
					idle := int64(0)
					s.service = func(rng *rand.Rand, now int64) int64 {
						idle = max(idle, now) + int64(rng.ExpFloat64()*each)
						return idle
					}
					l := s.run(t, seed)
					got, _ := l.PerSec()
					off := got*s.length.Seconds()/float64(s.answered) - 1
					sum, worst = sum+off/trials, max(worst, math.Abs(off))
				}
				what := fmt.Sprintf("%s, %d connections, %v ns each: off by %+.2f %% on average, at most %.2f %%",
					name, connections, each, 100*sum, 100*worst)
				if t.Log(what); math.Abs(sum) > 0.005 {
					t.Error(what)
				}
			}
		}
	}
}
