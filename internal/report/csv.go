package report

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// line is one figure of a run for programs: a row in CSV and run.json. doc/format.md
// describes the columns.
type line struct {
	contestant, level, metric, unit string
	judge.Estimate                  // NaN or infinite: no value, or no bound
	ratio                           judge.Estimate
	verdict                         string
	notes                           []string
}

// noEstimate has no numbers.
var noEstimate = judge.Estimate{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}

// runLines states the machine on which the figures were measured and, if the run ranks nobody, the
// kind of run.
func (v *View) runLines() []line {
	lines := []line{
		{metric: "scenario", Estimate: noEstimate, notes: []string{cmp.Or(v.run.Plan.Scenario, "not recorded")}},
		{metric: "cpu", Estimate: noEstimate, notes: []string{cmp.Or(strings.Join(v.cpus(), "; "), "unknown")}},
	}
	if label := v.label(); label != "" {
		lines = append(lines, line{metric: "label", Estimate: noEstimate, notes: []string{label}})
	}
	return lines
}

var csvHead = []string{"contestant", "level", "metric", "unit", "value", "lo", "hi", "epochs", "ratio", "ratio_lo",
	"ratio_hi",
	"verdict", "notes"}

// fields returns a line's columns.
func (l *line) fields() []string {
	numbers := []string{decimal(l.Value), decimal(l.Lo), decimal(l.Hi), "", "", "", ""}
	if l.N > 0 {
		numbers[3] = strconv.Itoa(l.N)
	}
	if r := l.ratio; r.N > 0 {
		numbers[4], numbers[5], numbers[6] = decimal(r.Value), decimal(r.Lo), decimal(r.Hi)
	}
	return slices.Concat([]string{l.contestant, l.level, l.metric, l.unit}, numbers,
		[]string{l.verdict, strings.Join(l.notes, "; ")})
}

