package audit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"dyno/internal/importer"
)

// pace is a rate of a row: as it is printed, or requests ÷ time.
type pace struct {
	span
	text    string
	sum     string // how it was computed, for requests ÷ time
	figures []*importer.Figure
	sampled bool // a mean of samples, which need not be requests ÷ time
}

// duration is how long a row's load took: printed, or as long as it was told to.
func duration(r *importer.Row) (t span, text string, f *importer.Figure, ok bool) {
	if f = r.One(importer.Seconds, "time"); f != nil {
		return of(f), f.Text, f, of(f).usable()
	}
	// A generator goes on a little after its time is over.
	return span{r.Planned, r.Planned, 1.02*r.Planned + 0.1}, timeText(r.Planned), nil, r.Planned > 0
}

// overTime is requests ÷ time.
func overTime(r *importer.Row) (p pace, ok bool) {
	n := r.One(importer.None, "requests")
	t, text, tf, ok := duration(r)
	if n == nil || !ok || !of(n).usable() {
		return pace{}, false
	}
	s := of(n).over(t)
	sum := number(n.Value) + " ÷ " + text
	return pace{span: s, text: fmt.Sprintf("%s (%s)", rateText(s.at), sum), sum: sum + " = " + rateText(s.at), figures: published(n, tf)}, true
}

// most is how many rates, or latencies, of one row are looked at: each is held against each. No table has as many in earnest.
const most = 32

// rates are the figures that say how many requests per second there were.
func rates(r *importer.Row) []*importer.Figure {
	return usable(r.All(importer.PerSec, "rps", "rps_mean"))
}

// latencies are the mean latencies.
func latencies(r *importer.Row) []*importer.Figure {
	return usable(r.All(importer.Seconds, "latency_mean"))
}

func usable(figures []*importer.Figure) []*importer.Figure {
	list := slices.DeleteFunc(figures, func(f *importer.Figure) bool { return !of(f).usable() })
	return list[:min(len(list), most)]
}

// paces are the rates to compute with. Where a mean of samples is not requests ÷ time, the latter counts.
func paces(r *importer.Row) []pace {
	var list []pace
	whole, known := overTime(r)
	for _, f := range rates(r) {
		p := pace{span: of(f), text: rateText(f.Value), figures: published(f), sampled: f.Metric == "rps_mean" && !known}
		if f.Metric == "rps_mean" && known {
			if math.Abs(p.gap(whole.span)) > slack && !timeAtFault(r, f, whole) {
				list = append(list, whole)
				continue
			}
			if !timeAtFault(r, f, whole) {
				p.span = p.hull(whole.span)
			}
		}
		list = append(list, p)
	}
	if len(list) == 0 && known {
		list = append(list, whole)
	}
	return list
}

// timeAtFault says that Little's law holds with the printed rate, and not with requests ÷ time.
func timeAtFault(r *importer.Row, rate *importer.Figure, whole pace) bool {
	for _, l := range latencies(r) {
		if r.Connections == 0 || r.Open || l.Prose {
			continue
		}
		c := float64(r.Connections)
		with, without := of(rate).times(of(l)), whole.times(of(l))
		if math.Abs(with.gap(exactly(c))) <= slack && math.Abs(without.gap(exactly(c))) > slack {
			return true
		}
	}
	return false
}

// rate is R1.
func (j *judge) rate(r *importer.Row) {
	whole, ok := overTime(r)
	if !ok {
		return
	}
	for _, f := range rates(r) {
		if f.Derived || f.Prose {
			continue
		}
		gap := of(f).gap(whole.span)
		finding := Finding{
			Rule: "R1", Kind: "rate is requests ÷ time", Verdict: Sound, Row: r, Figures: append(published(f), whole.figures...),
			Text: fmt.Sprintf("%s, and the rate is %s", whole.sum, rateText(f.Value)), off: math.Abs(gap) + 1,
		}
		switch {
		case math.Abs(gap) <= slack:
		case f.Metric == "rps_mean" && timeAtFault(r, f, whole):
			l, c := latencies(r)[0], float64(r.Connections)
			finding.Verdict, finding.Kind = Doubtful, "time is not that of these requests"
			if whole.lo*l.Lo > c*(1+slack) || whole.hi*l.Hi < c*half {
				finding.Verdict = Impossible
			}
			finding.Figures = published(r.One(importer.Seconds, "time"))
			finding.Text = fmt.Sprintf("%s, but the rate is %s; with %s, %s would be %s requests in flight of %s connections, %s are %s: the time is wrong",
				whole.sum, rateText(f.Value), l.Text, rateText(whole.at), number(whole.at*l.Value), number(c), rateText(f.Value), number(f.Value*l.Value))
			finding.Note = fmt.Sprintf("%s would fit", timeText(whole.at/f.Value*r.One(importer.Seconds, "time").Value))
		case f.Metric == "rps_mean":
			finding.Verdict, finding.Kind, finding.Figures = Doubtful, "rate is not requests ÷ time", published(f)
			finding.Text = fmt.Sprintf("%s, but the rate is %s (%+.1f %%)", whole.sum, rateText(f.Value), 100*(f.Value/whole.at-1))
			finding.Note = "a mean of short samples, which counts a slow stretch as much as a fast one; requests ÷ time is the rate"
		default:
			finding.Verdict, finding.Kind = Impossible, "rate is not requests ÷ time"
			finding.Text = fmt.Sprintf("%s, but the rate is %s (%+.1f %%)", whole.sum, rateText(f.Value), 100*(f.Value/whole.at-1))
		}
		j.add(finding)
	}
}

