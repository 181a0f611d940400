package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// Row is one contestant or control, in every form of the report.
type Row struct {
	Name      string
	Title     string
	Control   bool
	Built     *record.Contestant // nil if it was never built
	Place     judge.Place        // zero for controls
	Failure   *record.Failure
	Excluded  string   // why it is not ranked; empty if it is
	elsewhere bool     // it is loaded at other levels only
	Notes     []string // notes that a reader needs beside the figures
	Data      []string // the same for programs, with the checks that have a finding
	Starts    judge.Starts
}

// failed reports whether the contestant itself failed. It is false if the contestant cannot run
// here, or has no valid trial.
func (r *Row) failed() bool { return r.Failure != nil && !r.Failure.Unavailable() }

// Absent names the row, with the reason why it is in no chart.
func (r *Row) Absent(why string) document.Item {
	it := document.Item{Label: r.Title, Text: document.Plain(why)}
	if r.failed() {
		it.Style = document.Bad
	}
	return it
}

// View is the data with derived values that all forms share.
type View struct {
	*Data
	a        *judge.Analysis // analysis of the run's comparisons or, without rounds, of its loads; never nil
	run      *record.Run     // never nil
	single   bool            // single loads, which are not compared
	ranks    bool            // all contestants are compared with each other, at the first level only
	levels   []judge.Level   // all levels of the run
	names    []string        // the levels' names
	rows     []Row           // contestants in table order; none is left out
	controls []Row
	metrics  []judge.Metric // the primary metric first
}

// NewView returns the view of a judged run.
func NewView(d *Data) *View {
	v := &View{Data: d, a: d.Analysis, run: d.Run, levels: d.Levels}
	if v.run == nil {
		v.run = &record.Run{}
	}
	p := &v.run.Plan
	v.single, v.ranks = p.Processes == record.PerLoad, p.Ranks()
	switch {
	case v.single:
		v.a = v.loadAnalysis()
	case v.a == nil:
		v.a = &judge.Analysis{}
	}
	if v.ranks || v.single {
		first := judge.Level{Name: p.LevelName(0), At: p.First(), Analysis: v.a, Absent: map[string]string{}}
		for _, n := range p.Contestants {
			if v.single && len(v.loads(n)) == 0 {
				first.Absent[n] = "the run ended before it was loaded"
			}
		}
		v.levels = slices.Insert(slices.Clone(v.levels), 0, first)
	}
	if v.Rated != nil {
		v.levels = append(slices.Clip(v.levels), *v.Rated)
	}
	for i := range v.levels {
		v.names = append(v.names, v.levels[i].Title())
	}
	v.metrics = judge.Metrics
	if v.single {
		v.metrics = judge.LoadMetrics
	}
	v.metrics = slices.DeleteFunc(slices.Clone(v.metrics), func(m judge.Metric) bool {
		if m.Name == "time" {
			return p.Load.Requests == 0 // the time was given
		}
		return (m.Open() || m.Rare) && !v.measures(m)
	})
	if i := slices.IndexFunc(v.metrics, func(m judge.Metric) bool { return m.Name == v.primary().Name }); i > 0 {
		m := v.metrics[i]
		v.metrics = slices.Insert(slices.Delete(v.metrics, i, i+1), 0, m)
	}
	controls := p.Controls
	names := slices.Clone(v.a.Order)
	for _, more := range [][]string{v.run.Plan.Contestants, v.built()} {
		for _, n := range more {
			names = AddNew(names, n)
		}
	}
	for _, n := range names {
		if slices.Contains(controls, n) {
			continue
		}
		v.rows = append(v.rows, v.row(n, false))
	}
	for _, n := range controls {
		if r := v.row(n, true); r.Failure != nil || len(v.ranked()) > 0 || r.Excluded == "" {
			v.controls = append(v.controls, r) // where nothing was measured at all, a reference says nothing
		}
	}
	if c := v.run.Plan.Ceiling; c != "" && v.run.FailureOf(c) != nil {
		v.controls = append(v.controls, v.row(c, true)) // it has no figure of its own, but its failure must be seen
	}
	return v
}

