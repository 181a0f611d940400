package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// leastEpochs is the smallest number of epochs for a median's 95 % interval (stats.MedianCI).
const leastEpochs = 6

// levelList lists all levels, named ones with their values.
func (v *View) levelList() string {
	var all []string
	for i, l := range v.levels {
		text := v.names[i]
		if l.Name != "" {
			text += " (" + judge.LevelName(l.At) + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// Figure is a contestant's result at one level, under one metric.
type Figure struct {
	judge.Estimate                // median over the level's epochs, and its interval
	Least, Most    float64        // smallest and largest epoch
	Ratio          judge.Estimate // ratio to the reference
	Bound          bool           // a lower bound, because the contestant is at the generator's ceiling
	Absent         string         // why there is no figure
}

// Open reports whether there are too few epochs for an interval.
func (f *Figure) Open() bool { return math.IsInf(f.Lo, 0) || math.IsInf(f.Hi, 0) }

// Bounds returns the interval's bounds or, without an interval, the smallest and the largest epoch.
func (f *Figure) Bounds() (lo, hi float64) {
	if f.Open() {
		return f.Least, f.Most
	}
	return f.Lo, f.Hi
}

// side returns the text beside a figure: its interval, "±2.3 %", or why it has none.
func (f *Figure) side() string {
	if f.Open() {
		return "(" + document.Count(f.N, "epoch") + ")"
	}
	return widestSide(f.Value, f.Lo, f.Hi)
}

// legend explains the widths of intervals, and the ranges in place of figures.
func (v *View) legend() (list []string) {
	if v.has(func(f *Figure) bool { return f.Absent == "" && !f.Open() }) {
		list = append(list, "± is the 95 % interval of a level.")
	}
	if v.has(func(f *Figure) bool { return f.Absent == "" && f.Open() && f.N > 1 }) {
		list = append(list, fmt.Sprintf("1,000–1,200: from the lowest epoch to the highest; an interval needs %d epochs.",
			leastEpochs))
	}
	return list
}

// Cell returns the figure as a table cell; of too few epochs for an interval, the range.
func (f *Figure) Cell(scale judge.Scale) document.Cell {
	if f.Absent != "" {
		return document.Cell{Absent: f.Absent}
	}
	value, side := document.Sig3(f.Value/scale.Per), f.side()
	if f.Open() && f.N > 1 {
		value, side = document.Sig3(f.Least/scale.Per)+"–"+document.Sig3(f.Most/scale.Per), ""
	}
	if f.Bound {
		value = "≥ " + value
	}
	return document.Cell{Value: value, Side: side}
}

// Point returns the figure as a point in a line chart, with a text that names it.
func (f *Figure) Point(at float64, name string, s judge.Scale) document.Point {
	p := document.Point{At: at, Value: f.Value, Absent: f.Absent != ""}
	if p.Absent {
		return p
	}
	p.Lo, p.Hi = f.Bounds()
	p.Open, p.Beyond = f.Open(), f.Bound
	p.Text = fmt.Sprintf("%s: %s (%s–%s)%s", name, document.Sig3(f.Value/s.Per), document.Sig3(p.Lo/s.Per),
		document.Sig3(p.Hi/s.Per), After(s))
	if p.Open {
		p.Text += ", a range and no interval"
	}
	return p
}

// notLoaded is the reason shown for a contestant that the plan does not load at a level. This is
// not a gap in the data.
const notLoaded = "it is not loaded at this level"

// missing says why a row has no trial at level i; "" if it has one.
func (v *View) missing(r Row, i int) string {
	switch l := &v.levels[i]; {
	case r.Excluded != "" && (!r.elsewhere || l.Analysis == v.a):
		return r.Excluded
	case l.Loaded != nil && !slices.Contains(l.Loaded, r.Name):
		return notLoaded
	case l.Absent[r.Name] != "":
		return document.Clean(l.Absent[r.Name])
	case l.Analysis == nil || !slices.ContainsFunc(l.Analysis.Cells,
		func(c judge.Cell) bool { return c.Contestant == r.Name && c.Level.N > 0 }):
		return "it has no valid trials"
	}
	return ""
}

// figure returns a row's figure at level i.
func (v *View) figure(r Row, m judge.Metric, i int) *Figure {
	if why := v.missing(r, i); why != "" {
		return &Figure{Absent: why}
	}
	l := &v.levels[i]
	c := l.Analysis.Cell(r.Name, m.Name)
	switch {
	case c == nil || c.Level.N == 0 && c.Absent == "":
		return &Figure{Absent: "it could not be read"}
	case c.Absent != "":
		return &Figure{Absent: document.Clean(c.Absent)}
	}
	return &Figure{Estimate: c.Level, Least: c.Least, Most: c.Most, Ratio: c.Ratio,
		Bound: m.AtCeiling && m.More && l.Analysis.Shares[r.Name] > judge.CeilingLimit}
}

// scale returns the scale for printing a metric at some levels, or at all if none is given.
func (v *View) scale(m judge.Metric, levels ...int) judge.Scale {
	return ScaleOf(m.Unit, v.values(m, levels...)...)
}

// columnHead returns a metric's column heading at some levels, or at all if none is given. It has no unit
// if there are no figures.
func (v *View) columnHead(m judge.Metric, levels ...int) string {
	if values := v.values(m, levels...); len(values) > 0 {
		return m.HeadIn(ScaleOf(m.Unit, values...).Name)
	}
	return m.HeadIn("")
}

// values returns a metric's figures at some levels, or at all if none is given.
func (v *View) values(m judge.Metric, levels ...int) (values []float64) {
	for _, r := range v.all() {
		if v.idles(m) {
			values = append(values, v.idleFigure(r, m).Value)
		}
		for i := range v.levels {
			if f := v.figure(r, m, i); f.Absent == "" && (len(levels) == 0 || slices.Contains(levels, i)) {
				values = append(values, f.Value)
			}
		}
	}
	return values
}

// has reports whether such is true for any figure, in rows that are not excluded.
func (v *View) has(such func(*Figure) bool) bool {
	for _, r := range v.all() {
		for i := range v.levels {
			for _, m := range v.metrics {
				if r.Excluded == "" && such(v.figure(r, m, i)) {
					return true
				}
			}
		}
	}
	return false
}

// any reports whether there is any figure.
func (v *View) any() bool { return v.has(func(f *Figure) bool { return f.Absent == "" }) }

// marks explains the marks that occur in the tables.
func (v *View) marks() (list []string) {
	if v.any() {
		list = append(list, "Each figure is the median over the epochs of its level.")
	}
	list = append(list, v.legend()...)
	if v.has(func(f *Figure) bool { return f.Bound }) {
		list = append(list, "≥: a lower bound, at the generator's ceiling.")
	}
	return append(list, v.edges()...)
}

// edges says at which levels rates do not come from a steady load.
func (v *View) edges() []string {
	var at []string
	for i := range v.levels {
		if n, _ := judge.Unsteady(v.levels[i].Trials); n > 0 {
			at = append(at, v.levels[i].Title())
		}
	}
	if at == nil {
		return nil
	}
	return []string{"Requests per second at " + strings.Join(at, ", ") + " are " + judge.UnsteadyText + "."}
}

// gaps says why figures are missing, one line for each contestant and reason.
func (v *View) gaps() (lines []string) {
	for _, r := range v.all() {
		if r.Excluded != "" {
			continue
		}
		lines = append(lines, v.grouped(r.Title, func(i int) string {
			return strings.TrimPrefix(v.missing(r, i),
				notLoaded)
		})...)
		for _, m := range v.metrics {
			lines = append(lines, v.grouped(r.Title+", "+m.Title, func(i int) string {
				if v.missing(r, i) != "" || m.Open() && !v.levels[i].At.Open() {
					return ""
				}
				return v.figure(r, m, i).Absent
			})...)
		}
	}
	return lines
}

// grouped returns a line for each reason, with the levels for which it applies.
func (v *View) grouped(who string, reason func(i int) string) (lines []string) {
	var reasons []string
	at := map[string][]string{}
	for i, name := range v.names {
		if why := reason(i); why != "" {
			if at[why] == nil {
				reasons = append(reasons, why)
			}
			at[why] = append(at[why], name)
		}
	}
	for _, why := range reasons {
		where := " at " + strings.Join(at[why], "; ")
		if len(at[why]) == len(v.names) {
			where = ""
		}
		lines = append(lines, who+where+": "+why)
	}
	return lines
}

// rowNotes returns notes on the figures, one line for each row.
func (v *View) rowNotes() (lines []string) {
	for _, r := range v.all() {
		if len(r.Notes) > 0 && r.Excluded == "" {
			lines = append(lines, r.Title+": "+strings.Join(r.Notes, "; "))
		}
	}
	return lines
}
