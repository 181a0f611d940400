package loadtest

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
)

// run loads for one window, which must not fail, and audits what it returns.
func run(t *testing.T, s load.Session, w load.Window) record.Load {
	t.Helper()
	l, err := s.Run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	audit(t, l, nil)
	auditPace(t, w.Schedule, l)
	return l
}

// seen is all that an observed window tells.
type seen struct {
	record.Load
	Detail    record.Detail
	intervals []record.Interval // their histograms are gone
	counts    []tally           // of the intervals
	err       error             // of Run
}

// observe loads for one window in intervals of every (0: none), and audits what it returns.
func observe(t *testing.T, ctx context.Context, s load.Session, w load.Window, every time.Duration) *seen {
	t.Helper()
	o := &seen{}
	w.Observe = &load.Observe{Into: &o.Detail, Every: every}
	if every > 0 {
		w.Observe.Tick = func(i record.Interval) { // one at a time: the race detector would tell
			o.counts = append(o.counts, count(&i.Load, &i.Detail))
			if i.Load.Pace != nil {
				t.Errorf("an interval has a pace: %+v", i.Load.Pace)
			}
			i.Detail = record.Detail{}
			o.intervals = append(o.intervals, i)
		}
	}
	o.Load, o.err = s.Run(ctx, w)
	if o.err != nil && ctx.Err() == nil {
		t.Fatal(o.err)
	}
	audit(t, o.Load, &o.Detail)
	auditPace(t, w.Schedule, o.Load)
	if every > 0 {
		o.auditIntervals(t, every)
	}
	return o
}

// audit checks what must be true of every Load, and of its Detail if it was observed.
func audit(t *testing.T, l record.Load, d *record.Detail) {
	t.Helper()
	answers := l.Succeeded + l.Failed
	if l.Planned != l.Started+l.NeverStarted || l.Started != answers+l.Errored()+l.InFlight {
		t.Errorf("the ledger does not close: %+v", l)
	}
	var failed int64
	for _, n := range l.Failures {
		failed += n
	}
	if failed != l.Failed {
		t.Errorf("failed %d, but by kind %v", l.Failed, l.Failures)
	}
	if l.Started > 0 && l.WindowNS <= 0 || l.ServiceP50NS > l.ServiceP99NS || l.ServiceP99NS > l.ServiceMaxNS ||
		l.ServiceMaxNS > l.WindowNS {
		t.Errorf("times: window %d p50 %d p99 %d max %d", l.WindowNS, l.ServiceP50NS, l.ServiceP99NS, l.ServiceMaxNS)
	}
	few := l.RateFromNS > 0 && l.RateNS >= int64(3*load.Slice) && l.RateSamples < 2
	if few || l.RateSamples*int64(load.Slice) > l.RateNS ||
		l.RateMaxPerSec*load.Slice.Seconds() > float64(l.Succeeded)+0.5 {
		t.Errorf("%d samples of the rate in %d ns, the highest %v of %d answers", l.RateSamples, l.RateNS,
			l.RateMaxPerSec, l.Succeeded)
	}
	if l.RateAnswers > float64(l.Succeeded) || l.Started > 0 && (l.RateNS <= 0 || l.WallNS < l.WindowNS) {
		t.Errorf("a rate of %v answers in %d ns, from %d on: %+v", l.RateAnswers, l.RateNS, l.RateFromNS, l)
	}
	if l.Established > l.Connections || l.Started > load.Undialled(&l)+l.InFlight && l.Established == 0 {
		t.Errorf("%d of %d connections were up: %+v", l.Established, l.Connections, l)
	}
	if d == nil {
		h, err := record.Decode(l.Service)
		if err != nil || h.Count() != l.Succeeded {
			t.Errorf("%d latencies of %d right answers: %v", h.Count(), l.Succeeded, err)
		}
		return
	}
	auditDetail(t, l, d)
}

// auditPace checks that an open loop, and it alone, tells how its requests waited.
func auditPace(t *testing.T, s *load.Schedule, l record.Load) {
	t.Helper()
	if s == nil {
		if l.Pace != nil {
			t.Errorf("a closed loop has a pace: %+v", l.Pace)
		}
		return
	}
	p := l.Pace
	if p == nil {
		t.Errorf("an open loop without a pace: %+v", l)
		return
	}
	if p.EarlyNS < 0 || p.LateNS < 0 || p.HalfNS == 0 && p.EarlyNS+p.LateNS > 0 || p.EarlyNS > p.HalfNS*l.Planned ||
		p.LateNS > p.HalfNS*l.Planned {
		t.Errorf("%d requests waited %d and %d ns in halves of %d", l.Planned, p.EarlyNS, p.LateNS, p.HalfNS)
	}
}

