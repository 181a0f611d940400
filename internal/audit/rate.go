package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/importer"
)

// pace is a row's rate: as printed, or requests ÷ time.
type pace struct {
	span
	text    string
	sum     string // how it was computed, for requests ÷ time
	figures []*importer.Figure
	sampled bool // a mean of samples, which need not be requests ÷ time
}

// duration returns the length of a row's load: as printed, or else as planned. f is the printed
// figure, or nil.
func duration(r *importer.Row) (t span, text string, f *importer.Figure) {
	if f = r.One(importer.Seconds, "time"); f != nil {
		return spanOf(f), f.Text, f
	}
	// A generator goes on a little after its time is over.
	return span{r.Planned, r.Planned, 1.02*r.Planned + 0.1}, timeText(r.Planned), nil
}

// overTime returns requests ÷ time; ok is false if a row lacks one of them.
func overTime(r *importer.Row) (p pace, ok bool) {
	n := r.One(importer.None, "requests")
	t, text, printed := duration(r)
	if n == nil || !t.usable() || !spanOf(n).usable() {
		return pace{}, false
	}
	s := spanOf(n).over(t)
	sum, rate := numberText(n.Value)+" ÷ "+text, rateText(s.at)
	return pace{
		span: s, text: fmt.Sprintf("%s (%s)", rate, sum), sum: sum + " = " + rate,
		figures: []*importer.Figure{n, printed},
	}, true
}

// rightOverTime returns right answers ÷ time, if a row counts answers by class.
func rightOverTime(r *importer.Row) (p pace, ok bool) {
	n := 0.0
	for _, f := range r.All(importer.None, "http2xx", "http3xx") {
		n += f.Value
	}
	t, text, _ := duration(r)
	s := exactly(n)
	if !s.usable() || !t.usable() {
		return pace{}, false
	}
	s = s.over(t)
	return pace{span: s, sum: numberText(n) + " ÷ " + text + " = " + rateText(s.at)}, true
}

// most limits the number of rates, or latencies, checked per row, because each is compared with
// each; real tables have fewer.
const most = 32

// rates returns a row's printed rates, in requests per second.
func rates(r *importer.Row) []*importer.Figure {
	return usable(r.All(importer.PerSec, "rps", "rps_mean"))
}

// latencies returns a row's mean latencies.
func latencies(r *importer.Row) []*importer.Figure {
	return usable(r.All(importer.Seconds, "latency_mean"))
}

// usable returns the figures that can be multiplied and divided, at most most.
func usable(figures []*importer.Figure) []*importer.Figure {
	list := slices.DeleteFunc(figures, func(f *importer.Figure) bool { return !spanOf(f).usable() })
	return list[:min(len(list), most)]
}

// paces returns the rates to compute with. If a mean over samples differs from requests ÷ time, the
// latter counts; otherwise both do.
func paces(r *importer.Row) []pace {
	var list []pace
	quotient, known := overTime(r)
	for _, f := range rates(r) {
		mean := f.Metric == "rps_mean"
		p := pace{span: spanOf(f), text: rateText(f.Value), figures: []*importer.Figure{f}, sampled: mean && !known}
		if mean && known && !timeAtFault(r, f, quotient) {
			if p.apart(quotient.span) > slack {
				p = quotient
			} else {
				p.lo, p.hi = min(p.lo, quotient.lo), max(p.hi, quotient.hi)
			}
		}
		list = append(list, p)
	}
	if len(list) == 0 && known {
		list = append(list, quotient)
	}
	return list
}

// timeAtFault reports whether Little's law holds with the printed rate, but not with quotient, which
// is requests ÷ time.
func timeAtFault(r *importer.Row, rate *importer.Figure, quotient pace) bool {
	c := exactly(float64(r.Connections))
	return closed(r) && slices.ContainsFunc(latencies(r), func(l *importer.Figure) bool {
		return !l.Prose && spanOf(rate).times(spanOf(l)).apart(c) <= slack && quotient.times(spanOf(l)).apart(c) > slack
	})
}

