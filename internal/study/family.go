package study

import (
	"dyno/internal/checks"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
)

// evaluateNamedPairs is Judge for a paired comparison whose comparisons are named: its verdicts, and an analysis of each level alone.
func evaluateNamedPairs(run *result.Run) *report.Data {
	a, valid := Analyse(run), plan.Valid(run)
	void, all := plan.Discarded(run)
	d := &report.Data{Run: run, Analysis: a, Levels: Levels(run), Alone: alone(run), Valid: len(valid), Discarded: void}
	e := &checks.Evidence{Run: run, Valid: valid, Discarded: void, All: all, Analysis: a}
	judged, others := comparedLevels(d.Levels)
	for _, l := range judged {
		e.Levels = append(e.Levels, l.Trials)
	}
	d.Findings = byContestant(run, checks.Make(e, checks.NamedPairs, checks.Once), worst(run, checks.NamedPairs, judged, void, all), worst(run, checks.ExtraLevels, others, void, all))
	return d
}

// comparedLevels are those that a comparison names, and the others.
func comparedLevels(all []report.Level) (judged, others []report.Level) {
	for _, l := range all {
		if l.Compared {
			judged = append(judged, l)
		} else {
			others = append(others, l)
		}
	}
	return judged, others
}

// familyStanding are the cells of the family, level by level.
func familyStanding(run *result.Run) (out []result.Standing) {
	if len(plan.Epochs(run)) == 0 {
		return nil
	}
	judged, _ := comparedLevels(Levels(run))
	for _, l := range judged {
		out = append(out, standingAt(run, l)...)
	}
	return out
}
