package audit

import (
	"fmt"
	"math"

	"dyno/internal/bounds"
	"dyno/internal/importer"
)

// little is R2: in a closed loop rate × mean latency is the mean number of requests in flight (Little 1961), which can be no more than the
// connections hold, and is not much less, for each is used again at once.
func (j *judge) little(r *importer.Row) {
	if r.Connections == 0 || r.Open {
		return
	}
	var found []Finding
	for _, l := range latencies(r) {
		for _, p := range paces(r) {
			found = append(found, inFlight(r, p, l))
		}
	}
	for _, f := range found {
		// Where another latency of the row fits, this one is at fault, and not the rate.
		if f.Verdict > Sound && len(f.Figures) > 1 {
			for _, other := range found {
				if other.Verdict == Sound && other.Figures[0] != f.Figures[0] {
					f.Figures = f.Figures[:1]
					break
				}
			}
		}
		j.add(f)
	}
}

// inFlight judges one latency with one rate; the latency is the first of the finding's figures.
func inFlight(r *importer.Row, p pace, l *importer.Figure) Finding {
	c, d := float64(r.Connections), float64(r.Depth)
	n := p.times(of(l))
	f := Finding{
		Rule: "R2", Kind: "requests in flight", Verdict: Sound, Row: r, Figures: append([]*importer.Figure{l}, p.figures...),
		Text: fmt.Sprintf("%s × %s = %s in flight, of %s", p.text, l.Text, plural(int(math.Round(n.at)), "request"), plural(r.Connections, "connection")), off: n.at / c,
	}
	if d > 1 {
		f.Text += fmt.Sprintf(" × %s", number(d))
	}
	switch {
	case n.lo > bounds.InFlight(c, d):
		f.Kind, f.Verdict, f.off = "more in flight than the connections hold", Impossible, n.at/c/d
		if p.sampled && n.lo < 2*c*d {
			f.Verdict = Doubtful
			f.Note = "the rate is a mean of samples, and may be too high"
		}
		if r.Tool == "wrk" {
			f.Figures = f.Figures[:1]
			f.Note = "wrk averages latencies that it did not measure, but added, into its mean: the rate may hold, the latency does not"
		}
	case r.PerRequest && n.hi < c*(1-slack):
		f.Kind, f.Verdict = "connections being opened", CannotTell
		f.Note = "a connection per request: what is not in flight may be connecting"
	case n.hi < c*half:
		f.Kind, f.Verdict, f.off = "less than half of the connections in use", Impossible, c/n.at
		f.Note = "the load was not the one that is named: connections were missing, or the client could not keep them busy"
		if c > 1100 && n.at > 850 && n.at < 1030 {
			f.Note = "as if some 1,000 connections had been opened: 1,024 open files are the usual limit of a process"
		}
	case n.hi < c*(1-slack):
		f.Kind, f.Verdict, f.off = "not all connections in use", Doubtful, c/n.at
		f.Note = "connections were missing, or the client could not keep them busy"
		if r.Tool == "wrk" {
			f.Note += "; wrk -t T -c C opens only T × ⌊C ÷ T⌋"
		}
	}
	return f
}
