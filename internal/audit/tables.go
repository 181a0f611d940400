package audit

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"dyno/internal/importer"
)

// group is what stands side by side in a table: the contestants of one scenario at one level, measured together.
type group struct {
	source, date, suite, scenario, load string
	connections                         int
}

// byGroup sorts rows into groups; order is that of their first rows. Editions do not tell groups apart, for each contestant may have its
// own.
func byGroup(rows []*importer.Row) (groups map[group][]*importer.Row, order []group) {
	groups = map[group][]*importer.Row{}
	for _, r := range rows {
		k := group{r.Source, r.Date, r.Suite, r.Scenario, r.Load, r.Connections}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], r)
	}
	return groups, order
}

// steady are the metrics of which two runs with nothing changed come out alike; maxima and errors do not.
var steady = []string{"rps", "rps_mean", "latency_mean", "p50", "throughput", "throughput_rw", "document_length"}

// twice is R8: one row, one metric, two values.
func (j *judge) twice() {
	for _, r := range j.rows {
		if r.Contestant == "" { // nothing says that its lines are of the same thing
			continue
		}
		seen := map[string]*importer.Figure{}
		for _, f := range r.Figures {
			if f.Prose || f.Derived || f.Missing || f.Many > 0 || f.Value <= 0 || !slices.Contains(steady, f.Metric) {
				continue
			}
			first := seen[f.Metric]
			if first == nil {
				seen[f.Metric] = f
				continue
			}
			ratio := max(f.Value/first.Value, first.Value/f.Value)
			apart := max(of(f).gap(of(first)), of(first).gap(of(f)))
			if apart == 0 && first.Table == f.Table {
				continue
			}
			t := Finding{
				Rule: "R8", Kind: "one figure, two values", Verdict: CannotTell, Row: r, Figures: published(first, f), off: ratio,
				Text: fmt.Sprintf("%s (%s) and %s (%s), %s times apart", first.Text, tableOf(first), f.Text, tableOf(f), timesApart(ratio)),
				Note: "two runs: so far apart are they with nothing changed",
			}
			switch {
			case apart > 1:
				t.Verdict, t.Note = Impossible, "they cannot both be of what they are published for"
			case apart > slack && first.Table != f.Table:
				t.Verdict = Doubtful
			}
			j.add(t)
		}
	}
}

// tableOf is where a figure stands, by the name of its table if it has one.
func tableOf(f *importer.Figure) string { return cmp.Or(f.Table, fmt.Sprintf("line %d", f.Line)) }

func timesApart(v float64) string {
	if v < 2 {
		return fmt.Sprintf("%.3f", v)
	}
	return number(v)
}

// versionForm matches what in a contestant's name changes from edition to edition.
var versionForm = regexp.MustCompile(`\s*\([^)]*\)|\s+v?[0-9]+(?:\.[0-9]+)*\b`)

// measured are the metrics that a new run would change.
func measured(f *importer.Figure) bool {
	switch f.Unit {
	case importer.PerSec, importer.BPerSec, importer.Seconds, importer.Bytes:
		return f.Metric != "document_length" && f.Metric != "heap_bytes" && !f.Missing && f.Many == 0 && !f.Prose && !f.Derived
	}
	return false
}

// cell is a figure's place in the tables of a source, whatever their date.
type cell struct {
	source, suite, scenario, contestant, metric string
	connections                                 int
}

// column is one metric of one table.
type column struct{ source, suite, metric, date, table string }

func cellOf(f *importer.Figure) cell {
	r := f.Row
	return cell{r.Source, r.Suite, r.Scenario, versionForm.ReplaceAllString(r.Contestant, ""), f.Metric, r.Connections}
}

func columnOf(f *importer.Figure) column {
	c := column{f.Row.Source, f.Row.Suite, f.Metric, f.Row.Date, f.Table}
	if f.Table == f.Row.Edition { // a page, of which each contestant has its own part, not a file
		c.table = ""
	}
	return c
}

