package audit

import (
	"cmp"
	"slices"

	"dyno/internal/foreign"
	"dyno/internal/importer"
	"dyno/internal/stats"
)

// size applies R4 to the bytes per request, throughput ÷ rate. It compares a contestant with the
// median in its table, because headers alone do not differ by a factor of two.
func (j *examiner) size() {
	type sized struct {
		row        *importer.Row
		throughput *importer.Figure
		rate       pace
		bytes      span
	}
	for _, rows := range tables(j.rows) {
		var all []sized
		var sizes []float64
		for _, r := range rows {
			f, list := r.One(importer.BPerSec, "throughput_rw", "throughput"), paces(r)
			if f != nil && len(list) > 0 && spanOf(f).usable() {
				s := sized{r, f, list[0], spanOf(f).over(list[0].span)}
				all, sizes = append(all, s), append(sizes, s.bytes.at)
			}
		}
		middle := stats.Median(sizes)
		for _, s := range all {
			least := float64(foreign.LeastAnswer)
			if s.throughput.Metric == "throughput_rw" { // bytes read and bytes written
				least += foreign.LeastRequest
			}
			t, size := j.check("R4", "bytes per request", s.row, s.throughput), s.bytes
			t.say("%s ÷ %s = %s bytes per request", s.throughput.Text, rateText(s.rate.at), numberText(size.at))
			switch {
			case size.hi < least && !s.row.Streams:
				t.fail(Impossible, "fewer bytes than HTTP needs", "")
				t.say("%s, but HTTP/1.1 takes at least %s", t.Text, numberText(least))
				t.off = least / size.at
			case len(all) > 2 && (size.lo > 2*middle || size.hi < middle/2):
				t.fail(Doubtful, "a response unlike those of the others",
					"the responses differ: compare headers, cookies and bodies")
				t.say("%s, where the median of the %d contestants is %s", t.Text, len(all), numberText(middle))
				t.off = max(size.at/middle, middle/size.at)
			case len(all) < 2:
				t.fail(CannotTell, t.Kind, "no other contestant to compare with")
			}
		}
	}
}

// unlike applies R4 to bodies whose length is printed: those in one table must have equal length.
func (j *examiner) unlike() {
	for _, rows := range tables(j.rows) {
		var lengths []*importer.Figure
		for _, r := range rows {
			if f := r.One(importer.Bytes, "document_length"); f != nil {
				lengths = append(lengths, f)
			}
		}
		if len(lengths) < 2 {
			continue
		}
		slices.SortStableFunc(lengths, func(a, b *importer.Figure) int { return cmp.Compare(a.Value, b.Value) })
		low, high := lengths[0], lengths[len(lengths)-1]
		t := j.check("R4", "bodies of equal length", low.Row, lengths...)
		t.say("all bodies have %s", low.Text)
		if low.Value != high.Value {
			t.fail(Doubtful, "bodies of different length", "the responses differ")
			t.say("bodies from %s (%s) to %s (%s)", low.Text, low.Row.Contestant, high.Text, high.Row.Contestant)
			t.off = high.Value / max(low.Value, 1)
		}
	}
}

// leavesOutErrors reports whether a row counts responses by class, and its rates count only the
// right ones.
func leavesOutErrors(r *importer.Row) bool {
	right, some := rightOverTime(r)
	list := r.All(importer.PerSec, "rps", "rps_mean")
	return len(list) > 0 && r.One(importer.None, importer.AnswerClasses...) != nil &&
		!slices.ContainsFunc(list, func(f *importer.Figure) bool {
			return some && spanOf(f).apart(right.span) > slack || !some && f.Value != 0
		})
}

// errors applies R5 to counts of statuses and errors. Tables do not contain bodies.
func (j *examiner) errors(r *importer.Row) {
	n := r.One(importer.None, "requests")
	if n == nil || n.Value <= 0 {
		return
	}
	if bad := r.One(importer.None, "non2xx", "failed"); bad != nil && bad.Value >= 0 {
		counted := []*importer.Figure{bad}
		if bad.Derived {
			counted = r.All(importer.None, importer.AnswerClasses...)
		}
		t, share := j.check("R5", "responses with status 2xx or 3xx", r, counted...), bad.Value/n.Value
		t.say("%s of %s responses were errors", numberText(bad.Value), numberText(n.Value))
		t.off = 1 + share
		switch {
		case share > 0.001 && leavesOutErrors(r):
			t.fail(Doubtful, "errors among the responses", "the rate leaves them out; the latencies need not")
		case share >= half:
			t.fail(Impossible, "the rate counts error responses", "")
		case share > 0.001:
			t.fail(Doubtful, "errors among the responses", "")
		}
		if t.Verdict != Sound {
			t.concern(slices.Concat(rates(r), []*importer.Figure{n}, counted)...)
		}
	}
	for _, e := range r.Figures {
		if !slices.Contains(unanswered, e.Metric) || e.Missing || e.Many > 0 || e.Value < 0 {
			continue
		}
		t := j.check("R5", "requests without an answer", r, e)
		t.say("%s %s, of %s requests", e.Text, e.Metric, numberText(n.Value))
		t.off = 1 + e.Value/n.Value
		if e.Value > 0.01*n.Value || e.Metric == "connect_errors" && e.Value > 0 {
			t.fail(Doubtful, t.Kind, "the latencies leave these requests out")
		}
	}
}

// unanswered are the metrics that count requests without a response.
var unanswered = []string{"connect_errors", "read_errors", "write_errors", "timeouts", "errored"}
