package study

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// Document returns the comparison of run with other as a document.
func (a *Against) Document(run, other *record.Run) *document.Document {
	text := func(format string, args ...any) document.Block {
		return document.Paragraph{Text: document.Plain(fmt.Sprintf(format, args...))}
	}
	head := document.Section{Blocks: []document.Block{
		text("%s, %s, against %s, %s", when(run), document.Count(a.Epochs[0], "epoch"), when(other),
			document.Count(a.Epochs[1], "epoch")),
		text("scenario %s, %s", run.Plan.Scenario, document.Count(run.Plan.First().Connections, "connection")),
	}}
	notes := document.Section{}
	if len(a.Apart) > 0 {
		notes.Blocks = append(notes.Blocks, document.Paragraph{Style: document.Strong,
			Text: document.Plain("No verdict: the runs are only shown side by side. To compare builds, use dyno compare.")})
		for _, why := range a.Apart {
			notes.Blocks = append(notes.Blocks, document.Paragraph{Label: "why", Text: document.Plain(why)})
		}
	}
	if a.Reference != "" {
		notes.Blocks = append(notes.Blocks, text("Only ratios to the reference %s are compared, because absolute figures "+
			"drift between runs. The reference itself:%s.", a.Reference, a.drifts()))
	}
	if len(a.Apart) == 0 {
		notes.Blocks = append(notes.Blocks, text("The intervals reflect differences between epochs of one run, not between "+
			"runs, so a small change may come from the time of the run. To compare two builds in one run, use dyno compare."))
	}
	for _, s := range a.Warnings {
		notes.Blocks = append(notes.Blocks, document.Paragraph{Label: "warn", Text: document.Plain(s)})
	}
	for _, s := range a.Absent {
		notes.Blocks = append(notes.Blocks, document.Paragraph{Label: "not compared", Text: document.Plain(s)})
	}
	d := &document.Document{Title: "Two runs", Sections: []document.Section{head, notes}}
	for rest := a.Changes; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Metric == rest[0].Metric {
			n++
		}
		d.Sections = append(d.Sections, document.Section{Blocks: []document.Block{a.table(rest[:n], run, other)}})
		rest = rest[n:]
	}
	return d
}

// drifts says how the reference changed, by metric.
func (a *Against) drifts() (text string) {
	for i, d := range a.Drifts {
		m, _ := judge.MetricNamed(d.Metric)
		if i > 0 {
			text += ","
		}
		text += " " + m.Title + " " + SignedPerCent(d.Now/d.Then-1)
	}
	return text
}

