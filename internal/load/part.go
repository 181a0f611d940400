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
	"time"

	"dyno/internal/record"
)

// Part is one generator's record of a window in its Share of a load, in full: every histogram with
// all counts, not quantiles. It travels as JSON without loss. MergeParts adds Parts up with the
// code that adds up event loops on one machine. Its times count from the window's start on the
// generator's own clock, so that clocks on different machines are never compared.
type Part struct {
	Share   Share
	load    record.Load // figures that only the generator's engine knows, and the generator's own rate
	rec     *Recorder
	answers float64 // right answers in the span of the generator's rate, unrounded
	texts   map[string]string
	first   string
}

// Load returns the generator's own figures.
func (p *Part) Load() record.Load { return p.load }

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
	p.load, err = s.Run(ctx, w)
	if p.rec == nil {
		return nil, cmp.Or(err, errors.New("the engine recorded nothing"))
	}
	p.texts, p.first = o.Into.Texts, o.Into.First
	return p, err
}

// keep copies r, from a window that ended at now, before it is changed.
func (p *Part) keep(r *Recorder, now int64) {
	p.rec = newDetailed(r.Response != nil)
	if r.Each != nil {
		p.rec.Each = make([]record.Each, len(r.Each))
		for i := range r.Each {
			if r.Each[i].Latency != nil {
				p.rec.Each[i].Latency = record.NewCoarseHistogram()
			}
		}
	}
	p.rec.merge(r)
	if e := p.rec.Edge; e != nil {
		from, until, _ := r.span(now)
		p.answers, p.rec.Edge = r.answered(from, until), nil
		p.rec.first -= e.start - began
		if p.rec.last > 0 {
			p.rec.last -= e.start - began
		}
		if p.rec.Slices != nil {
			p.rec.Slices.start = 0
		}
	}
}

