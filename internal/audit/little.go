package audit

import (
	"math"
	"slices"

	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/importer"
)

// little applies R2. In a closed loop, rate × mean latency is the mean number of requests in flight
// (Little 1961). It cannot exceed connections × pipeline depth. Nor can it be much lower, because
// each connection is reused at once.
func (j *examiner) little(r *importer.Row) {
	if !closed(r) {
		return
	}
	first := len(j.found)
	for _, l := range latencies(r) {
		for _, p := range paces(r) {
			j.inFlight(r, p, l)
		}
	}
	found := j.found[first:]
	for _, f := range found {
		// If another latency in the row fits, this one is at fault, and not the rate.
		if f.Verdict > Sound && slices.ContainsFunc(found, func(other *Finding) bool {
			return other.Verdict == Sound && other.Figures[0] != f.Figures[0]
		}) {
			f.Figures = f.Figures[:1]
		}
	}
}

// closed reports whether Little's law holds for a row's figures: they come from one closed loop
// with known connections.
func closed(r *importer.Row) bool { return r.Connections > 0 && !r.Open }

// unknownDepth is the reason why more requests in flight than connections are not judged.
const unknownDepth = "how many requests a connection carries at once is not published"

// inFlight judges one latency with one rate. The latency is the finding's first figure.
func (j *examiner) inFlight(r *importer.Row, p pace, l *importer.Figure) {
	c, d, n := float64(r.Connections), float64(r.Depth), p.times(spanOf(l))
	t := j.check("R2", "requests in flight", r, append([]*importer.Figure{l}, p.figures...)...)
	t.say("%s × %s = %s in flight, of %s", p.text, l.Text, document.Count(int(math.Round(n.at)), "request"),
		document.Count(r.Connections, "connection"))
	if d > 1 {
		t.Text += " × " + numberText(d)
	}
	t.off = n.at / c
	switch {
	case n.lo > foreign.InFlight(c, d) && r.Streams:
		t.fail(CannotTell, "more requests in flight than connections", unknownDepth)
		t.off = n.at / c
	case n.lo > foreign.InFlight(c, d):
		t.fail(Impossible, "more requests in flight than the connections can carry", "")
		t.off = n.at / c / d
		if p.sampled && n.lo < 2*c*d {
			t.fail(Doubtful, t.Kind, "the rate is a mean of samples, and may be too high")
		}
		if r.Tool == "wrk" {
			t.Figures = t.Figures[:1]
			t.Note = "wrk includes latencies that it did not measure but estimated in its mean: the rate may be " +
				"right, the latency is not"
		}
	case r.PerRequest && n.hi < c*(1-slack):
		t.fail(CannotTell, "connections being opened",
			"connections are opened again and again: the others may have been connecting")
	case n.hi < c*half:
		t.fail(Impossible, "less than half of the connections in use", "the load was not as stated: connections "+
			"were missing, or the client could not keep them busy")
		t.off = c / n.at
		// 1,024 open files less those that a process has open anyway, and less the tolerance.
		if c > 1100 && n.at > 850 && n.at < 1030 {
			t.Note = "consistent with about 1,000 connections: the usual limit of a process is 1,024 open files"
		}
	case n.hi < c*(1-slack):
		t.fail(Doubtful, "not all connections in use",
			"connections were missing, or the client could not keep them busy")
		t.off = c / n.at
		if r.Tool == "wrk" {
			t.Note += "; wrk -t T -c C opens only T × ⌊C ÷ T⌋"
		}
	}
}
