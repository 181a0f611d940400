package fleet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/load"
	"dyno/internal/loader"
	"dyno/internal/record"
	"dyno/internal/report"
)

// simShape is a load for simulated agents.
type simShape struct {
	load.Schedule
	limit int64
	cost  time.Duration // a generator's CPU time per request; 0: it sends all due requests
}

const simConnections = 1000

// simShapes are indexed by Request.Streams.
var simShapes = []simShape{
	{Schedule: load.Schedule{Stages: []load.Stage{{For: time.Second, From: 3000, To: 3000}}}},
	{Schedule: load.Schedule{Stages: []load.Stage{{For: 2 * time.Second, From: 0, To: 3000}}, Poisson: true, Seed: 7}},
	{Schedule: load.Schedule{Stages: []load.Stage{{For: 3 * time.Second, From: 900, To: 900}}, Seed: 7}, limit: 2500},
	tooMuch: {Schedule: load.Schedule{Stages: []load.Stage{{For: time.Second, From: 20_000, To: 20_000}}},
		cost: 200 * time.Microsecond},
}

// tooMuch is the shape of which a generator can send a quarter. It can send all earlier shapes completely.
const tooMuch = 3

// simRequest returns a load with a shape, whose index is in Streams, and a name in Command.
func simRequest(name string, shape int) loader.Request {
	return loader.Request{URL: "http://10.0.0.9/", Streams: int64(shape), Command: name, Seed: 99,
		Connections: simConnections}
}

// drawn is a session whose responses depend only on the due times of their requests, whoever sends them.
type drawn struct {
	job   load.Job
	right bool  // all responses are right, and each request is sent
	from  int64 // from the window's start; earlier requests are never sent
	cost  time.Duration
}

func (d *drawn) Close() error { return nil }

func (d *drawn) Run(_ context.Context, w load.Window) (record.Load, error) {
	w, err := d.job.Own(w)
	if err != nil {
		return record.Load{}, err
	}
	loops, start := 1+d.job.Share.Index%3, int64(d.job.Share.Index)*1e12+77 // a different clock
	if d.cost > 0 {
		loops = 1
	}
	end := w.Deadline(start)
	ledger, edge := load.NewLedger(&w, &d.job, loops), load.NewEdge(&w, &d.job, loops, start, end)
	for i := range loops {
		r := ledger.Take()
		r.Begin(edge)
		arrivals, heard, free := w.Schedule.Arrivals(i, loops, w.Requests), 0, start
		for at, ok := arrivals.Next(); ok && start+at < end; at, ok = arrivals.Next() {
			luck := splitmix(uint64(at))
			due := start + at
			sent := due + int64(luck%50_000)
			if d.cost > 0 {
				if sent = max(sent, free); sent >= end {
					r.Planned++
					r.Never(due, end)
					continue
				}
				free = sent + int64(d.cost)
			}
			now := sent + 20_000 + int64(luck>>20%3_000_000)
			r.Planned++
			if at < d.from || luck>>50%100 == 0 && !d.right {
				r.Never(due, due+int64(time.Millisecond))
				continue
			}
			r.Sent(1, sent)
			r.Late(due, sent)
			r.BytesRead, r.BytesWritten = r.BytesRead+int64(luck>>30%1000), r.BytesWritten+100
			switch kind := luck >> 40 % 20; {
			case kind == 0 && !d.right:
				r.Broken(load.Timeout, due, sent, now)
			case kind == 1 && !d.right:
				r.Done(load.Status, 503, due, sent, now)
			default:
				r.FirstByte.Record((now - sent) / 2)
				r.Done(load.OK, 200, due, sent, now)
				heard++
				edge.Heard(heard, load.OK, sent, now)
			}
		}
		edge.Over(end)
		ledger.End(i, 0, r)
	}
	l := ledger.Close(end + 5_000_000)
	l.WallNS = int64(w.For) + 5_000_000
	l.Connections, l.Established, l.Workers = d.job.Connections, d.job.Connections, loops
	return l, nil
}

// splitmix is one round of SplitMix64.
func splitmix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// shares caches the parts of the shapes, which are the same in each world.
var shares sync.Map

// partOf returns the record of a share of a shape in its first stretch of time.
func partOf(shape int, share load.Share, length time.Duration) *load.Part {
	key := fmt.Sprint(shape, share, length)
	if p, there := shares.Load(key); there {
		return p.(*load.Part)
	}
	s := simShapes[shape].Schedule
	job := load.Job{Share: share, Connections: int(share.Part(simConnections))}
	d := &drawn{job: job, cost: simShapes[shape].cost}
	p, err := load.Measure(context.Background(), d, share, load.Window{For: length, Schedule: &s,
		Requests: simShapes[shape].limit})
	if err != nil {
		panic(err)
	}
	shares.Store(key, p)
	return p
}