// sampledAlike is the largest share by which a published mean over samples differs from requests ÷
// time, if the load generator is not known to print one: bombardier's rates that are in doubt for
// no other reason are up to 24 % off.
const sampledAlike = 0.25

// mayBeSampled reports whether a rate may be a mean over samples, which is a different
// average.
func mayBeSampled(r *importer.Row, rate *importer.Figure, gap float64) bool {
	return rate.Metric == "rps_mean" || gap <= sampledAlike &&
		(r.Tool == "" || r.Tool == "bombardier" || r.Tool == "plow")
}

// rate applies R1: the printed rate must be requests ÷ time, or right answers ÷ time. A mean over
// samples may differ; Little's law then shows which is wrong.
func (j *examiner) rate(r *importer.Row) {
	quotient, ok := overTime(r)
	if !ok {
		return
	}
	for _, f := range rates(r) {
		if f.Derived || f.Prose {
			continue
		}
		t := j.check("R1", "rate is requests ÷ time", r, append([]*importer.Figure{f}, quotient.figures...)...)
		gap := spanOf(f).apart(quotient.span)
		t.off = gap + 1
		if gap <= slack {
			t.say("%s, and the rate is %s", quotient.sum, rateText(f.Value))
			continue
		}
		if right, ok := rightOverTime(r); ok && spanOf(f).apart(right.span) <= slack {
			t.say("%s, and the rate is %s: it counts only right answers", right.sum, rateText(f.Value))
			continue
		}
		t.say("%s, but the rate is %s (%+.1f %%)", quotient.sum, rateText(f.Value), 100*(f.Value/quotient.at-1))
		switch {
		case timeAtFault(r, f, quotient):
			t.blameTime(r, f, quotient)
		case mayBeSampled(r, f, gap):
			t.fail(Doubtful, "rate is not requests ÷ time",
				"a mean over short samples weights slow and fast periods equally; the rate is requests ÷ time")
			t.concern(f)
		default:
			t.fail(Impossible, "rate is not requests ÷ time", "")
		}
	}
}

// blameTime reports that the printed time is wrong, because the rate and the latency agree with
// each other.
func (t *Finding) blameTime(r *importer.Row, rate *importer.Figure, quotient pace) {
	l, c, time := latencies(r)[0], float64(r.Connections), r.One(importer.Seconds, "time")
	verdict := Doubtful
	if rate.Metric == "rps" && !mayBeSampled(r, rate, spanOf(rate).apart(quotient.span)) || !r.Streams &&
		quotient.lo*l.Lo > c*(1+slack) || quotient.hi*l.Hi < c*half {
		verdict = Impossible
	}
	t.fail(verdict, "the time does not belong to these requests", "")
	t.concern(time)
	if time != nil { // otherwise the planned one
		t.Note = timeText(quotient.at/rate.Value*time.Value) + " would match"
	}
	oneAtATime := ""
	if r.Streams {
		oneAtATime = " and one request at a time on each connection"
	}
	t.say("%s, but the rate is %s; with %s%s, %s would be %s requests in flight of %s connections, %s are %s: the "+
		"time is wrong",
		quotient.sum, rateText(rate.Value), l.Text, oneAtATime, rateText(quotient.at),
		numberText(quotient.at*l.Value), numberText(c),
		rateText(rate.Value), numberText(rate.Value*l.Value))
}