// all counts the latencies in h, those beyond its range too: a starved machine has them.
func all(h *record.Histogram) int64 { return h.Count() + h.Over() }

func auditDetail(t *testing.T, l record.Load, d *record.Detail) {
	t.Helper()
	answers := l.Succeeded + l.Failed
	var statuses int64
	for _, n := range d.Status {
		statuses += n
	}
	if statuses != answers {
		t.Errorf("statuses %v of %d answers", d.Status, answers)
	}
	if n := all(d.FirstByte); n != answers {
		t.Errorf("%d first bytes of %d answers", n, answers)
	}
	longest, wrong := d.Service.Max(), int64(0)
	if d.Wrong != nil {
		longest, wrong = max(longest, d.Wrong.Max()), all(d.Wrong)
	}
	if d.FirstByte.Max() > longest {
		t.Errorf("a first byte after %d ns, but no answer took longer than %d", d.FirstByte.Max(), longest)
	}
	broken := l.Errored() + l.InFlight
	if n := all(d.Service); n != l.Succeeded+d.Unanswered || d.Unanswered > broken ||
		(d.Unanswered > 0) != (d.UnansweredFromNS > 0) || wrong != l.Failed {
		t.Errorf("%d service times, %d of them unanswered from %d ns on, %d wrong: %+v", n, d.Unanswered,
			d.UnansweredFromNS, wrong, l)
	}
	if d.Response != nil {
		least := broken + l.Failed // what was not even due when a window was cancelled has waited for nothing
		if n := all(d.Response); n != l.Succeeded+d.Censored || d.Censored < least ||
			d.Censored > least+l.NeverStarted || (d.Censored > 0) != (d.CensoredFromNS > 0) {
			t.Errorf("%d response times, %d of them censored from %d ns on: %+v", n, d.Censored, d.CensoredFromNS, l)
		}
		if n := all(d.Lag); n > l.Started || n < answers {
			t.Errorf("%d lags of %d requests", n, l.Started)
		}
		if d.Response.Max() < d.Service.Max() || d.Response.Quantile(0.5) < d.Service.Quantile(0.5) && d.Censored == 0 {
			t.Errorf("responses of %d, %d ns are shorter than services of %d, %d ns",
				d.Response.Quantile(0.5), d.Response.Max(), d.Service.Quantile(0.5), d.Service.Max())
		}
	}
	for kind := range l.Errors {
		if d.Texts[kind] == "" {
			t.Errorf("no text for the errors %v: %v", l.Errors, d.Texts)
		}
	}
	if (d.First != "") != (l.Failed > 0) {
		t.Errorf("%d failed, the first: %q", l.Failed, d.First)
	}
}

// tally is what can be summed over intervals.
type tally map[string]int64

func count(l *record.Load, d *record.Detail) tally {
	n := tally{
		"planned": l.Planned, "never started": l.NeverStarted, "started": l.Started, "succeeded": l.Succeeded,
		"failed": l.Failed, "sent again": l.SentAgain,
		"in flight": l.InFlight, "read": l.BytesRead, "written": l.BytesWritten, "service": d.Service.Count(),
		"first byte": d.FirstByte.Count(),
		"connect":    d.Connect.Count(), "censored": d.Censored,
	}
	if d.Response != nil {
		n["response"], n["lag"] = d.Response.Count(), d.Lag.Count()
	}
	for kind, v := range l.Failures {
		n["failed: "+kind] = v
	}
	for kind, v := range l.Errors {
		n["error: "+kind] = v
	}
	for status, v := range d.Status {
		n["status "+string(rune('0'+status/100))] += v
	}
	return n
}

// auditIntervals checks that the intervals follow each other without a gap, and that they sum to
// the whole.
func (o *seen) auditIntervals(t *testing.T, every time.Duration) {
	t.Helper()
	sum := tally{}
	for k, i := range o.intervals {
		if i.StartNS != int64(k)*int64(every) || i.LengthNS != int64(every) {
			t.Errorf("interval %d: from %d, of %d ns", k, i.StartNS, i.LengthNS)
		}
		for what, n := range o.counts[k] {
			sum[what] += n
		}
	}
	want := count(&o.Load, &o.Detail)
	all := maps.Clone(sum)
	maps.Copy(all, want)
	for _, what := range slices.Sorted(maps.Keys(all)) {
		if sum[what] != want[what] {
			t.Errorf("%s: %d in %d intervals, %d in all", what, sum[what], len(o.intervals), want[what])
		}
	}
	if len(o.intervals) == 0 {
		t.Error("no interval at all")
	}
}
