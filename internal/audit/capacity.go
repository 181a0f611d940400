package audit

import (
	"cmp"
	"fmt"

	"dyno/internal/bounds"
	"dyno/internal/importer"
)

// capacity is R3: a handler that waits S answers each connection at most 1 ÷ S times a second.
func (j *judge) capacity(r *importer.Row) {
	if r.Delay <= 0 {
		return
	}
	for _, f := range r.All(importer.Seconds, "latency_mean", "latency_min", "p50") {
		j.add(floor(r, f))
	}
	if r.Connections == 0 {
		return
	}
	for _, f := range rates(r) {
		if !f.Derived {
			j.add(ceiling(r, f))
		}
	}
}

// floor says whether a latency is at least the delay.
func floor(r *importer.Row, l *importer.Figure) Finding {
	f := Finding{
		Rule: "R3", Kind: "latency and delay", Verdict: Sound, Row: r, Figures: published(l), off: r.Delay / l.Value,
		Text: fmt.Sprintf("%s, where the handler waits %s", l.Text, timeText(r.Delay)),
	}
	if l.Hi < r.Delay*(1-slack) {
		f.Kind, f.Verdict = "an answer before the handler's delay is over", Impossible
		f.Note = "the handler did not run"
	}
	return f
}

// ceiling says whether a rate is within what the connections allow.
func ceiling(r *importer.Row, rate *importer.Figure) Finding {
	c, d := float64(r.Connections), float64(r.Depth)
	one, all := bounds.Capacity(c, 1, r.Delay), bounds.Capacity(c, d, r.Delay)
	f := Finding{
		Rule: "R3", Kind: "rate and capacity", Verdict: Sound, Row: r, Figures: published(rate), off: rate.Value / all,
		Text: fmt.Sprintf("%s, and %s connections ÷ %s allow %s", rateText(rate.Value), number(c), timeText(r.Delay), rateText(one)),
	}
	switch {
	case rate.Lo > all*(1+slack):
		f.Kind, f.Verdict = "more than the delay allows", Impossible
		f.Note = "the handler, with its delay, did not run: another path was asked for, or errors were counted"
		if d > 1 {
			f.Text = fmt.Sprintf("%s, but %s connections × %s ÷ %s allow at most %s", rateText(rate.Value), number(c), number(d), timeText(r.Delay), rateText(all))
		} else {
			f.Text = fmt.Sprintf("%s, but %s connections ÷ %s allow at most %s", rateText(rate.Value), number(c), timeText(r.Delay), rateText(all))
		}
	case rate.Lo > one*(1+slack):
		f.Kind, f.Verdict, f.off = "more than one at a time on a connection allows", Doubtful, rate.Value/one
		f.Text = fmt.Sprintf("%s, but %s connections ÷ %s allow %s", rateText(rate.Value), number(c), timeText(r.Delay), rateText(one))
		f.Note = fmt.Sprintf("possible only for a server that handles the %s pipelined requests of a connection at once", number(d))
	case c >= 8 && rate.Value > 0.9/r.Delay && rate.Value < (1+slack)/r.Delay:
		f.Kind, f.Verdict, f.off = "one request at a time", Doubtful, one/rate.Value
		f.Text = fmt.Sprintf("%s, which is 1 ÷ %s, where %s connections allow %s", rateText(rate.Value), timeText(r.Delay), number(c), rateText(one))
		f.Note = "the handlers ran one after the other, or one connection did all the work"
	}
	return f
}

// delayLess looks at tables most of whose rates are beyond what a delay allows: what they are made of ran without the delay, so that the
// rest of the table is not what it says either.
func (j *judge) delayLess() {
	type key struct{ source, edition, table, date string }
	of := func(f *importer.Figure) key {
		return key{f.Row.Source, f.Row.Edition, cmp.Or(f.Table, f.Row.Suite), f.Row.Date}
	}
	over, judged := map[key]int{}, map[key]int{}
	beyond := map[*importer.Figure]bool{}
	for _, f := range j.found {
		if f.Rule != "R3" || len(f.Figures) != 1 || f.Figures[0].Unit != importer.PerSec {
			continue
		}
		judged[of(f.Figures[0])]++
		if f.Verdict == Impossible || f.Kind == "more than one at a time on a connection allows" {
			over[of(f.Figures[0])]++
			beyond[f.Figures[0]] = true
		}
	}
	for _, r := range j.rows {
		for _, f := range rates(r) {
			k := of(f)
			if f.Derived || f.Prose || beyond[f] || over[k] < 4 || 2*over[k] < judged[k] {
				continue
			}
			j.add(Finding{
				Rule: "R3", Kind: "in a table without its delay", Verdict: Doubtful, Row: r, Figures: published(f), off: 1,
				Text: fmt.Sprintf("%s, in a table of which %s of %s rates are beyond what the delay allows", rateText(f.Value), number(float64(over[k])), number(float64(judged[k]))),
				Note: "the handler, with its delay, did not run",
			})
		}
	}
}
