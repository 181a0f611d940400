package audit

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"dyno/internal/importer"
	"dyno/internal/report"
)

// tables groups rows that were measured together: the contestants in one scenario at one level.
// Tables are in the order of their first rows. Rows from different editions can be in one table,
// because each contestant may have its own edition.
func tables(rows []*importer.Row) [][]*importer.Row {
	type key struct {
		source, date, suite, scenario, load string
		connections                         int
	}
	index := map[key]int{}
	var out [][]*importer.Row
	for _, r := range rows {
		k := key{r.Source, r.Date, r.Suite, r.Scenario, r.Load, r.Connections}
		i, known := index[k]
		if !known {
			i = len(out)
			index[k], out = i, append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// steady are the metrics that hardly change from run to run, unlike maxima and errors.
var steady = []string{"rps", "rps_mean", "latency_mean", "p50", "throughput", "throughput_rw", "document_length"}

// twice applies R8: it finds two values for one metric in one row.
func (j *examiner) twice() {
	for _, r := range j.rows {
		if r.Contestant == "" { // nothing says that its lines mean the same thing
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
			// The larger figure's gap over the smaller is the positive one.
			apart := max(spanOf(f).gap(spanOf(first)), spanOf(first).gap(spanOf(f)))
			if apart == 0 && first.Table == f.Table {
				continue
			}
			t := j.check("R8", "one figure, two values", r, first, f)
			t.off = max(f.Value/first.Value, first.Value/f.Value)
			times := numberText(t.off)
			if t.off < 2 {
				times = fmt.Sprintf("%.3f", t.off)
			}
			t.say("%s (%s) and %s (%s), %s times apart", first.Text, tableOf(first), f.Text, tableOf(f), times)
			t.fail(CannotTell, t.Kind, "two runs: they differ by this much although nothing changed")
			switch {
			case apart > 1:
				t.fail(Impossible, t.Kind, "at least one of them does not belong to what it is published for")
			case apart > slack && first.Table != f.Table:
				t.Verdict = Doubtful
			}
		}
	}
}

// tableOf names a figure's table, or its line.
func tableOf(f *importer.Figure) string { return cmp.Or(f.Table, fmt.Sprintf("line %d", f.Line)) }

// versionForm matches the version in a contestant's name, which changes between editions.
var versionForm = regexp.MustCompile(`\s*\([^)]*\)|\s+v?[0-9]+(?:\.[0-9]+)*\b`)

// measuredUnits are the units of figures that a new run would change.
var measuredUnits = []importer.Unit{importer.PerSec, importer.BPerSec, importer.Seconds, importer.Bytes}

// measured reports whether a new run would change a printed figure.
func measured(f *importer.Figure) bool {
	return slices.Contains(measuredUnits, f.Unit) && f.Metric != "document_length" && f.Metric != "heap_bytes" &&
		!f.Missing && f.Many == 0 && !f.Prose && !f.Derived
}

// stale applies R8 to whole columns: at least three quarters of a table's values for one metric
// equal, contestant by contestant, those from earlier dates.
func (j *examiner) stale() {
	type cell [6]string // a figure's place in a source's tables, whatever their date
	type key struct{ source, suite, metric, date, table string }
	type column struct {
		same  []*importer.Figure // equal to one from an earlier date
		known int                // number of figures with an earlier date to compare with
	}
	cellOf := func(f *importer.Figure) cell {
		r := f.Row
		contestant := versionForm.ReplaceAllString(r.Contestant, "")
		return cell{r.Source, r.Suite, r.Scenario, contestant, f.Metric, strconv.Itoa(r.Connections)}
	}
	var all []*importer.Figure
	cells := map[cell][]*importer.Figure{}
	for _, r := range j.rows {
		for _, f := range r.Figures {
			if measured(f) && r.Date != "" && r.Contestant != "" {
				k := cellOf(f)
				all, cells[k] = append(all, f), append(cells[k], f)
			}
		}
	}
	columns := map[key]*column{}
	var order []*column
	for _, f := range all {
		older, match := false, false
		others := cells[cellOf(f)]
		for _, e := range others[:min(len(others), most)] {
			if e.Row.Date < f.Row.Date {
				older, match = true, match || e.Text == f.Text && e.Digits >= 2
			}
		}
		if !older {
			continue
		}
		k := key{f.Row.Source, f.Row.Suite, f.Metric, f.Row.Date, f.Table}
		if f.Table == f.Row.Edition { // a page in which each contestant has its own part, not a file
			k.table = ""
		}
		c := columns[k]
		if c == nil {
			c = &column{}
			columns[k], order = c, append(order, c)
		}
		c.known++
		if match {
			c.same = append(c.same, f)
		}
	}
	for _, c := range order {
		digits := 0
		for _, f := range c.same {
			digits += f.Digits
		}
		if 4*len(c.same) < 3*c.known || len(c.same) < 2 || digits < 8 { // fewer may be the same by chance
			continue
		}
		for _, f := range c.same {
			t := j.check("R8", "", f.Row, f)
			t.fail(Doubtful, "carried over from an earlier date",
				"an old value among new ones; it was not measured with them")
			t.say("%s of %s equals the value from an earlier date to the last digit, as do %d of %d in its table",
				f.Text, f.Metric, len(c.same), c.known)
		}
	}
}

// copied applies R6, as far as a table shows it: it finds two contestants with identical figures.
func (j *examiner) copied() {
	for _, rows := range tables(j.rows) {
		var values []float64
		for _, r := range rows {
			for _, f := range rates(r) {
				values = append(values, f.Value)
			}
		}
		if len(values) > 2 && slices.Max(values) < 1.1*slices.Min(values) {
			continue // so close together some are the same by chance
		}
		seen := map[string]*importer.Row{}
		var signature []byte
		for _, r := range rows {
			signature = signature[:0]
			digits, n := 0, 0
			for _, f := range r.Figures {
				if measured(f) && f.Value > 0 {
					signature = append(append(append(append(signature, f.Metric...), '='), f.Text...), ';')
					digits, n = digits+f.Digits, n+1
				}
			}
			if n < 2 || digits < 9 { // two honest measurements may agree in fewer digits
				continue
			}
			first := seen[string(signature)]
			if first == nil {
				seen[string(signature)] = r
			} else if first.Contestant != r.Contestant {
				t := j.check("R6", "", r, slices.Concat(first.Figures, r.Figures)...)
				t.fail(Doubtful, "two contestants, the same figures",
					"one server served both, or a line was copied")
				t.say("all %d figures are those of %s", n, first.Contestant)
			}
		}
	}
}

// power applies R7: a table does not compare contestants that are all at the load's ceiling, or no
// further apart than two runs with one contestant. The finding applies to their ranking and names
// no figures.
func (j *examiner) power() {
	j.mark()
	for _, rows := range tables(j.rows) {
		var values, noise []float64
		row := *rows[0] // represents all rows
		row.Contestant, row.Figures = "", nil
		for _, r := range rows {
			list := rates(r)
			if len(list) == 0 || verdict(list[0]) == Impossible || list[0].Prose {
				continue
			}
			values = append(values, list[0].Value)
			if len(list) > 1 && verdict(list[1]) != Impossible {
				noise = append(noise, math.Abs(math.Log(list[0].Value/list[1].Value)))
			}
		}
		if len(values) < 2 {
			continue
		}
		// In a closed loop each connection waits for the delay, which bounds all rates alike.
		low, c, ceiling, ninth := slices.Min(values), float64(row.Connections), 0.0, 0.0
		apart := slices.Max(values)/low - 1
		if row.Delay > 0 {
			ceiling = c / row.Delay
		}
		if len(noise) >= 3 { // nine in ten repetitions differ by less
			slices.Sort(noise)
			ninth = noise[int(0.9*float64(len(noise)))]
		}
		t := &Finding{}
		switch what := fmt.Sprintf("%d contestants lie within %s", len(values), percent(apart)); {
		case ceiling > 0 && low > 0.9*ceiling:
			t.fail(CannotTell, "ranking", "the ceiling of the load was measured, not the contestants")
			t.say("%s, all above %s of %s connections ÷ %s = %s",
				what, percent(low/ceiling), numberText(c), timeText(row.Delay), rateText(ceiling))
		// Each contestant may be off by ninth, in opposite directions.
		case len(noise) >= 3 && apart <= math.Exp(2*ninth)-1:
			t.fail(CannotTell, "ranking", "differences between the contestants may be chance")
			t.say("%s, and two runs of the same contestant differ by up to %s (in nine cases of ten)",
				what, percent(math.Exp(ninth)-1))
		default:
			continue
		}
		t.Rule, t.Row, t.off = "R7", &row, 1/max(apart, 1e-9)
		j.found = append(j.found, t)
	}
}

// percent prints a share with two significant digits, from 10 % without decimals.
func percent(share float64) string {
	if share >= 0.01 {
		return report.PerCent(share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}

// processes applies R10, as far as a table shows it: it finds a contestant that ran as several
// processes while the others did not.
func (j *examiner) processes() {
	for _, rows := range tables(j.rows) {
		for _, r := range rows {
			if r.Processes < 2 || len(rows) < 2 || len(rates(r)) == 0 {
				continue
			}
			t := j.check("R10", "", r)
			t.fail(CannotTell, "processes", "it is not stated whether the others used as many CPUs")
			t.say("%s shows %d numbers where the others show one: it ran as %[2]d processes", r.Contestant, r.Processes)
			t.off = float64(r.Processes)
		}
	}
}

// prose applies R11: a number in the prose must equal the table's.
func (j *examiner) prose(r *importer.Row) {
	for _, p := range r.Figures {
		if !p.Prose {
			continue
		}
		for _, f := range r.All(p.Unit, p.Metric) {
			if f.Prose {
				continue
			}
			t := j.check("R11", "prose and table", r, p)
			t.say("the text says %s, and so does the table", p.Text)
			t.off = max(p.Value/f.Value, f.Value/p.Value)
			if spanOf(p).gap(spanOf(f)) != 0 {
				t.fail(Impossible, "prose that contradicts the table", "")
				t.say("the text says %s, but the table %s", p.Text, f.Text)
				if other := j.elsewhere(p); other != nil {
					t.Note = "it is the figure for " + name(other.Row)
				}
			}
		}
	}
}

// elsewhere finds a figure from the same source that has the prose's value, in another row.
func (j *examiner) elsewhere(p *importer.Figure) *importer.Figure {
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