// stale is R8: three in four or more of a table's values of one metric are, contestant by contestant, those of earlier dates.
func (j *judge) stale() {
	cells := map[cell][]*importer.Figure{}
	for _, r := range j.rows {
		for _, f := range r.Figures {
			if measured(f) && r.Date != "" && r.Contestant != "" {
				cells[cellOf(f)] = append(cells[cellOf(f)], f)
			}
		}
	}
	same, known := map[column][]*importer.Figure{}, map[column]int{}
	var order []column
	for _, r := range j.rows {
		for _, f := range r.Figures {
			if !measured(f) || r.Date == "" || r.Contestant == "" {
				continue
			}
			older, match := false, false
			before := cells[cellOf(f)]
			for _, e := range before[:min(len(before), most)] {
				if e.Row.Date < r.Date {
					older, match = true, match || e.Text == f.Text && e.Digits >= 2
				}
			}
			c := columnOf(f)
			if older {
				if known[c]++; known[c] == 1 {
					order = append(order, c)
				}
			}
			if match {
				same[c] = append(same[c], f)
			}
		}
	}
	for _, c := range order {
		digits := 0
		for _, f := range same[c] {
			digits += f.Digits
		}
		if 4*len(same[c]) < 3*known[c] || len(same[c]) < 2 || digits < 8 { // fewer may be the same by chance
			continue
		}
		for _, f := range same[c] {
			j.add(Finding{
				Rule: "R8", Kind: "carried over from an earlier date", Verdict: Doubtful, Row: f.Row, Figures: published(f), off: 1,
				Text: fmt.Sprintf("%s of %s is, to the last digit, that of an earlier date, as are %d of %d in its table", f.Text, f.Metric, len(same[c]), known[c]),
				Note: "an old value beside new ones; it was not measured with them",
			})
		}
	}
}

// copied is R6 as far as a table shows it: two contestants, all figures the same.
func (j *judge) copied() {
	groups, order := byGroup(j.rows)
	for _, k := range order {
		if lo, hi, n := spread(groups[k]); n > 2 && hi < 1.1*lo {
			continue // so close together some are the same by chance
		}
		seen := map[string]*importer.Row{}
		for _, r := range groups[k] {
			var signature strings.Builder
			digits, values := 0, 0
			for _, f := range r.Figures {
				if measured(f) && f.Value > 0 {
					fmt.Fprintf(&signature, "%s=%s;", f.Metric, f.Text)
					digits, values = digits+f.Digits, values+1
				}
			}
			if values < 2 || digits < 9 {
				continue
			}
			first := seen[signature.String()]
			if first == nil {
				seen[signature.String()] = r
				continue
			}
			if first.Contestant == r.Contestant {
				continue
			}
			j.add(Finding{
				Rule: "R6", Kind: "two contestants, the same figures", Verdict: Doubtful, Row: r, Figures: published(append(first.Figures[:len(first.Figures):len(first.Figures)], r.Figures...)...),
				Text: fmt.Sprintf("all %d figures are those of %s", values, first.Contestant), off: 1,
				Note: "one server answered for both, or a line was copied",
			})
		}
	}
}

// spread is the least and the largest rate of a group, and how many there are.
func spread(rows []*importer.Row) (lo, hi float64, n int) {
	lo = math.Inf(1)
	for _, r := range rows {
		for _, f := range rates(r) {
			lo, hi, n = min(lo, f.Value), max(hi, f.Value), n+1
		}
	}
	return lo, hi, n
}

// whole stands for all rows of a group.
func whole(r *importer.Row) *importer.Row {
	all := *r
	all.Contestant, all.Figures = "", nil
	return &all
}