// viewOf returns a report's view: contestants without figures come last.
func viewOf(d *Data) *View {
	v := NewView(d)
	v.excludedLast()
	for i := range v.rows {
		v.rows[i].Excluded = v.excludedWhere(&v.rows[i])
	}
	return v
}

// Rows returns the contestants in table order.
func (v *View) Rows() []Row { return v.rows }

// built names the contestants that have a record of their build, in the record's order.
func (v *View) built() (names []string) {
	for _, c := range v.run.Contestants {
		if !c.Control && !c.Service {
			names = append(names, c.Name)
		}
	}
	return names
}

func (v *View) row(name string, control bool) Row {
	r := Row{Name: name, Title: v.Title(name), Control: control, Built: v.run.Contestant(name),
		Failure: v.run.FailureOf(name)}
	for _, p := range v.a.Places {
		if p.Contestant == name {
			r.Place = p
		}
	}
	r.Excluded = v.unranked(&r)
	r.Starts = judge.StartsOf(v.run, name)
	r.Notes = v.notes(&r)
	switch cut := v.logCut(name); {
	case cut == "":
	case r.Excluded != "": // of which pages show no notes
		r.Excluded += "; " + cut
	default:
		r.Notes = append(r.Notes, cut)
	}
	r.Data = append(slices.Clone(r.Notes), NonEmpty(Led("see ", strings.Join(v.see(name), ", ")))...)
	return r
}

