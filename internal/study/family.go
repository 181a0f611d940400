package study

import (
	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
)

// evaluateNamedPairs evaluates a paired run whose plan names its comparisons. It returns their
// verdicts, and an analysis of each level alone.
func evaluateNamedPairs(run *result.Run) *report.Data {
	valid := plan.Valid(run)
	a, levels := analyse(run, valid), byLevel(run, valid)
	discarded, all := plan.Discarded(run)
	d := &report.Data{Run: run, Analysis: a, Levels: levelsFrom(run, 0, levels), Alone: alone(run), Valid: len(valid),
		Discarded: discarded, Reached: analysis.Reached(levels)}
	e := &checks.Evidence{Run: run, Valid: valid, Discarded: discarded, All: all, Analysis: a}
	compared, others := comparedLevels(d.Levels)
	for _, l := range compared {
		e.Levels = append(e.Levels, l.Trials)
	}
	d.Findings = byContestant(run, checks.Make(e, checks.NamedPairs, checks.Once), worst(run, checks.NamedPairs, compared, discarded, all), worst(run, checks.ExtraLevels, others, discarded, all))
	return d
}

// comparedLevels separates the levels that a comparison names from the others.
func comparedLevels(all []report.Level) (compared, others []report.Level) {
	for _, l := range all {
		if l.Compared {
			compared = append(compared, l)
		} else {
			others = append(others, l)
		}
	}
	return compared, others
}

// familyStanding returns the interim values of the family's cells, level by level.
func familyStanding(run *result.Run) (out []result.Standing) {
	if len(plan.Epochs(run)) == 0 {
		return nil
	}
	compared, _ := comparedLevels(levelsOf(run))
	for _, l := range compared {
		out = append(out, standingAt(run, l)...)
	}
	return out
}
