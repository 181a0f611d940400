package study

import (
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
	drifts := ""
	for i, d := range a.Drifts {
		m, _ := judge.MetricNamed(d.Metric)
		if i > 0 {
			drifts += ","
		}
		drifts += " " + m.Title + " " + SignedPerCent(d.Now/d.Then-1)
	}
	text := func(format string, args ...any) document.Block {
		return document.Paragraph{Text: document.Plain(fmt.Sprintf(format, args...))}
	}
	notes := document.Section{Blocks: []document.Block{
		text("Only ratios to the reference %s are compared, because absolute figures drift between runs. The "+
			"reference itself:%s.",
			a.Reference, drifts),
		text("The intervals reflect differences between epochs of one run, not between days, so a small change may " +
			"be due to the day. To compare two builds in one run, use dyno compare."),
	}}
	for _, s := range a.Warnings {
		notes.Blocks = append(notes.Blocks, document.Paragraph{Label: "warn", Text: document.Plain(s)})
	}
	for _, s := range a.Absent {
		notes.Blocks = append(notes.Blocks, document.Paragraph{Label: "not compared", Text: document.Plain(s)})
	}
	head := document.Section{Blocks: []document.Block{
		text("%s, %s, against %s, %s", when(run), document.Count(a.Epochs[0], "epoch"), when(other),
			document.Count(a.Epochs[1], "epoch")),
		text("scenario %s, %s", run.Plan.Scenario, document.Count(run.Plan.First().Connections, "connection")),
	}}
	d := &document.Document{Sections: []document.Section{head, notes}}
	var table *document.Table
	for i := range a.Changes {
		c := &a.Changes[i]
		if i == 0 || c.Metric != a.Changes[i-1].Metric {
			m, _ := judge.MetricNamed(c.Metric)
			table = &document.Table{Columns: []document.Column{{Head: m.Title, Lead: true}, {Head: "then × " +
				a.Reference},
				{Head: "now × " + a.Reference}, {Head: "change, " + report.PerCent(1-a.Alpha)}, {Head: "program"}, {}}}
		}
		table.Rows = append(table.Rows, document.Row{Cells: []document.Cell{{Value: titleOf(run, c.Contestant)},
			{Value: report.Ratio(c.Then.Value, c.Then.Lo, c.Then.Hi)}, {Value: report.Ratio(c.Now.Value, c.Now.Lo,
				c.Now.Hi)},
			{Value: ChangeText(c.Ratio)}, {Value: c.program(run, other)}, {Value: c.text(a.Margin)}}})
		if i+1 == len(a.Changes) || a.Changes[i+1].Metric != c.Metric {
			d.Sections = append(d.Sections, document.Section{Blocks: []document.Block{*table}})
		}
	}
	return d
}

// when names a run by its date.
func when(r *record.Run) string {
	at := time.Unix(0, r.Plan.Origin.StartedUnixNS).UTC().Format("2006-01-02 15:04 UTC")
	return fmt.Sprintf("run of %s (seed %d)", at, r.Plan.Seed)
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
		return way + ", although the program is the same: due to the day"
	}
	return way
}

// ChangeText formats a ratio as a change in percent, with its interval.
func ChangeText(e judge.Estimate) string {
	if math.IsInf(e.Hi, 1) {
		return SignedPerCent(e.Value-1) + " (too few epochs for an interval)"
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
		return object{"started_unix_ns": o.StartedUnixNS, "seed": r.Plan.Seed, "dyno": o.Dyno, "valid_epochs": epochs}
	}
	estimate := func(e judge.Estimate) any {
		return report.InUnit("×", report.EstimateNumbers(e, false), object{})
	}
	drifts, changes := map[string]document.Number{}, []object{}
	for _, d := range a.Drifts {
		drifts[d.Metric] = document.Number(d.Now / d.Then)
	}
	for i := range a.Changes {
		c := &a.Changes[i]
		one := object{"contestant": c.Contestant, "control": c.Control, "metric": c.Metric,
			"to_reference": estimate(c.Now), "to_reference_against": estimate(c.Then), "change": estimate(c.Ratio),
			"p": c.P, "verdict": c.Verdict, "better": nil, "same_program": c.SameBuild}
		if c.Verdict == judge.Different || c.Verdict == judge.Negligible {
			one["better"] = c.Better
		}
		changes = append(changes, one)
	}
	return object{"format": 2, "run": side(run, a.Epochs[0]), "against": side(other, a.Epochs[1]),
		"reference": a.Reference, "reference_drift_ratio": drifts, "alpha": a.Alpha, "margin_ratio": a.Margin,
		"warnings": append([]string{}, a.Warnings...), "not_compared": append([]string{}, a.Absent...), "changes": changes}
}
