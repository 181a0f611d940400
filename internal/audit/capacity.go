package audit

import (
	"cmp"
	"fmt"

	"dyno/internal/foreign"
	"dyno/internal/importer"
)

// capacity applies R3: a handler that waits S responds on each connection at most 1 ÷ S times a
// second.
func (j *examiner) capacity(r *importer.Row) {
	if r.Delay <= 0 {
		return
	}
	for _, l := range r.All(importer.Seconds, "latency_mean", "latency_min", "p50") {
		t := j.check("R3", "latency and delay", r, l)
		t.say("%s, where the handler waits %s", l.Text, timeText(r.Delay))
		t.off = r.Delay / l.Value
		if l.Hi < r.Delay*(1-slack) {
			t.fail(Impossible, "a response before the end of the handler's delay", "the handler did not run")
		}
	}
	for _, f := range rates(r) {
		if r.Connections > 0 && !f.Derived {
			j.ceiling(r, f)
		}
	}
}

// pipelinedOnly is the kind of a rate that only concurrent handling of pipelined requests explains.
const pipelinedOnly = "more than one at a time on a connection allows"

// ceiling compares a rate with the limit that the connections set: one request at a time on each,
// or all pipelined requests at once.
func (j *examiner) ceiling(r *importer.Row, rate *importer.Figure) {
	c, d, v := float64(r.Connections), float64(r.Depth), rate.Value
	one, all := foreign.Capacity(c, 1, r.Delay), foreign.Capacity(c, d, r.Delay)
	is, allow := rateText(v), fmt.Sprintf("%s connections ÷ %s allow", numberText(c), timeText(r.Delay))
	t := j.check("R3", "rate and capacity", r, rate)
	t.say("%s, and %s %s", is, allow, rateText(one))
	t.off = v / all
	switch {
	case rate.Lo > all*(1+slack) && r.Streams:
		t.fail(CannotTell, "more than the delay allows to one request at a time", unknownDepth)
		t.off = v / all
	case rate.Lo > all*(1+slack):
		t.fail(Impossible, "more than the delay allows",
			"the handler, with its delay, did not run: another path was asked for, or errors were counted")
		if d > 1 {
			allow = fmt.Sprintf("%s connections × %s ÷ %s allow", numberText(c), numberText(d), timeText(r.Delay))
		}
		t.say("%s, but %s at most %s", is, allow, rateText(all))
	case rate.Lo > one*(1+slack):
		t.fail(Doubtful, pipelinedOnly, fmt.Sprintf(
			"possible only for a server that handles the %s pipelined requests of a connection at once", numberText(d)))
		t.say("%s, but %s %s", is, allow, rateText(one))
		t.off = v / one
	// A rate near 1 ÷ delay tells serial handlers from a slow server only if many connections would
	// allow far more.
	case c >= 8 && v > 0.9/r.Delay && v < (1+slack)/r.Delay:
		t.fail(Doubtful, "one request at a time",
			"the handlers ran one after the other, or one connection did all the work")
		t.say("%s, which is 1 ÷ %s, where %s connections allow %s", is, timeText(r.Delay), numberText(c), rateText(one))
		t.off = one / v
	}
}

// delayLess applies R3 to whole tables. If at least half the rates in a table, and at least four,
// exceed what a delay allows, the handlers ran without the delay, and the other rates are doubtful
// too.
func (j *examiner) delayLess() {
	type key struct{ source, edition, table, date string }
	tableOf := func(f *importer.Figure) key {
		return key{f.Row.Source, f.Row.Edition, cmp.Or(f.Table, f.Row.Suite), f.Row.Date}
	}
	over, examined := map[key]int{}, map[key]int{}
	beyond := map[*importer.Figure]bool{}
	for _, f := range j.found {
		if f.Rule != "R3" || len(f.Figures) != 1 || f.Figures[0].Unit != importer.PerSec {
			continue
		}
		rate := f.Figures[0]
		examined[tableOf(rate)]++
		if f.Verdict == Impossible || f.Kind == pipelinedOnly {
			over[tableOf(rate)]++
			beyond[rate] = true
		}
	}
	for _, r := range j.rows {
		for _, f := range rates(r) {
			n, total := over[tableOf(f)], examined[tableOf(f)]
			if f.Derived || f.Prose || beyond[f] || n < 4 || 2*n < total {
				continue
			}
			t := j.check("R3", "", r, f)
			t.fail(Doubtful, "in a table measured without the delay", "the handler, with its delay, did not run")
			t.say("%s, in a table in which %s of %s rates exceed what the delay allows",
				rateText(f.Value), numberText(float64(n)), numberText(float64(total)))
		}
	}
}