// identities are products that a tool computes from its own figures: left and right name the
// factors on each side, by metric; "connections" is the row's.
var identities = []struct {
	rule, kind  string
	left, right []string
}{
	{"R1", "time per request × requests = connections × time",
		[]string{"time_per_request", "requests"}, []string{"connections", "time"}},
	{"R1", "time per request × requests = time", []string{"time_per_request_across", "requests"}, []string{"time"}},
	{"R4", "bytes per second × time = bytes", []string{"throughput", "time"}, []string{"total_transferred"}},
	{"R4", "bytes per second × time = bytes", []string{"throughput", "time"}, []string{"transferred"}},
	{"R4", "bytes per second × time = bytes", []string{"body_throughput", "time"}, []string{"body_transferred"}},
	{"R4", "body × requests = bytes of bodies", []string{"document_length", "requests"}, []string{"html_transferred"}},
}

// identityUnits are the units of the metrics in identities; others are in bytes.
var identityUnits = map[string]importer.Unit{
	"requests": importer.None, "time": importer.Seconds, "time_per_request": importer.Seconds,
	"time_per_request_across": importer.Seconds, "throughput": importer.BPerSec, "body_throughput": importer.BPerSec,
}

// product multiplies a row's figures by name. ok is false if one is missing or negative, or the
// product is 0.
func product(r *importer.Row, names []string) (p span, text string, figures []*importer.Figure, ok bool) {
	p = exactly(1)
	var words []string
	for _, n := range names {
		if n == "connections" {
			p = p.times(exactly(float64(r.Connections)))
			words = append(words, numberText(float64(r.Connections))+" connections")
			continue
		}
		unit, named := identityUnits[n]
		if !named {
			unit = importer.Bytes
		}
		f := r.One(unit, n)
		if f == nil || f.Value < 0 {
			return p, "", nil, false
		}
		p = p.times(span{max(f.Lo, 0), f.Value, f.Hi})
		words, figures = append(words, f.Text), append(figures, f)
	}
	return p, strings.Join(words, " × "), figures, p.at > 0
}

// identities checks the figures that a tool computed from its other figures, with a tolerance of 1
// % for rounding.
func (j *examiner) identities(r *importer.Row) {
	for _, id := range identities {
		left, leftText, leftFigures, ok1 := product(r, id.left)
		right, rightText, rightFigures, ok2 := product(r, id.right)
		if !ok1 || !ok2 {
			continue
		}
		t := j.check(id.rule, id.kind, r, slices.Concat(leftFigures, rightFigures)...)
		t.say("%s = %s, and %s", leftText, numberText(left.at), rightText)
		t.off = left.apart(right) + 1
		if left.apart(right) > 0.01 {
			t.Verdict = Impossible
			t.say("%s = %s, but %s = %s", leftText, numberText(left.at), rightText, numberText(right.at))
		}
	}
}

// benchN finds the number of operations in a row's command.
var benchN = regexp.MustCompile(`^go test -bench\b.*\bN=([0-9]+)`)

// goBench checks figures from go test -bench, which increases N until N operations take a second.
func (j *examiner) goBench(r *importer.Row) {
	if allocs, bytes := r.One("allocs/op", "allocs_op"), r.One("B/op", "b_op"); allocs != nil && bytes != nil {
		t := j.check("R9", "allocations and their bytes", r, allocs, bytes)
		t.say("%s allocations of %s bytes in all", numberText(allocs.Value), numberText(bytes.Value))
		if bytes.Hi < allocs.Lo || allocs.Value == 0 && bytes.Lo > 1 {
			t.Verdict = Impossible
		}
	}
	m, ns := benchN.FindStringSubmatch(r.Load), r.One("ns/op", "ns_op")
	if m == nil || ns == nil {
		return
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n <= 0 {
		return
	}
	took := exactly(n * 1e-9).times(spanOf(ns))
	t := j.check("R1", "operations × time of one", r, ns)
	t.off = took.at
	t.say("%s × %s = %s, and go test runs for at least a second", numberText(n), ns.Text, timeText(took.at))
	if took.hi < 1 {
		t.Verdict = Doubtful
		t.say("%s × %s = %s, but by default go test runs for at least a second",
			numberText(n), ns.Text, timeText(took.at))
	}
}
