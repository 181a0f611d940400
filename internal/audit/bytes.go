package audit

import (
	"fmt"
	"slices"

	"dyno/internal/bounds"
	"dyno/internal/importer"
)

// perRequest is the bytes of one request of a row: its throughput by its rate.
func perRequest(r *importer.Row) (s span, f *importer.Figure, p pace, both, ok bool) {
	f = r.One(importer.BPerSec, "throughput_rw", "throughput")
	list := paces(r)
	if f == nil || len(list) == 0 || !of(f).usable() {
		return span{}, nil, pace{}, false, false
	}
	return of(f).over(list[0].span), f, list[0], f.Metric == "throughput_rw", true
}

// size is R4 for one contestant against the others of its table.
func (j *judge) size() {
	groups, order := byGroup(j.rows)
	for _, k := range order {
		var sizes []float64
		for _, r := range groups[k] {
			if s, _, _, _, ok := perRequest(r); ok {
				sizes = append(sizes, s.at)
			}
		}
		middle := median(sizes)
		for _, r := range groups[k] {
			s, f, p, both, ok := perRequest(r)
			if !ok {
				continue
			}
			least := float64(bounds.LeastAnswer)
			if both {
				least += bounds.LeastRequest
			}
			t := Finding{
				Rule: "R4", Kind: "bytes per request", Verdict: Sound, Row: r, Figures: published(f), off: 1,
				Text: fmt.Sprintf("%s ÷ %s = %s bytes per request", f.Text, rateText(p.at), number(s.at)),
			}
			switch {
			case s.hi < least:
				t.Kind, t.Verdict, t.off = "fewer bytes than HTTP needs", Impossible, least/s.at
				t.Text += fmt.Sprintf(", but HTTP/1.1 takes at least %s", number(least))
			case len(sizes) > 2 && (s.lo > 2*middle || s.hi < middle/2):
				t.Kind, t.Verdict, t.off = "another answer than the others give", Doubtful, max(s.at/middle, middle/s.at)
				t.Text += fmt.Sprintf(", where the median of the %d contestants is %s", len(sizes), number(middle))
				t.Note = "not the same answer: look at headers, cookies and bodies"
			case len(sizes) < 2:
				t.Verdict = CannotTell
				t.Note = "no other contestant to compare with"
			}
			j.add(t)
		}
	}
}

// unlike is R4 for bodies whose length is printed: those of one table must be alike.
func (j *judge) unlike() {
	groups, order := byGroup(j.rows)
	for _, k := range order {
		var lengths []*importer.Figure
		for _, r := range groups[k] {
			if f := r.One(importer.Bytes, "document_length"); f != nil {
				lengths = append(lengths, f)
			}
		}
		if len(lengths) < 2 {
			continue
		}
		slices.SortStableFunc(lengths, func(a, b *importer.Figure) int { return int(a.Value) - int(b.Value) })
		low, high := lengths[0], lengths[len(lengths)-1]
		t := Finding{
			Rule: "R4", Kind: "bodies of equal length", Verdict: Sound, Row: low.Row, Figures: published(lengths...), off: 1,
			Text: fmt.Sprintf("all bodies have %s", low.Text),
		}
		if low.Value != high.Value {
			t.Kind, t.Verdict, t.off = "bodies of different length", Doubtful, high.Value/max(low.Value, 1)
			t.Text = fmt.Sprintf("bodies from %s (%s) to %s (%s)", low.Text, low.Row.Contestant, high.Text, high.Row.Contestant)
			t.Note = "not the same answer"
		}
		j.add(t)
	}
}

// errors is R5 as far as statuses and errors are counted. Bodies are in no table.
func (j *judge) errors(r *importer.Row) {
	n := r.One(importer.None, "requests")
	if n == nil || n.Value <= 0 {
		return
	}
	bad := r.One(importer.None, "non2xx", "failed")
	if bad != nil && bad.Value >= 0 {
		share := bad.Value / n.Value
		f := Finding{
			Rule: "R5", Kind: "answers of status 2xx or 3xx", Verdict: Sound, Row: r, Figures: published(bad), off: 1 + share,
			Text: fmt.Sprintf("%s of %s answers were of no use", number(bad.Value), number(n.Value)),
		}
		if bad.Derived {
			f.Figures = published(r.All(importer.None, "http1xx", "http2xx", "http3xx", "http4xx", "http5xx", "others")...)
		}
		switch {
		case share >= half:
			f.Kind, f.Verdict, f.Figures = "the rate is that of errors", Impossible, published(append(append(rates(r), n), f.Figures...)...)
		case share > 0.001:
			f.Kind, f.Verdict, f.Figures = "errors in the rate", Doubtful, published(append(append(rates(r), n), f.Figures...)...)
		}
		j.add(f)
	}
	for _, e := range r.Figures {
		switch e.Metric {
		case "connect_errors", "read_errors", "write_errors", "timeouts", "errored":
		default:
			continue
		}
		if e.Missing || e.Many > 0 || e.Value < 0 {
			continue
		}
		f := Finding{
			Rule: "R5", Kind: "requests without an answer", Verdict: Sound, Row: r, Figures: published(e), off: 1 + e.Value/n.Value,
			Text: fmt.Sprintf("%s %s, of %s requests", e.Text, e.Metric, number(n.Value)),
		}
		if e.Value > 0.01*n.Value || e.Metric == "connect_errors" && e.Value > 0 {
			f.Verdict = Doubtful
			f.Note = "what got no answer is not in the latencies"
		}
		j.add(f)
	}
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
