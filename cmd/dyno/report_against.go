package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/document"
	"dyno/internal/report"
	"dyno/internal/result"
	"dyno/internal/study"
)

// reportAgainst prints how far run has changed since the run stored at path.
func reportAgainst(cmd *cobra.Command, run *result.Run, path string, force bool, format string) error {
	other, err := result.Open(path)
	if err != nil {
		return err
	}
	if err := checks.Assert(other); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	a, err := study.Compare(run, other, force)
	var machine *study.OtherMachine
	switch {
	case errors.As(err, &machine):
		return fmt.Errorf("%w; --force compares them nevertheless", err)
	case err != nil:
		return err
	case format == "json":
		return againstJSON(cmd.OutOrStdout(), run, other, a)
	}
	return againstText(cmd.OutOrStdout(), run, other, a)
}

// againstText is what a person reads.
func againstText(w io.Writer, run, other *result.Run, a *study.Against) error {
	fmt.Fprintf(w, "%s, %d epochs, against %s, %d epochs\nscenario %s, %d connections\n\n", when(run), a.Epochs[0], when(other), a.Epochs[1],
		document.Clean(run.Plan.Scenario), run.Plan.Level.Connections)
	fmt.Fprintf(w, "Only ratios to the yardstick %s are compared: absolute figures drift between runs. Its own:", document.Clean(a.Yardstick))
	for i, d := range a.Drifts {
		m, _ := analysis.MetricNamed(d.Metric)
		fmt.Fprintf(w, "%s %s %s", []string{"", ","}[min(i, 1)], m.Title, signedPerCent(d.Now/d.Then-1))
	}
	fmt.Fprint(w, ".\nThe intervals know how epochs of one run differ, not how days do: a small change may be the day's. dyno compare puts two builds into one run.\n")
	if len(a.Warnings)+len(a.Absent) > 0 {
		fmt.Fprintln(w)
	}
	for _, text := range a.Warnings {
		fmt.Fprintf(w, "warn: %s\n", document.Clean(text))
	}
	for _, text := range a.Absent {
		fmt.Fprintf(w, "not compared: %s\n", document.Clean(text))
	}
	for i := 0; i < len(a.Changes); {
		m, _ := analysis.MetricNamed(a.Changes[i].Metric)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "\n%s\tthen × %s\tnow × %s\tchange, %s\tprogram\t\n", m.Title, document.Clean(a.Yardstick), document.Clean(a.Yardstick), report.PerCent(1-a.Alpha))
		for ; i < len(a.Changes) && a.Changes[i].Metric == m.Name; i++ {
			c := &a.Changes[i]
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", titleOf(run, c.Contestant), report.Ratio(c.Then.Value, c.Then.Lo, c.Then.Hi),
				report.Ratio(c.Now.Value, c.Now.Lo, c.Now.Hi), changeText(c.Ratio), builds(run, other, c), changeVerdict(c, a.Margin))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// when says which run it is.
func when(r *result.Run) string {
	return fmt.Sprintf("run of %s (seed %d)", time.Unix(0, r.Plan.StartedUnixNS).UTC().Format("2006-01-02 15:04 UTC"), r.Plan.Seed)
}

func titleOf(run *result.Run, name string) string {
	if c := run.Contestant(name); c != nil && c.Title != "" {
		return document.Clean(c.Title)
	}
	return document.Clean(name)
}

// builds says whether the same program ran.
func builds(run, other *result.Run, c *study.Change) string {
	now, then := run.Contestant(c.Contestant), other.Contestant(c.Contestant)
	switch {
	case c.Control:
		return "dyno's own"
	case c.SameBuild:
		return "the same"
	case now != nil && then != nil && now.Version != then.Version:
		return document.Clean(then.Version + " → " + now.Version)
	}
	return "another build"
}

// changeVerdict says what the change amounts to.
func changeVerdict(c *study.Change, margin float64) string {
	way := "worse"
	if c.Better {
		way = "better"
	}
	switch {
	case c.Note != "":
		return "not judged: " + c.Note
	case c.Verdict == analysis.Undecided:
		return "undecided"
	case c.Verdict == analysis.Tie:
		return "unchanged within " + report.PerCent(margin)
	case c.Verdict == analysis.Negligible:
		way += ", but within " + report.PerCent(margin)
	}
	if c.Control || c.SameBuild {
		return way + ", though it is the same program: the day's doing"
	}
	return way
}

// The shape of --format json: ratios without unit; a bound that too few epochs leave open is 0 or null.
type againstRun struct {
	StartedUnixNS int64  `json:"started_unix_ns"`
	Seed          uint64 `json:"seed"`
	Dyno          string `json:"dyno"`
	ValidEpochs   int    `json:"valid_epochs"`
}

type againstChange struct {
	Contestant string           `json:"contestant"`
	Control    bool             `json:"control"`
	Metric     string           `json:"metric"`
	Now        againstEstimate  `json:"to_yardstick"`
	Then       againstEstimate  `json:"to_yardstick_against"`
	Ratio      againstEstimate  `json:"change"`
	P          float64          `json:"p"`
	Adjusted   float64          `json:"p_holm"`
	Verdict    analysis.Verdict `json:"verdict"`
	Better     *bool            `json:"better"` // null where no change is shown
	SameBuild  bool             `json:"same_program"`
	Note       string           `json:"note,omitempty"`
}

type againstEstimate struct {
	Value *float64 `json:"value_ratio"`
	Lo    *float64 `json:"lo_ratio"`
	Hi    *float64 `json:"hi_ratio"`
}

func againstJSON(w io.Writer, run, other *result.Run, a *study.Against) error {
	side := func(r *result.Run, epochs int) againstRun {
		return againstRun{r.Plan.StartedUnixNS, r.Plan.Seed, r.Plan.Dyno, epochs}
	}
	estimate := func(e analysis.Estimate) againstEstimate {
		return againstEstimate{finite(e.Value), finite(e.Lo), finite(e.Hi)}
	}
	changes := []againstChange{}
	for i := range a.Changes {
		c := &a.Changes[i]
		one := againstChange{Contestant: c.Contestant, Control: c.Control, Metric: c.Metric, Now: estimate(c.Now), Then: estimate(c.Then), Ratio: estimate(c.Ratio),
			P: c.P, Adjusted: c.Adjusted, Verdict: c.Verdict, SameBuild: c.SameBuild, Note: c.Note}
		if c.Verdict == analysis.Different || c.Verdict == analysis.Negligible {
			one.Better = &c.Better
		}
		changes = append(changes, one)
	}
	drift := map[string]*float64{}
	for _, d := range a.Drifts {
		drift[d.Metric] = finite(d.Now / d.Then)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Format    int                 `json:"format"`
		Run       againstRun          `json:"run"`
		Against   againstRun          `json:"against"`
		Yardstick string              `json:"yardstick"`
		Drift     map[string]*float64 `json:"yardstick_drift_ratio"`
		Alpha     float64             `json:"alpha"`
		Margin    float64             `json:"margin_ratio"`
		Warnings  []string            `json:"warnings"`
		Absent    []string            `json:"not_compared"`
		Changes   []againstChange     `json:"changes"`
	}{1, side(run, a.Epochs[0]), side(other, a.Epochs[1]), a.Yardstick, drift, a.Alpha, a.Margin,
		append([]string{}, a.Warnings...), append([]string{}, a.Absent...), changes})
}

// finite is x for JSON, null unless it is finite.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