// table shows the changes in one metric; without verdicts both runs side by side.
func (a *Against) table(changes []Change, run, other *record.Run) document.Table {
	m, _ := judge.MetricNamed(changes[0].Metric)
	decides, to := a.decides(m.Name), ""
	if a.Reference != "" {
		to = " × " + a.Reference
	}
	t := document.Table{Columns: []document.Column{{Head: m.Title, Lead: true}, {Head: "then" + to}, {Head: "now" + to},
		{Head: "program"}}}
	switch {
	case decides:
		t.Columns = append(t.Columns, document.Column{Head: "change, " + report.PerCent(1-a.Alpha)}, document.Column{})
	case len(a.Apart) == 0:
		t.After = fmt.Sprintf("No verdict: the reference itself moved by more than %s.", report.PerCent(mostDrift))
	}
	for i := range changes {
		c := &changes[i]
		row := cells(titleOf(run, c.Contestant), a.figure(m, c.Then), a.figure(m, c.Now), c.program(run, other))
		if decides {
			row.Cells = append(row.Cells, cells(ChangeText(c.Ratio), c.text(a.Margin)).Cells...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cells returns a row of a table.
func cells(values ...string) (r document.Row) {
	for _, v := range values {
		r.Cells = append(r.Cells, document.Cell{Value: v})
	}
	return r
}

// figure formats a contestant's figure in one run: its ratio to the reference, or in the metric's unit.
func (a *Against) figure(m judge.Metric, e judge.Estimate) string {
	if a.Reference != "" {
		return report.Ratio(e.Value, e.Lo, e.Hi)
	}
	s := report.ScaleOf(m.Unit, e.Value)
	return fmt.Sprintf("%s %s (%s)", report.Sig3(e.Value/s.Per), s.Name, report.IntervalIn(e, s))
}

// when names a run by its date and CPU.
func when(r *record.Run) string {
	at := time.Unix(0, r.Plan.Origin.StartedUnixNS).UTC().Format("2006-01-02 15:04 UTC")
	return fmt.Sprintf("run of %s (seed %d) on %s", at, r.Plan.Seed, cmp.Or(r.Host.CPU, "an unknown CPU"))
}

func titleOf(run *record.Run, name string) string {
	if c := run.Contestant(name); c != nil && c.Title != "" {
		return c.Title
	}
	return name
}

// program says whether both runs ran the same program.
func (c *Change) program(run, other *record.Run) string {
	now, then := run.Contestant(c.Contestant), other.Contestant(c.Contestant)
	switch {
	case c.Control:
		return "dyno's own"
	case c.SameBuild:
		return "the same"
	case now != nil && then != nil && now.Version != then.Version:
		return then.Version + " → " + now.Version
	}
	return "another build"
}

// text describes the change in words.
func (c *Change) text(margin float64) string {
	way := "worse"
	if c.Better {
		way = "better"
	}
	switch {
	case c.Verdict == judge.Inconclusive:
		return "no change shown"
	case c.Verdict == judge.Equivalent:
		return "unchanged within " + report.PerCent(margin)
	case c.Verdict == judge.Negligible:
		way += ", but within " + report.PerCent(margin)
	}
	if c.Control || c.SameBuild {
		return way + ", although the program is the same: the machine changed between the runs"
	}
	return way
}

// ChangeText formats a ratio as a change in percent, with its interval.
func ChangeText(e judge.Estimate) string {
	if math.IsInf(e.Hi, 1) {
		return SignedPerCent(e.Value-1) + ", too few epochs for an interval"
	}
	return fmt.Sprintf("%s (%s to %s)", SignedPerCent(e.Value-1), SignedPerCent(e.Lo-1), SignedPerCent(e.Hi-1))
}

// SignedPerCent formats a share as a percentage with its sign.
func SignedPerCent(share float64) string {
	text := report.PerCent(math.Abs(share))
	switch {
	case text == "0 %":
		return text
	case share < 0:
		return "−" + text
	}
	return "+" + text
}

// Data returns the comparison of run with other as data, for document.JSON; doc/format.md has its
// keys. A bound that too few epochs leave open is 0 or null.
func (a *Against) Data(run, other *record.Run) any {
	side := func(r *record.Run, epochs int) object {
		o := &r.Plan.Origin
		return object{"started_unix_ns": o.StartedUnixNS, "seed": r.Plan.Seed, "dyno": o.Dyno, "cpu": r.Host.CPU,
			"valid_epochs": epochs}
	}
	estimate := func(unit string, e judge.Estimate) any {
		return report.InUnit(unit, report.EstimateNumbers(e, false), object{})
	}
	drifts, changes := map[string]document.Number{}, []object{}
	for _, d := range a.Drifts {
		drifts[d.Metric] = document.Number(d.Now / d.Then)
	}
	for i := range a.Changes {
		c := &a.Changes[i]
		one := object{"contestant": c.Contestant, "control": c.Control, "metric": c.Metric, "same_program": c.SameBuild}
		if a.Reference == "" {
			m, _ := judge.MetricNamed(c.Metric)
			one["figure"], one["figure_against"] = estimate(m.Unit, c.Now), estimate(m.Unit, c.Then)
		} else {
			one["to_reference"], one["to_reference_against"] = estimate("×", c.Now), estimate("×", c.Then)
		}
		if a.decides(c.Metric) {
			one["change"], one["p"], one["verdict"], one["better"] = estimate("×", c.Ratio), c.P, c.Verdict, nil
			if c.Verdict == judge.Different || c.Verdict == judge.Negligible {
				one["better"] = c.Better
			}
		}
		changes = append(changes, one)
	}
	return object{"format": 3, "run": side(run, a.Epochs[0]), "against": side(other, a.Epochs[1]),
		"reference": document.OrNull(a.Reference), "reference_drift_ratio": drifts, "alpha": a.Alpha,
		"margin_ratio": a.Margin,
		"no_verdict":   append([]string{}, a.Apart...), "warnings": append([]string{}, a.Warnings...),
		"not_compared": append([]string{}, a.Absent...), "changes": changes}
}