// simLoads carries out an agent's shares in simulated time.
type simLoads struct {
	t     *testing.T
	agent *Agent
	index int // the agent's index
	of    int
	late  atomic.Int64 // ns by which the agent wakes too late for a start

	mu      sync.Mutex
	running int
	begun   map[string][]time.Time // by Request.Command, the load's name
	sent    map[string]int64       // requests of ended loads
}

// simPart is an agent's open share.
type simPart struct {
	*simLoads
	r loader.Request
}

func (s *simLoads) take(ctx context.Context, r loader.Request) (part, time.Duration, error) {
	want, err := simRequest(r.Command, int(r.Streams)).Detach(ctx)
	if err != nil {
		return nil, 0, err
	}
	want.Share = load.Share{Index: s.index, Of: s.of}
	if !reflect.DeepEqual(r, want) || r.Command != "one "+
		"load" && r.Command != "another" || r.Streams >= int64(len(simShapes)) {
		s.t.Errorf("%s carries out %+v, which nobody asked for", s.agent.Bundle.Name, r)
		return nil, 0, errors.New("this is not the load")
	}
	if !naps(ctx, time.Duration(splitmix(uint64(s.index))%50_000_000)) {
		return nil, 0, errors.New("interrupted while connecting")
	}
	s.count(1)
	return simPart{s, r}, simShapes[r.Streams].Length(), nil
}

func (s simPart) Close() error {
	s.count(-1)
	return nil
}

func (s simPart) measure(ctx context.Context, w load.Window, into *LoadedWindow) error {
	r, length := s.r, simShapes[s.r.Streams].Length()
	w.Begin()
	began := time.Now()
	s.mu.Lock()
	s.begun[r.Command] = append(s.begun[r.Command], began)
	s.mu.Unlock()
	o := &loader.Outcome{Summary: report.Summary{Target: r.URL, Did: r.Command, Seed: r.Seed}}
	o.Summary.Open = true
	if !naps(ctx, time.Duration(float64(length)/(1+s.agent.drift))) {
		length = min(length, time.Since(began).Round(time.Millisecond)+time.Millisecond)
		o.Summary.Interrupted = true
	}
	o.Part = partOf(int(r.Streams), r.Share, length)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[r.Command] = o.Part.Load.Started
	into.Outcome = o
	return nil
}

func (s *simLoads) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running += n
}

// naps sleeps, unless ctx ends first.
func naps(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// oneMachine returns the record of a shape on one machine: counts and all histograms.
func oneMachine(shape int) (record.Load, record.Detail) {
	o := &loader.Outcome{Part: partOf(shape, load.Share{}, simShapes[shape].Length())}
	s, err := loader.Merge([]*loader.Outcome{o}, []string{"one"})
	if err != nil {
		panic(err)
	}
	return comparable(s)
}

// comparable returns the part of a summary that does not depend on the number of machines and event loops.
func comparable(s *report.Summary) (record.Load, record.Detail) {
	return bare(s.Load), s.Detail
}

// bare returns a load without the rates, which are sums over the machines' steady parts, and without counts
// per event loop.
func bare(l record.Load) record.Load {
	l.Workers, l.Pace, l.RateAnswers, l.RateNS, l.RateFromNS, l.UnreachableNS = 0, nil, 0, 0, 0, 0
	l.RateSamples, l.RateSDPerSec, l.RateMaxPerSec = 0, 0, 0
	return l
}

// exact compares histograms completely.
var exact = cmp.Comparer(func(a, b *record.Histogram) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, err := a.MarshalText()
	y, err2 := b.MarshalText()
	return err == nil && err2 == nil && string(x) == string(y)
})

// inTime returns an error unless there is a controller's time at which all were to begin, and each began
// within its bounds.
func inTime(s *report.Summary, began func(name string) time.Time) error {
	least, most := int64(math.MaxInt64), int64(math.MinInt64) // the latest earliest, the earliest latest
	for _, g := range s.Generators {
		if max(g.BeganNS, -g.BeganNS)+g.BoundNS > int64(Skew) {
			return fmt.Errorf("%s began %d ± %d ns from its time", g.Name, g.BeganNS, g.BoundNS)
		}
		at := began(g.Name).UnixNano() - g.BeganNS
		if least == math.MaxInt64 {
			least, most = at-g.BoundNS, at+g.BoundNS
		}
		least, most = max(least, at-g.BoundNS), min(most, at+g.BoundNS)
	}
	if least > most {
		return fmt.Errorf("the generators' starts are apart by %d ns more than their bounds allow", least-most)
	}
	return nil
}
