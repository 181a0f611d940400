package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dyno/internal/conf"
	"dyno/internal/load"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/report"
)

// Outcome is one generator's result of a load with several generators (Request.Share). It travels as JSON.
type Outcome struct {
	Summary report.Summary // without Load, Detail and percentiles
	Part    *load.Part
}

// outcome returns a generator's Outcome with this summary and part.
func (p *Plan) outcome(s *report.Summary, part *load.Part) *Outcome {
	own := *s
	own.Did, own.Load, own.Detail, own.Seconds = p.Did, record.Load{}, record.Detail{}, nil
	for _, sec := range s.Seconds { // without percentiles, which cannot be merged
		counts := report.Second{StartNS: sec.StartNS, LengthNS: sec.LengthNS}
		counts.Add(sec)
		own.Seconds = append(own.Seconds, counts)
	}
	return &Outcome{Summary: own, Part: part}
}

// Portable returns an error if several machines cannot carry out r together, because it concerns one machine
// or needs figures while it runs.
func (r *Request) Portable() error {
	switch {
	case r.Unix != "":
		return conf.Usagef("--unix names a socket on this machine, which the machines of --fleet cannot reach; omit one")
	case r.Find != nil:
		return conf.Usagef("--find needs figures while the load runs, and the machines of --fleet send none then; omit one")
	}
	return nil
}

// checkShare returns an error for a load that cannot be divided.
func (r *Request) checkShare() error {
	if r.Share.Whole() {
		return nil
	}
	switch n := int64(r.Share.Of); {
	case r.Connections < n:
		return conf.Usagef("%d generators make the load: each needs a connection, and -c is %d", n, r.Connections)
	case r.Requests > 0 && r.Requests < n:
		return conf.Usagef("%d generators make the load: each needs a request, and -n is %d", n, r.Requests)
	}
	return nil
}

// Measure carries out the load's share on a session that Connect has opened. It calls begin, which returns
// when the window is to begin, as late as possible. After an interruption it returns the results so far,
// without an error.
func (p *Plan) Measure(ctx context.Context, session load.Session, begin func()) (*Outcome, error) {
	s := p.frame()
	var start time.Time
	var suspended time.Duration
	p.window.Begin = func() {
		suspended = machine.Suspended()
		begin()
		start = time.Now()
	}
	p.window.Observe = &load.Observe{Every: time.Second, Each: true, Tick: func(i record.Interval) {
		i.Detail = record.Detail{} // outcome keeps nothing of it
		s.Seconds = append(s.Seconds, report.Of(i))
	}}
	part, err := load.Measure(ctx, session, p.Share, p.window)
	s.Wall, s.Suspended = time.Since(start), machine.SuspendedBetween(suspended, machine.Suspended())
	if s.Interrupted = err != nil && ctx.Err() != nil && part != nil; s.Interrupted {
		err = nil
	}
	return p.outcome(s, part), err
}

// Merge returns the summary of a load from the outcomes of all generators, in the order of their shares, with
// the generators' names.
func Merge(outcomes []*Outcome, names []string) (*report.Summary, error) {
	var parts []*load.Part
	for _, o := range outcomes {
		if o.Part == nil {
			return nil, errors.New("merge outcomes: one has no figures")
		}
		parts = append(parts, o.Part)
	}
	l, d, err := load.MergeParts(parts)
	if err != nil {
		return nil, err
	}
	s := outcomes[0].Summary
	s.Seconds = append([]report.Second(nil), s.Seconds...)
	cpus := []string{s.CPU}
	for i, o := range outcomes[1:] {
		other := &o.Summary
		if !slices.Contains(cpus, other.CPU) {
			cpus = append(cpus, other.CPU)
		}
		if other.Target != s.Target || other.Did != s.Did || other.Seed != s.Seed || other.HTTP2 != s.HTTP2 {
			return nil, fmt.Errorf("%s and %s carried out different loads:\n%s: %s\n%s: %s", names[0], names[i+1], s.Target,
				s.Did, other.Target, other.Did)
		}
		s.Wall, s.Suspended = max(s.Wall, other.Wall), max(s.Suspended, other.Suspended)
		s.Interrupted = s.Interrupted || other.Interrupted
		if other.NoSpin != s.NoSpin {
			s.NoSpin = "the machines differ"
		}
		for k, second := range other.Seconds {
			if k == len(s.Seconds) {
				s.Seconds = append(s.Seconds, report.Second{StartNS: second.StartNS, LengthNS: second.LengthNS})
			}
			s.Seconds[k].Add(second)
		}
	}
	s.Load, s.Detail, s.SentHTTP2 = l, d, sentHTTP2(d)
	s.Several, s.CPU = true, strings.Join(cpus, "; ")
	for i, o := range outcomes {
		g, err := o.generator(names[i])
		if err != nil {
			return nil, err
		}
		s.Generators = append(s.Generators, g)
	}
	return &s, nil
}

// generator returns the summary of one of several generators.
func (o *Outcome) generator(name string) (g report.OneOfSeveral, err error) {
	part := *o.Part
	part.Share = load.Share{} // as if it were the whole load
	own := o.Summary
	if own.Load, own.Detail, err = load.MergeParts([]*load.Part{&part}); err != nil {
		return g, err
	}
	return own.As(name), nil
}