// identity is a product that two printed figures must make of two others.
type identity struct {
	rule, kind  string
	left, right func(r *importer.Row) (span, string, []*importer.Figure, bool)
}

// product multiplies figures by name; "connections" is the row's.
func product(unit map[string]importer.Unit, names ...string) func(*importer.Row) (span, string, []*importer.Figure, bool) {
	return func(r *importer.Row) (span, string, []*importer.Figure, bool) {
		p, text := exactly(1), ""
		var figures []*importer.Figure
		for i, n := range names {
			s, word := exactly(float64(r.Connections)), number(float64(r.Connections))+" connections"
			if n != "connections" {
				f := r.One(unit[n], n)
				if f == nil || f.Value < 0 {
					return p, "", nil, false
				}
				s, word = of(f), f.Text
				figures = append(figures, f)
			}
			if s.lo < 0 {
				s.lo = 0
			}
			p = p.times(s)
			if i > 0 {
				text += " × "
			}
			text += word
		}
		return p, text, published(figures...), p.at > 0
	}
}

var identityUnits = map[string]importer.Unit{
	"requests": importer.None, "time": importer.Seconds, "time_per_request": importer.Seconds, "time_per_request_across": importer.Seconds, "throughput": importer.BPerSec,
	"total_transferred": importer.Bytes, "transferred": importer.Bytes, "body_throughput": importer.BPerSec, "body_transferred": importer.Bytes, "html_transferred": importer.Bytes, "document_length": importer.Bytes,
}

var identities = []identity{
	{"R1", "time per request × requests = connections × time", product(identityUnits, "time_per_request", "requests"), product(identityUnits, "connections", "time")},
	{"R1", "time per request × requests = time", product(identityUnits, "time_per_request_across", "requests"), product(identityUnits, "time")},
	{"R4", "bytes per second × time = bytes", product(identityUnits, "throughput", "time"), product(identityUnits, "total_transferred")},
	{"R4", "bytes per second × time = bytes", product(identityUnits, "throughput", "time"), product(identityUnits, "transferred")},
	{"R4", "bytes per second × time = bytes", product(identityUnits, "body_throughput", "time"), product(identityUnits, "body_transferred")},
	{"R4", "body × requests = bytes of bodies", product(identityUnits, "document_length", "requests"), product(identityUnits, "html_transferred")},
}

// identities checks what a tool has itself computed of its own figures.
func (j *judge) identities(r *importer.Row) {
	for _, id := range identities {
		left, lt, lf, ok1 := id.left(r)
		right, rt, rf, ok2 := id.right(r)
		if !ok1 || !ok2 {
			continue
		}
		f := Finding{
			Rule: id.rule, Kind: id.kind, Verdict: Sound, Row: r, Figures: append(lf, rf...), off: math.Abs(left.gap(right)) + 1,
			Text: fmt.Sprintf("%s = %s, and %s", lt, number(left.at), rt),
		}
		if math.Abs(left.gap(right)) > 0.01 {
			f.Verdict = Impossible
			f.Text = fmt.Sprintf("%s = %s, but %s = %s", lt, number(left.at), rt, number(right.at))
		}
		j.add(f)
	}
}

var benchN = regexp.MustCompile(`^go test -bench\b.*\bN=([0-9]+)`)

// goBench checks what go test -bench prints: it raises N until N operations take a second.
func (j *judge) goBench(r *importer.Row) {
	if allocs, bytes := r.One("allocs/op", "allocs_op"), r.One("B/op", "b_op"); allocs != nil && bytes != nil {
		f := Finding{
			Rule: "R9", Kind: "allocations and their bytes", Verdict: Sound, Row: r, Figures: published(allocs, bytes), off: 1,
			Text: fmt.Sprintf("%s allocations of %s bytes in all", number(allocs.Value), number(bytes.Value)),
		}
		if bytes.Hi < allocs.Lo || allocs.Value == 0 && bytes.Lo > 1 {
			f.Verdict = Impossible
		}
		j.add(f)
	}
	m, ns := benchN.FindStringSubmatch(r.Load), r.One("ns/op", "ns_op")
	if m == nil || ns == nil {
		return
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n <= 0 {
		return
	}
	t := exactly(n * 1e-9).times(of(ns))
	f := Finding{
		Rule: "R1", Kind: "operations × time of one", Verdict: Sound, Row: r, Figures: published(ns), off: t.at,
		Text: fmt.Sprintf("%s × %s = %s, and go test goes on for at least a second", number(n), ns.Text, timeText(t.at)),
	}
	if t.hi < 1 {
		f.Verdict = Doubtful
		f.Text = fmt.Sprintf("%s × %s = %s, but go test goes on for at least a second unless it is told otherwise", number(n), ns.Text, timeText(t.at))
	}
	j.add(f)
}
