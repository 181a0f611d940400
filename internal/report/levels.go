package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// Level is one operating point of a run at several and what was found there.
type Level struct {
	Name     string       // that a study gives it; "": none
	At       record.Level // a share with the rate that it came to
	Loaded   []string     // contestants and controls that the plan loads here; nil: all
	Compared bool         // a comparison names it
	// of the trials at this level alone, without interim analyses: cells, ratios and shares of the
	// ceiling
	Analysis *judge.Analysis
	Trials   []*record.Trial       // valid, of this level
	Absent   map[string]string     // why a contestant has no valid trial here
	Kept     map[string]judge.Kept // of an open loop: whether each contestant kept the rate
}

// leastEpochs of one level make an interval of 95 % for a median (stats.MedianCI).
const leastEpochs = 6

// newLevels returns a view of the levels alone.
func newLevels(v *View) *manyLevels {
	s := &manyLevels{View: v}
	for _, l := range v.Levels {
		s.names = append(s.names, l.Title())
	}
	return s
}

// Title returns the name of the level, or its values if it has no name.
func (l *Level) Title() string {
	if l.Name != "" {
		return document.Clean(l.Name)
	}
	return LevelName(l.At)
}

// levelList returns all levels, those that have a name with their values.
func (s *manyLevels) levelList() string {
	var all []string
	for i, l := range s.Levels {
		text := s.names[i]
		if l.Name != "" {
			text += " (" + LevelName(l.At) + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// WorkName returns the name of the handlers' work.
func WorkName(work string) string {
	if work == record.CPUBound {
		return "CPU-bound"
	}
	return document.Clean(work)
}

// connections returns the number of a level's connections, and what is spoken on them.
func connections(l record.Level) string {
	s := document.Count(l.Connections, "connection")
	if l.HTTP != wire.Clear {
		s += " of " + l.HTTP.Words()
	}
	return s
}

// levelWords describes a level for sentences: its connections, and what else is not as by default.
func levelWords(l record.Level) (parts []string) {
	if l.Connections > 0 {
		parts = append(parts, connections(l))
	}
	switch {
	case l.Pipeline > 1 && l.HTTP.Two():
		parts = append(parts, document.Count(l.Pipeline, "stream")+" on each")
	case l.Pipeline > 1:
		parts = append(parts, fmt.Sprintf("%d requests in flight on each", l.Pipeline))
	}
	if l.DelayNS > 0 {
		parts = append(parts, "delay "+planned(l.DelayNS))
	}
	if l.Work != "" {
		parts = append(parts, WorkName(l.Work))
	}
	if l.CPUs > 0 {
		parts = append(parts, "servers on "+document.Count(l.CPUs, "CPU"))
	}
	return parts
}

// LevelName returns a level's values, its launch part first: "5 ms, c=100".
func LevelName(l record.Level) string {
	var parts []string
	if l.Scenario != "" {
		parts = append(parts, document.Clean(l.Scenario))
	}
	if l.HTTP != wire.Clear {
		parts = append(parts, l.HTTP.Words())
	}
	if l.Records > 0 {
		parts = append(parts, document.Count(l.Records, "record"))
	}
	if l.DelayNS > 0 {
		parts = append(parts, planned(l.DelayNS))
	}
	if l.Work != "" {
		parts = append(parts, WorkName(l.Work))
	}
	if l.CPUs > 0 {
		parts = append(parts, document.Count(l.CPUs, "CPU"))
	}
	parts = append(parts, fmt.Sprintf("c=%d", l.Connections))
	switch {
	case l.Pipeline > 1 && l.HTTP.Two():
		parts = append(parts, document.Count(l.Pipeline, "stream"))
	case l.Pipeline > 1:
		parts = append(parts, fmt.Sprintf("p=%d", l.Pipeline))
	}
	if l.PerConnection > 0 {
		parts = append(parts, fmt.Sprintf("%d per connection", l.PerConnection))
	}
	if l.Step > 0 {
		parts = append(parts, fmt.Sprintf("load %d", l.Step+1))
	}
	switch {
	case l.OwnRate:
		parts = append(parts, PerCent(l.RateShare)+" of its capacity")
	case l.RatePerSec > 0:
		parts = append(parts, document.Grouped(l.RatePerSec, 0)+"/s")
	case l.RateShare > 0:
		parts = append(parts, PerCent(l.RateShare)+" of the slowest")
	}
	return strings.Join(parts, ", ")
}

// Figure is one contestant at one level under one metric.
type Figure struct {
	judge.Estimate                // median over the level's epochs, and its interval
	Least, Most    float64        // of its epochs
	Ratio          judge.Estimate // to the reference
	Bound          bool           // at the generator's ceiling: it may do more
	Absent         string         // why there is none
}

// Open says whether there are too few epochs for an interval.
func (f *Figure) Open() bool { return math.IsInf(f.Lo, 0) || math.IsInf(f.Hi, 0) }

// Bounds returns the bounds of the interval or, without an interval, of the epochs.
func (f *Figure) Bounds() (lo, hi float64) {
	if f.Open() {
		return f.Least, f.Most
	}
	return f.Lo, f.Hi
}

// side returns the text next to a figure: its interval, "±2.3 %", or a replacement in brackets.
func (f *Figure) side() string {
	switch {
	case !f.Open():
		return widestSide(f.Value, f.Lo, f.Hi)
	case f.N < 2:
		return "(1 epoch)"
	}
	return "(" + widestSide(f.Value, f.Least, f.Most) + ")"
}

// Cell returns the figure in a table.
func (f *Figure) Cell(scale judge.Scale) document.Cell {
	if f.Absent != "" {
		return document.Cell{Absent: f.Absent}
	}
	value := Sig3(f.Value / scale.Per)
	if f.Bound {
		value = "≥ " + value
	}
	return document.Cell{Value: value, Side: f.side()}
}

// Point returns the figure in a chart of lines, with a text that names it.
func (f *Figure) Point(at float64, name string, s judge.Scale) document.Point {
	p := document.Point{At: at, Value: f.Value, Absent: f.Absent != ""}
	if p.Absent {
		return p
	}
	p.Lo, p.Hi = f.Bounds()
	p.Open, p.Beyond = f.Open(), f.Bound
	p.Text = fmt.Sprintf("%s: %s (%s–%s)%s", name, Sig3(f.Value/s.Per), Sig3(p.Lo/s.Per), Sig3(p.Hi/s.Per), After(s))
	if p.Open {
		p.Text += ", a range and no interval"
	}
	return p
}

// notLoaded is the reason shown for a contestant at a level that the plan does not load it at. This
// is not a gap in the data.
const notLoaded = "it is not loaded at this level"

// missing says why a row has no trial at level i; empty if it has.
func (s *manyLevels) missing(r Row, i int) string {
	switch l := &s.Levels[i]; {
	case r.Excluded != "" && !r.elsewhere:
		return r.Excluded
	case l.Loaded != nil && !slices.Contains(l.Loaded, r.Name):
		return notLoaded
	case l.Absent[r.Name] != "":
		return document.Clean(l.Absent[r.Name])
	case l.Analysis == nil || !slices.ContainsFunc(l.Trials,
		func(t *record.Trial) bool { return t.Contestant == r.Name }):
		return "it has no valid trials"
	}
	return ""
}

// figure returns that of a row at level i.
func (s *manyLevels) figure(r Row, m judge.Metric, i int) *Figure {
	if why := s.missing(r, i); why != "" {
		return &Figure{Absent: why}
	}
	l := &s.Levels[i]
	c := l.Analysis.Cell(r.Name, m.Name)
	switch kept := l.Kept[r.Name]; {
	case m.Kind&judge.OpenLoop != 0 && !kept.Most():
		return &Figure{Absent: "it " + kept.Text}
	case c == nil || c.Level.N == 0:
		return &Figure{Absent: "it could not be read"}
	}
	f := &Figure{Estimate: c.Level, Ratio: c.Ratio, Bound: m.AtCeiling && m.More &&
		l.Analysis.Shares[r.Name] > judge.CeilingLimit}
	f.Least, f.Most = c.Least, c.Most
	return f
}

// scaleFor returns the scale that the figures of rows are printed with.
func scaleFor(m judge.Metric, rows []Row, of func(Row) *Figure) judge.Scale {
	var values []float64
	for _, r := range rows {
		if f := of(r); f.Absent == "" {
			values = append(values, f.Value)
		}
	}
	return ScaleOf(m.Unit, values...)
}

// metricScale returns the one that all levels of a metric are printed with.
func (s *manyLevels) metricScale(m judge.Metric) judge.Scale {
	var values []float64
	for _, r := range s.all() {
		for i := range s.Levels {
			if f := s.figure(r, m, i); f.Absent == "" {
				values = append(values, f.Value)
			}
		}
	}
	return ScaleOf(m.Unit, values...)
}

// has says whether a figure of a row that stands is such.
func (s *manyLevels) has(such func(*Figure) bool) bool {
	for _, r := range s.all() {
		for i := range s.Levels {
			for _, m := range s.metrics {
				if r.Excluded == "" && such(s.figure(r, m, i)) {
					return true
				}
			}
		}
	}
	return false
}

// any reports whether there is any figure.
func (s *manyLevels) any() bool { return s.has(func(f *Figure) bool { return f.Absent == "" }) }

// marks explains the marks that occur in the tables.
func (s *manyLevels) marks() (list []string) {
	if s.any() {
		list = append(list, "Each figure is the median over the epochs of its level; ± is its interval of 95 %.")
	}
	if s.has(func(f *Figure) bool { return f.Absent == "" && f.Open() }) {
		list = append(list, fmt.Sprintf("In brackets: too few epochs for an interval, which needs %d; (±4 %%) is "+
			"their range.", leastEpochs))
	}
	if s.has(func(f *Figure) bool { return f.Bound }) {
		list = append(list, "≥: a lower bound, at the generator's ceiling.")
	}
	return append(list, s.edges()...)
}

// edges says at which levels the rates do not come from a steady load.
func (s *manyLevels) edges() []string {
	var at []string
	for i := range s.Levels {
		if n, _ := judge.Unsteady(s.Levels[i].Trials); n > 0 {
			at = append(at, s.Levels[i].Title())
		}
	}
	if at == nil {
		return nil
	}
	return []string{"Requests per second at " + strings.Join(at, ", ") + " are " + judge.UnsteadyText + "."}
}

// gaps says why figures are missing, one line for each contestant and reason.
func (s *manyLevels) gaps() (lines []string) {
	for _, r := range s.all() {
		if r.Excluded != "" {
			continue
		}
		lines = append(lines, s.grouped(r.Title, func(i int) string {
			return strings.TrimPrefix(s.missing(r, i),
				notLoaded)
		})...)
		lines = append(lines, s.missed(r)...)
		for _, m := range s.metrics {
			lines = append(lines, s.grouped(r.Title+", "+m.Title, func(i int) string {
				l := &s.Levels[i]
				if s.missing(r, i) != "" || m.Open() && (!l.At.Open() || !l.Kept[r.Name].Most()) {
					return ""
				}
				return s.figure(r, m, i).Absent
			})...)
		}
	}
	return lines
}

// grouped makes a line of each reason, with the levels that have it.
func (s *manyLevels) grouped(who string, reason func(i int) string) (lines []string) {
	var reasons []string
	at := map[string][]string{}
	for i, name := range s.names {
		if why := reason(i); why != "" {
			if at[why] == nil {
				reasons = append(reasons, why)
			}
			at[why] = append(at[why], name)
		}
	}
	for _, why := range reasons {
		where := strings.Join(at[why], "; ")
		if len(at[why]) == len(s.names) {
			where = "all levels"
		}
		lines = append(lines, who+" at "+where+": "+why)
	}
	return lines
}

// rowNotes returns what a reader must know about the numbers, one line for each row.
func (v *View) rowNotes() (lines []string) {
	for _, r := range v.all() {
		if len(r.Notes) > 0 && r.Excluded == "" {
			lines = append(lines, r.Title+": "+strings.Join(r.Notes, "; "))
		}
	}
	return lines
}
