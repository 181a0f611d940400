package fleet

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/load"
	"dyno/internal/record"
)

// simShape is a load for simulated agents.
type simShape struct {
	load.Schedule
	limit int64
	cost  time.Duration // a generator's CPU time per request; 0: it sends all due requests
}

const (
	simConnections = 1000
	simAddr        = "10.0.0.9:1" // the server that they load
)

// window returns a window of a shape.
func (s *simShape) window(into *record.Detail) load.Window {
	return load.Window{For: s.Length(), Schedule: &s.Schedule, Requests: s.limit, Observe: &load.Observe{Into: into}}
}

var simShapes = []simShape{
	{Schedule: load.Schedule{Stages: []load.Stage{{For: time.Second, From: 3000, To: 3000}}}},
	{Schedule: load.Schedule{Stages: []load.Stage{{For: 2 * time.Second, From: 0, To: 3000}}, Poisson: true, Seed: 7}},
	{Schedule: load.Schedule{Stages: []load.Stage{{For: 3 * time.Second, From: 900, To: 900}}, Seed: 7}, limit: 2500},
	tooMuch: {Schedule: load.Schedule{Stages: []load.Stage{{For: time.Second, From: 20_000, To: 20_000}}},
		cost: 200 * time.Microsecond},
}

// tooMuch is the shape of which a generator can send a quarter. It can send all earlier shapes completely.
const tooMuch = 3

// drawn is a session whose responses depend only on the due times of their requests, whoever sends them.
type drawn struct {
	job   load.Job
	right bool // all responses are right, and each request is sent
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
			if luck>>50%100 == 0 && !d.right {
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

// simAgent is an agent in a world.
type simAgent struct {
	agent *Agent
	late  atomic.Int64 // ns by which it wakes too late for a start
}

func (a *simAgent) site() *simSite { return a.agent.site.(*simSite) }

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
	s := &simShapes[shape]
	d := &drawn{job: load.Job{Connections: simConnections}, right: true, cost: s.cost}
	p, err := load.Measure(context.Background(), d, load.Share{}, s.window(&record.Detail{}))
	if err != nil {
		panic(err)
	}
	l, detail, err := load.MergeParts([]*load.Part{p})
	if err != nil {
		panic(err)
	}
	return bare(l), detail
}

// bare returns a load without the rates, which are sums over the machines' steady parts, and without counts
// per event loop.
func bare(l record.Load) record.Load {
	l.Workers, l.Pace, l.RateAnswers, l.RateNS, l.RateFromNS, l.UnreachableNS = 0, nil, 0, 0, 0, 0
	l.Network, l.Parts = nil, nil
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
func inTime(parts []record.LoadPart, began func(name string) time.Time) error {
	least, most := int64(math.MinInt64), int64(math.MaxInt64) // the latest earliest, the earliest latest
	for _, p := range parts {
		at := began(p.Generator).UnixNano() - p.BeganNS
		least, most = max(least, at-p.BoundNS), min(most, at+p.BoundNS)
	}
	if least > most {
		return fmt.Errorf("the generators' starts are apart by %d ns more than their bounds allow", least-most)
	}
	return nil
}