// power is R7: contestants that all sit at the ceiling of the load, or are no further apart than a run is from its repetition, are not
// compared by it. Nothing is said of the figures, only of their order.
func (j *judge) power() {
	bad := map[*importer.Figure]bool{}
	for _, f := range j.found {
		for _, fig := range f.Figures {
			bad[fig] = bad[fig] || f.Verdict == Impossible
		}
	}
	groups, order := byGroup(j.rows)
	for _, k := range order {
		var values, noise []float64
		row := whole(groups[k][0])
		for _, r := range groups[k] {
			list := rates(r)
			if len(list) == 0 || bad[list[0]] || list[0].Prose {
				continue
			}
			values = append(values, list[0].Value)
			if len(list) > 1 && !bad[list[1]] {
				noise = append(noise, math.Abs(math.Log(list[0].Value/list[1].Value)))
			}
		}
		if len(values) < 2 {
			continue
		}
		lo, hi := values[0], values[0]
		for _, v := range values {
			lo, hi = min(lo, v), max(hi, v)
		}
		apart := hi/lo - 1
		f := Finding{Rule: "R7", Kind: "who is faster", Verdict: CannotTell, Row: row, off: 1 / max(apart, 1e-9)}
		what := fmt.Sprintf("%d contestants lie within %s", len(values), percent(apart))
		all := 0.0
		if row.Delay > 0 {
			all = float64(k.connections) / row.Delay
		}
		switch {
		case all > 0 && lo > 0.9*all:
			f.Text = fmt.Sprintf("%s, all above %s of %s connections ÷ %s = %s", what, percent(lo/all), number(float64(k.connections)), timeText(row.Delay), rateText(all))
			f.Note = "the ceiling of the load was measured, not the contestants"
		case len(noise) >= 3 && apart <= math.Exp(2*quantile(noise, 0.9))-1:
			f.Text = fmt.Sprintf("%s, and of one and the same contestant two runs differ by up to %s (nine in ten)", what, percent(math.Exp(quantile(noise, 0.9))-1))
			f.Note = "what lies between the contestants may be chance"
		default:
			continue
		}
		j.add(f)
	}
}

func percent(share float64) string {
	return strings.Replace(fmt.Sprintf("%.2g %%", 100*share), "e+02", "00", 1)
}

// quantile is the value below which the share q of the list lies.
func quantile(list []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(list))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

// processes is R10 as far as a table shows it: a contestant that is seen to run as several processes beside others that are not.
func (j *judge) processes() {
	groups, order := byGroup(j.rows)
	for _, k := range order {
		for _, r := range groups[k] {
			if r.Processes < 2 || len(groups[k]) < 2 || len(rates(r)) == 0 {
				continue
			}
			j.add(Finding{
				Rule: "R10", Kind: "processes", Verdict: CannotTell, Row: r, off: float64(r.Processes),
				Text: fmt.Sprintf("%s shows %d numbers where the others show one: it ran as %d processes", r.Contestant, r.Processes, r.Processes),
				Note: "whether the others used as many CPUs is not said",
			})
		}
	}
}

// prose is R11: a number in words must be that of the table.
func (j *judge) prose(r *importer.Row) {
	for _, p := range r.Figures {
		if !p.Prose {
			continue
		}
		for _, f := range r.All(p.Unit, p.Metric) {
			if f.Prose {
				continue
			}
			t := Finding{
				Rule: "R11", Kind: "prose and table", Verdict: Sound, Row: r, Figures: published(p), off: max(p.Value/f.Value, f.Value/p.Value),
				Text: fmt.Sprintf("the text says %s, and so does the table", p.Text),
			}
			if math.Abs(of(p).gap(of(f))) > 0 {
				t.Kind, t.Verdict = "prose that is not in the table", Impossible
				t.Text = fmt.Sprintf("the text says %s, but the table %s", p.Text, f.Text)
				if other := j.elsewhere(p); other != nil {
					t.Note = fmt.Sprintf("it is the figure of %s", name(other.Row))
				}
			}
			j.add(t)
		}
	}
}

// elsewhere finds a figure of the same source that is what the prose says.
func (j *judge) elsewhere(p *importer.Figure) *importer.Figure {
	for _, r := range j.rows {
		if r.Source != p.Row.Source || r == p.Row {
			continue
		}
		for _, f := range r.All(p.Unit, p.Metric) {
			if f.Value == p.Value {
				return f
			}
		}
	}
	return nil
}