// see returns the ids of the checks with a finding about a row.
func (v *View) see(name string) (ids []string) {
	for _, f := range v.Findings {
		if f.Contestant == name && f.State >= judge.Warn && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// unranked says why a row has no rank. A failure takes precedence over the analysis's reason,
// because it names the stage and a remedy.
func (v *View) unranked(r *Row) string {
	if f := r.Failure; f != nil {
		return FailureText(f)
	}
	if !v.ranks {
		return "" // what it has no figure of says so in its place
	}
	if r.Place.Excluded != "" {
		return document.Clean(r.Place.Excluded)
	}
	if c := v.cell(r.Name, v.primary().Name); c.Absent != "" {
		loads := func(l judge.Level) bool { return slices.Contains(l.Loaded, r.Name) }
		if r.elsewhere = slices.ContainsFunc(v.Levels, loads); r.elsewhere {
			return "measured at other levels alone"
		}
		return "not measured: " + strings.TrimPrefix(document.Clean(c.Absent), "it has ") // or several have
	}
	return ""
}

// FailureText says on one line at which stage a contestant failed, why, and what to do.
func FailureText(f *record.Failure) string {
	s := "failed at " + f.Stage
	if f.Unavailable() {
		s = "unavailable"
	}
	s += ": " + cmp.Or(f.Reason, "no reason was recorded")
	if f.Hint != "" {
		s += "; " + f.Hint
	}
	return document.Clean(s)
}

func (v *View) notes(r *Row) (notes []string) {
	notes = v.moving(r.Name)
	if r.Place.LowerBound {
		n := "lower bound: at the generator's ceiling"
		if share, ok := v.a.Shares[r.Name]; ok {
			n = "lower bound: at " + PerCent(share) + " of the generator's ceiling"
		}
		notes = append(notes, n)
	}
	if r.Built != nil {
		for _, d := range r.Built.Differs {
			notes = append(notes, document.Clean(d))
		}
	}
	notes = append(notes, NonEmpty(v.resent(r.Name))...)
	if n, loads := v.disturbed(r.Name); n > 0 && r.Excluded == "" {
		notes = append(notes, fmt.Sprintf("other programs, the hypervisor or a pause disturbed %d of its %s", n,
			document.Count(loads, "load")))
	}
	return notes
}

// logCut says how much is missing in a contestant's log; "" if nothing is.
func (v *View) logCut(name string) string {
	var cut int64
	if v.run.End != nil {
		cut = v.run.End.LogCutBytes[name]
	}
	for _, t := range v.run.Trials { // of a run without an end
		if t.Contestant == name {
			cut = max(cut, t.Server.LogCutBytes)
		}
	}
	if cut == 0 {
		return ""
	}
	return "log cut to 64 MB: " + Bytes(float64(cut)) + " left out between head and tail"
}

// moving says where a contestant still changes during an epoch's rounds, under the primary metric.
func (v *View) moving(name string) (notes []string) {
	for _, x := range v.a.Trends {
		if !x.Moving || x.Contestant != name || x.Metric != v.primary().Name {
			continue
		}
		at := ""
		if !v.ranks {
			at = " at " + cmp.Or(document.Clean(v.run.Plan.LevelName(x.Level)), fmt.Sprintf("level %d", x.Level))
		}
		notes = append(notes, x.Words()+at+": only far larger differences count")
	}
	return notes
}

// Title returns a contestant's title, or its name if no title was recorded.
func (v *View) Title(name string) string {
	if c := v.run.Contestant(name); c != nil && c.Title != "" {
		return document.Clean(c.Title)
	}
	return document.Clean(name)
}

// primary returns the primary metric. The default is throughput.
func (v *View) primary() judge.Metric {
	for _, name := range []string{v.a.Primary, v.run.Plan.Primary, "throughput"} {
		if m, ok := judge.MetricNamed(name); ok {
			return m
		}
	}
	return judge.Metrics[0]
}

// reference returns the name of the control that ratios are relative to.
func (v *View) reference() string {
	if c := v.run.Plan.Controls; len(c) > 0 {
		return document.Clean(c[0])
	}
	return "ref"
}

// isReference reports whether r is the reference.
func (v *View) isReference(r Row) bool {
	c := v.run.Plan.Controls
	return r.Control && len(c) > 0 && r.Name == c[0]
}

// margin returns the equivalence margin, as a share.
func (v *View) margin() float64 {
	if v.a.Margin > 0 {
		return v.a.Margin
	}
	return v.run.Plan.Margin
}

// cell returns a row's cell, or one that is marked as absent.
func (v *View) cell(name, metric string) judge.Cell {
	if c := v.a.Cell(name, metric); c != nil {
		if c.Level.N == 0 && c.Absent == "" {
			absent := *c
			absent.Absent = "it has no valid trials"
			return absent
		}
		return *c
	}
	return judge.Cell{Contestant: name, Metric: metric, Absent: "it has no valid trials"}
}

// shown returns the metrics that have table columns: none if no trial could fill them.
func (v *View) shown() []judge.Metric {
	if slices.ContainsFunc(v.all(), func(r Row) bool { return r.Excluded == "" }) {
		return v.metrics
	}
	return nil
}

// ranked returns the rows with a rank.
func (v *View) ranked() []Row {
	return slices.DeleteFunc(slices.Clone(v.rows), func(r Row) bool { return r.Excluded != "" })
}

// heading returns the run's title.
func (v *View) heading() string {
	p := &v.run.Plan
	return document.Clean(cmp.Or(p.Title, cmp.Or(p.Study.Slug, "dyno run")))
}

// ended says why the run ended before it had done what was asked, as a sentence.
func (v *View) ended() string {
	switch {
	case v.run.Damage != nil:
		return "The record is damaged: only the part before the damage is shown."
	case v.run.End == nil:
		return "The record has no end: the run was killed, or is measuring still."
	}
	switch r := v.run.End.Reason; r {
	case "interrupted":
		if v.Valid == 0 {
			return "The run was interrupted before its first trial that counts."
		}
		return "The run was interrupted."
	case "failed":
		if len(v.ranked()) < 2 {
			return "The run ended because fewer than two contestants were left."
		}
		return "The run failed."
	default:
		return "The run ended: " + document.Clean(r) + "."
	}
}
