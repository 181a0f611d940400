package study

import (
	"cmp"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
	"dyno/internal/validity"
)

// judgeFamily is Judge for a duel whose comparisons are named: its verdicts, and an analysis of each level alone.
func judgeFamily(run *result.Run) *report.Data {
	a, valid := Analyse(run), plan.Valid(run)
	void, all := plan.Voided(run)
	d := &report.Data{Run: run, Analysis: a, Levels: Levels(run), Valid: len(valid), Void: void}
	e := &validity.Evidence{Run: run, Valid: valid, Void: void, All: all, Analysis: a}
	d.Findings = slices.Concat(checked(e, wholeRun), worst(run, judgedLevels(d.Levels), void, all))
	slices.SortStableFunc(d.Findings, func(a, b validity.Finding) int {
		return cmp.Or(slices.Index(run.Plan.Contestants, a.Contestant)-slices.Index(run.Plan.Contestants, b.Contestant), cmp.Compare(a.ID, b.ID))
	})
	return d
}

// judgedLevels are those that a comparison names.
func judgedLevels(all []report.Level) []report.Level {
	return slices.DeleteFunc(slices.Clone(all), func(l report.Level) bool { return !l.Judged })
}

// familyStanding are the cells of the family, level by level, with how many of its pairs are decided.
func familyStanding(run *result.Run) (out []result.Standing) {
	for _, l := range judgedLevels(Levels(run)) {
		out = append(out, standingAt(run, l)...)
	}
	decided, pairs := 0, 0
	for _, p := range Analyse(run).Pairs {
		if p.Metric == run.Plan.Primary {
			pairs++
			if p.Verdict != analysis.Undecided {
				decided++
			}
		}
	}
	for i := range out {
		out[i].Decided, out[i].Pairs = decided, pairs
	}
	return out
}