// Silent returns the longest time in the window without an answer, in whole samples of length
// Slice. If a number of requests ends the window, the time after the last answer does not count.
func (p *Part) Silent() (longest time.Duration) {
	s := p.rec.Slices
	if s == nil {
		return 0
	}
	silent := time.Duration(0)
	for i := range s.counts {
		silent += Slice
		if s.counts[i]+s.wrong[i] > 0 {
			longest, silent = max(longest, silent-Slice), 0
		}
	}
	if len(s.counts) < maxSlices {
		longest = max(longest, silent)
	}
	return longest
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
	paced := parts[0].rec.Response != nil
	total, wall := newDetailed(paced), int64(0)
	if of := parts[0].rec.Each; of != nil {
		total.Each = make([]record.Each, len(of))
		for i := range of {
			if of[i].Latency != nil {
				total.Each[i].Latency = record.NewCoarseHistogram()
			}
		}
	}
	texts, first := map[string]string{}, ""
	for _, p := range parts {
		if (p.rec.Response != nil) != paced || !slices.EqualFunc(p.rec.Each, total.Each, func(a, b record.Each) bool {
			return (a.Latency == nil) == (b.Latency == nil)
		}) {
			return l, d, fmt.Errorf("merge parts: share %v is of another load than share %v", p.Share, parts[0].Share)
		}
		total.merge(p.rec)
		wall = max(wall, p.load.WallNS)
		maps.Copy(texts, p.texts)
		first = cmp.Or(first, p.first)
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
		o := &p.load
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
			perNS += p.answers / float64(o.RateNS)
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

// partJSON is a Part as it travels.
type partJSON struct {
	Share      Share               `json:"share"`
	Load       record.Load         `json:"load"`
	Answers    float64             `json:"answers"`
	Texts      map[string]string   `json:"texts,omitempty"`
	First      string              `json:"first,omitempty"`
	Slices     []int32             `json:"slices,omitempty"`
	Wrong      []int32             `json:"wrong_slices,omitempty"`
	Waits      []int32             `json:"waits,omitempty"`
	Histograms []*record.Histogram `json:"histograms"` // in the order of Recorder.histograms
	Sums       []int64             `json:"sums"`       // in the order of Recorder.sums
	Counts     []int64             `json:"counts"`     // counts by Kind
	Status     map[int]int64       `json:"status"`
	Sessions   []record.TLSSession `json:"sessions,omitempty"`
	Each       []record.Each       `json:"each,omitempty"`
	Pace       *record.Pace        `json:"pace,omitempty"`
	Held       [2]int64            `json:"held"` // the shortest times that requests without a right answer had waited
	Span       [2]int64            `json:"span"` // first send, last answer
	Most       [2]int64            `json:"most"` // longest gap, largest backlog
}

// MarshalJSON implements json.Marshaler.
func (p *Part) MarshalJSON() ([]byte, error) {
	r := p.rec
	j := partJSON{Share: p.Share, Load: p.load, Answers: p.answers, Texts: p.texts,
		First:  p.first,
		Counts: r.counts[:], Status: map[int]int64{}, Each: r.Each,
		Held: [2]int64{r.serviceFrom, r.responseFrom}, Span: [2]int64{r.first, r.last},
		Most: [2]int64{r.GapNS, r.BacklogPeak}}
	for _, h := range r.histograms() {
		j.Histograms = append(j.Histograms, *h)
	}
	for _, n := range r.sums() {
		j.Sums = append(j.Sums, *n)
	}
	for s, n := range r.status {
		if n > 0 {
			j.Status[s] = n
		}
	}
	for s, n := range r.sessions {
		s.Connections = n
		j.Sessions = append(j.Sessions, s)
	}
	slices.SortFunc(j.Sessions, func(a, b record.TLSSession) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	if r.Pace != nil {
		j.Pace = &r.Pace.sum
	}
	if r.Slices != nil {
		j.Slices, j.Wrong, j.Waits = r.Slices.counts, r.Slices.wrong, r.Slices.waits
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler. Data from another version of dyno, with other counts,
// is an error.
func (p *Part) UnmarshalJSON(b []byte) error {
	var j partJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("read part of a load: %w", err)
	}
	r := &Recorder{Each: j.Each}
	if err := j.Share.Check(); err != nil {
		return fmt.Errorf("read part of a load: %w", err)
	}
	if len(j.Histograms) != len(r.histograms()) || len(j.Sums) != len(r.sums()) || len(j.Counts) != int(kinds) ||
		j.Histograms[0] == nil {
		return errors.New("read part of a load: it has other counts than this " +
			"version of dyno; use one version on all machines")
	}
	for i, h := range r.histograms() {
		*h = j.Histograms[i]
	}
	for i, n := range r.sums() {
		*n = j.Sums[i]
	}
	copy(r.counts[:], j.Counts)
	for s, n := range j.Status {
		if s < 0 || s >= len(r.status) {
			return fmt.Errorf("read part of a load: status %d", s)
		}
		r.status[s] = n
	}
	for _, s := range j.Sessions {
		n := s.Connections
		s.Connections = 0
		r.encrypted(s, n)
	}
	if j.Pace != nil {
		r.Pace = &Pace{sum: *j.Pace}
	}
	if j.Slices != nil {
		r.Slices = &Slices{counts: j.Slices, wrong: j.Wrong, waits: j.Waits}
	}
	if len(j.Slices) != len(j.Wrong) || r.Slices != nil && len(j.Waits) != len(j.Slices)+1 {
		return errors.New("read part of a load: samples of right answers, of wrong ones and of waiting requests " +
			"differ in number")
	}
	r.serviceFrom, r.responseFrom = j.Held[0], j.Held[1]
	r.first, r.last = j.Span[0], j.Span[1]
	r.GapNS, r.BacklogPeak = j.Most[0], j.Most[1]
	*p = Part{j.Share, j.Load, r, j.Answers, j.Texts, j.First}
	return nil
}