// rowsJSON returns the lines as objects, without empty columns.
func rowsJSON(lines []line) []map[string]any {
	rows := []map[string]any{}
	for _, l := range lines {
		row := map[string]any{}
		for i, x := range l.fields() {
			switch {
			case x == "":
			case i > 3 && i < 11:
				row[csvHead[i]] = json.Number(x)
			default:
				row[csvHead[i]] = x
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// CSV writes a row for each figure of a run, below a header.
func CSV(w io.Writer, d *Data) error {
	rows := [][]string{csvHead}
	for _, l := range viewOf(d).lines() {
		row := l.fields()
		for i := range row {
			row[i] = document.CSVCell(row[i])
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// lines returns a figure and, if it covers several epochs or loads, their range.
func (r *Row) lines(level string, m judge.Metric, f *Figure) []line {
	l := line{contestant: r.Name, level: level, metric: m.Name, unit: m.Unit, Estimate: f.Estimate, ratio: f.Ratio,
		verdict: "measured", notes: r.Data}
	switch {
	case f.Absent != "":
		l.Estimate, l.ratio, l.verdict = noEstimate, judge.Estimate{}, "absent"
		if f.Absent == r.Excluded {
			l.verdict = "excluded"
		}
		l.notes = append([]string{f.Absent}, r.Data...)
		return []line{l}
	case f.Bound:
		l.verdict = "lower bound"
	case r.Control:
		l.verdict = "control"
	}
	span := l
	if n := f.Ratio.N; n > 0 && n != f.N {
		l.notes = append(slices.Clip(r.Data), "ratio of "+document.Count(n, "epoch"))
	}
	if f.Least >= f.Most {
		return []line{l}
	}
	span.metric, span.Estimate, span.ratio = m.Name+"_range",
		judge.Estimate{Value: math.NaN(), Lo: f.Least, Hi: f.Most, N: f.N}, judge.Estimate{}
	return []line{l, span}
}

// single returns a row's figure without an interval.
func (r *Row) single(level, metric, unit string, value float64) line {
	return line{contestant: r.Name, level: level, metric: metric, unit: unit, verdict: "measured",
		Estimate: judge.Estimate{Value: value, Lo: math.NaN(), Hi: math.NaN()}}
}

// shareLines returns the share of the generator's ceiling that a row reaches, if it is known.
func (r *Row) shareLines(level string, shares map[string]float64) []line {
	if x, ok := shares[r.Name]; ok && r.Excluded == "" {
		return []line{r.single(level, "ceiling_share", "share", x)}
	}
	return nil
}

// startLines returns the figures about a row's starts, and its rank.
func (r *Row) startLines() (lines []line) {
	if r.Excluded != "" && !r.elsewhere {
		return nil
	}
	for _, c := range startColumns {
		if e := c.Of(r.Starts); e.N > 0 {
			l := line{contestant: r.Name, metric: c.Name, unit: c.Unit, Estimate: e, verdict: "measured"}
			if c.Name == "warm_up" {
				l.notes = NonEmpty(classesText(r.Starts))
			}
			lines = append(lines, l)
		}
	}
	if p := r.Place; p.Lo > 0 {
		rank := judge.Estimate{Value: math.NaN(), Lo: float64(p.Lo), Hi: float64(p.Hi)}
		lines = append(lines, line{contestant: r.Name, metric: "rank", Estimate: rank, verdict: "measured"})
	}
	return lines
}

// pairLines returns the comparisons. Their level column names both levels.
func pairLines(pairs []judge.Pair, level func(record.Cell) string) (lines []line) {
	both := func(a, b string) string {
		if a == b {
			return a
		}
		return a + " ÷ " + b
	}
	for _, p := range pairs {
		m, _ := judge.MetricNamed(p.Metric)
		l := line{contestant: both(p.A, p.B), level: both(level(p.CellA()), level(p.CellB())), metric: p.Metric, unit: m.Unit,
			Estimate: noEstimate, ratio: p.Ratio, verdict: string(p.Verdict),
			notes: NonEmpty("p = "+cmp.Or(decimal(p.P), "unknown"), document.Clean(p.Note))}
		if l.N = p.Ratio.N; l.N == 0 {
			l.verdict, l.notes = "absent", []string{noRatio(p)}
		}
		lines = append(lines, l)
	}
	return lines
}

// countLines returns the number of requests with right answers, and the errors.
func (r *Row) countLines(level string, requests int64, errors map[string]int64) []line {
	sum := int64(0)
	for _, n := range errors {
		sum += n
	}
	failed := r.single(level, "errors", "", float64(sum))
	if sum > 0 {
		failed.notes = []string{errorsText(errors)}
	}
	return []line{r.single(level, "requests", "", float64(requests)), failed}
}

// lines returns all figures of the run: those of each row at all levels, then the service's and
// other load generators', then the comparisons.
func (v *View) lines() (lines []line) {
	lines = v.runLines()
	for _, r := range v.all() {
		lines = slices.Concat(lines, v.levelLines(r), r.startLines())
		if v.single {
			n, errs := v.totals(r)
			lines = append(lines, r.countLines(v.names[0], n, errs)...)
		}
		for _, m := range v.metrics {
			if e, _, _ := judge.Unloaded(v.run, r.Name, m); e.N > 0 {
				lines = append(lines, r.lines("before the first load", m, &Figure{Estimate: e})...)
			}
		}
	}
	for _, a := range v.Alone {
		r, rate := Row{Name: v.run.Plan.Source()}, judge.ClassicNamed("throughput")
		e := judge.Estimate{Value: a.PerSec, Lo: math.NaN(), Hi: math.NaN(), N: a.Loads}
		lines = append(lines, r.lines(judge.LevelName(a.At), rate, &Figure{Estimate: e, Least: a.Least, Most: a.Most})...)
	}
	return slices.Concat(lines, pairLines(v.a.Pairs, v.levelAt))
}

// levelLines returns a row's figures at all levels.
func (v *View) levelLines(r Row) (lines []line) {
	for i := range v.levels {
		for _, m := range v.metricsAt(i) {
			lines = append(lines, r.lines(v.names[i], m, v.figure(r, m, i))...)
		}
		if a := v.levels[i].Analysis; a != nil {
			lines = append(lines, r.shareLines(v.names[i], a.Shares)...)
		}
	}
	return lines
}

// decimal formats a number with all its digits; "" if it is not finite.
func decimal(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
