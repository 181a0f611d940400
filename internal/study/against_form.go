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

// The keys for the comparison as data (doc/format.md). Ratios have no unit. A bound that too few
// epochs leave open is 0 or null.
type againstRun struct {
	StartedUnixNS int64  `json:"started_unix_ns"`
	Seed          uint64 `json:"seed"`
	Dyno          string `json:"dyno"`
	ValidEpochs   int    `json:"valid_epochs"`
}

type againstChange struct {
	Contestant string          `json:"contestant"`
	Control    bool            `json:"control"`
	Metric     string          `json:"metric"`
	Now        againstEstimate `json:"to_reference"`
	Then       againstEstimate `json:"to_reference_against"`
	Ratio      againstEstimate `json:"change"`
	P          float64         `json:"p"`
	Verdict    judge.Verdict   `json:"verdict"`
	Better     *bool           `json:"better"` // null if no change is shown
	SameBuild  bool            `json:"same_program"`
}

type againstEstimate struct {
	Value *float64 `json:"value_ratio"`
	Lo    *float64 `json:"lo_ratio"`
	Hi    *float64 `json:"hi_ratio"`
}

type againstData struct {
	Format    int                 `json:"format"`
	Run       againstRun          `json:"run"`
	Against   againstRun          `json:"against"`
	Reference string              `json:"reference"`
	Drift     map[string]*float64 `json:"reference_drift_ratio"`
	Alpha     float64             `json:"alpha"`
	Margin    float64             `json:"margin_ratio"`
	Warnings  []string            `json:"warnings"`
	Absent    []string            `json:"not_compared"`
	Changes   []againstChange     `json:"changes"`
}

// Data returns the comparison of run with other as data, for document.JSON.
func (a *Against) Data(run, other *record.Run) any {
	side := func(r *record.Run, epochs int) againstRun {
		return againstRun{r.Plan.Origin.StartedUnixNS, r.Plan.Seed, r.Plan.Origin.Dyno, epochs}
	}
	estimate := func(e judge.Estimate) againstEstimate {
		return againstEstimate{finite(e.Value), finite(e.Lo), finite(e.Hi)}
	}
	all := againstData{Format: 2, Run: side(run, a.Epochs[0]), Against: side(other, a.Epochs[1]),
		Reference: a.Reference,
		Drift:     map[string]*float64{}, Alpha: a.Alpha, Margin: a.Margin, Warnings: append([]string{}, a.Warnings...),
		Absent: append([]string{}, a.Absent...), Changes: []againstChange{}}
	for i := range a.Changes {
		c := &a.Changes[i]
		one := againstChange{Contestant: c.Contestant, Control: c.Control, Metric: c.Metric, Now: estimate(c.Now),
			Then: estimate(c.Then), Ratio: estimate(c.Ratio), P: c.P, Verdict: c.Verdict,
			SameBuild: c.SameBuild}
		if c.Verdict == judge.Different || c.Verdict == judge.Negligible {
			one.Better = &c.Better
		}
		all.Changes = append(all.Changes, one)
	}
	for _, d := range a.Drifts {
		all.Drift[d.Metric] = finite(d.Now / d.Then)
	}
	return all
}

// finite returns a pointer to x for JSON; nil if x is not finite.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
