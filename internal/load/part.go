package load

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"dyno/internal/record"
)

// Part is one generator's record of a window in its Share of a load, in full: every histogram with
// all counts, not quantiles. It travels as JSON without loss. MergeParts adds Parts up with the
// code that adds up event loops on one machine. Its times count from the window's start on the
// generator's own clock, so that clocks on different machines are never compared.
type Part struct {
	Share   Share
	Load    record.Load // figures that only the generator's engine knows, and the generator's own rate
	Rec     *Recorder
	Answers float64 // right answers in the span of the generator's rate, unrounded
	Texts   map[string]string
	First   string
}

// Measure runs a window on s, which sends share of a load, and returns the Part. It observes the
// window as w.Observe asks. Like Session.Run it returns the results until ctx ended.
func Measure(ctx context.Context, s Session, share Share, w Window) (*Part, error) {
	p, d := &Part{Share: share}, record.Detail{}
	o := Observe{Each: true}
	if w.Observe != nil {
		o = *w.Observe
	}
	if o.Into == nil {
		o.Into = &d
	}
	o.Part, w.Observe = p, &o
	var err error
	p.Load, err = s.Run(ctx, w)
	if p.Rec == nil {
		return nil, cmp.Or(err, errors.New("the engine recorded nothing"))
	}
	p.Texts, p.First = o.Into.Texts, o.Into.First
	return p, err
}

// keep copies r, from a window that ended at now, before it is changed.
func (p *Part) keep(r *Recorder, now int64) {
	p.Rec = newDetailed(r.Response != nil)
	p.Rec.Each = emptyEach(r.Each)
	p.Rec.merge(r)
	if e := p.Rec.Edge; e != nil {
		from, until, _ := r.span(now)
		p.Answers, p.Rec.Edge = r.answered(from, until), nil
		p.Rec.FirstSent -= e.start - began
		if p.Rec.LastAnswer > 0 {
			p.Rec.LastAnswer -= e.start - began
		}
		if p.Rec.Slices != nil {
			p.Rec.Slices.start = 0
		}
	}
}

// began is the window's start in a Part's first and last, because 0 means none.
const began = 1

// MergeParts adds up the Parts from all generators of a load. Counts and histograms equal those that
// one recorder would have for the whole load, bit for bit. For the rest:
//
//   - Rates: each generator's rate covers its own span. The sum is stated as answers in the time that
//     the spans have in common; it is steady if all are (see record.Load).
//   - Times: WallNS, GapNS and BacklogPeak are the largest of the generators' values and, because they
//     load one server, UnreachableNS is the smallest.
//   - Segments are sums over machines; the link is the one with the largest share used.
//   - CPU times are sums over machines, and say nothing about a single machine: Part.Load does.
//
// It returns an error unless the parts are the shares 1 to n of n, once each.
func MergeParts(parts []*Part) (l record.Load, d record.Detail, err error) {
	if err = complete(parts); err != nil {
		return l, d, err
	}
	paced := parts[0].Rec.Response != nil
	total, wall := newDetailed(paced), int64(0)
	total.Each = emptyEach(parts[0].Rec.Each)
	texts, first := map[string]string{}, ""
	for _, p := range parts {
		if (p.Rec.Response != nil) != paced || !slices.EqualFunc(p.Rec.Each, total.Each, func(a, b record.Each) bool {
			return (a.Latency == nil) == (b.Latency == nil)
		}) {
			return l, d, fmt.Errorf("merge parts: share %v is of another load than share %v", p.Share, parts[0].Share)
		}
		total.merge(p.Rec)
		wall = max(wall, p.Load.WallNS)
		maps.Copy(texts, p.Texts)
		first = cmp.Or(first, p.First)
	}
	l = total.load(wall + began)
	total.times(&l)
	add(&l, parts)
	from, until := l.RateFromNS, l.RateFromNS+l.RateNS
	if l.SilentNS = total.Slices.silence(until); from > 0 {
		l.RateSamples, l.RateSDPerSec, l.RateMaxPerSec = total.Slices.rates(from, until)
	}
	l.Service, err = total.Service.Encode(serviceDigits)
	d = total.detail()
	d.Texts, d.First = texts, first
	return l, d, err
}

// complete returns an error unless the parts are all shares of one load.
func complete(parts []*Part) error {
	if len(parts) == 0 {
		return errors.New("merge parts: there is none")
	}
	seen := map[int]bool{}
	for _, p := range parts {
		switch {
		case p.Share.of() != len(parts):
			return fmt.Errorf("merge parts: share %v among %d; all parts of one load are needed", p.Share, len(parts))
		case seen[p.Share.Index]:
			return fmt.Errorf("merge parts: share %v is there twice", p.Share)
		}
		seen[p.Share.Index] = true
	}
	return nil
}

// add sets the figures in l that generators report about themselves.
func add(l *record.Load, parts []*Part) {
	l.UnreachableNS = math.MaxInt64
	steady, spin, spinKnown := true, true, true
	from, until, perNS := int64(0), int64(math.MaxInt64), 0.
	for _, p := range parts {
		o := &p.Load
		l.WallNS = max(l.WallNS, o.WallNS)
		l.Connections += o.Connections
		l.Established += o.Established
		l.RepeatedDials += o.RepeatedDials
		l.OpeningNS = max(l.OpeningNS, o.OpeningNS)
		l.StreamsAllowed = int(least(int64(l.StreamsAllowed), int64(o.StreamsAllowed)))
		l.Workers += o.Workers
		l.UnreachableNS = min(l.UnreachableNS, o.UnreachableNS)
		if spinKnown = spinKnown && o.Spin != nil; spinKnown {
			spin = spin && *o.Spin
		}
		steady = steady && o.RateFromNS > 0
		if o.Network != nil {
			if l.Network == nil {
				l.Network = &record.Network{}
			}
			l.Network.Add(o.Network)
		}
		if o.RateNS > 0 {
			from, until = max(from, o.RateFromNS), min(until, o.RateFromNS+o.RateNS)
			perNS += p.Answers / float64(o.RateNS)
		}
	}
	if spinKnown {
		l.Spin = &spin
	}
	if until == math.MaxInt64 { // no generator started a request
		until = l.WallNS
	}
	if l.RateNS = max(until-from, 1); steady && until > from {
		l.RateFromNS = from
	}
	l.RateAnswers = math.Round(1000*perNS*float64(l.RateNS)) / 1000
}

// UnmarshalJSON implements json.Unmarshaler. A Part without a complete record is an error.
func (p *Part) UnmarshalJSON(b []byte) error {
	type part Part
	err := json.Unmarshal(b, (*part)(p))
	if err == nil {
		err = p.Share.Check()
	}
	switch {
	case err != nil:
	case p.Rec == nil || p.Rec.Service == nil:
		err = errors.New("it has no record")
	case p.Rec.Slices != nil && !p.Rec.Slices.complete():
		err = errors.New("samples of right answers, of wrong ones and of waiting requests differ in number")
	}
	if err != nil {
		return fmt.Errorf("read part of a load: %w", err)
	}
	return nil
}
