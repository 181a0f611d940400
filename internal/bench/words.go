package bench

import (
	"cmp"
	"fmt"
	"strings"

	"dyno/internal/document"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// Words describes the run and its cost, before it begins.
func (x *Experiment) Words() string {
	p := x.Plan
	if x.begun != nil {
		return fmt.Sprintf("%s\nresuming %s, %s", p.Title, x.Folder,
			document.Count(len(plan.Epochs(x.begun)), "valid epoch"))
	}
	levels := document.Count(p.First().Connections, "connection")
	if len(p.Levels) > 1 {
		levels = document.Count(len(p.Levels), "level")
	}
	if n := len(p.Family); n > 0 {
		levels += ", with verdicts on " + document.Count(n, "pair")
	}
	return fmt.Sprintf("%s\n%s, %s, seed %d, into %s\nafter the builds: %s", p.Title,
		document.Count(len(p.Contestants), "server"), levels, p.Seed, x.Folder, plan.Words(p, &x.Cost))
}

// note describes, at the end of the pilots, which differences the run can detect.
func (x *Experiment) note(r *record.Run) string {
	text := outcomeOf(r, cmp.Or(x.Ends, "all pairs, with epochs enough for the checks,"))
	if x.Remark == nil {
		return text
	}
	return strings.TrimSuffix(text+"; "+x.Remark(r), "; ")
}

func outcomeOf(r *record.Run, ends string) string {
	if !r.Plan.InRounds() {
		return "the measurement begins"
	}
	analyses := plan.Analyses(r)
	at := make([]string, len(analyses))
	for i, l := range analyses {
		at[i] = fmt.Sprint(l.N)
	}
	text := fmt.Sprintf("the measurement begins: one analysis, after %d epochs", analyses[0].N)
	if len(analyses) > 1 {
		text = fmt.Sprintf(
			"the measurement begins: analyses after %s epochs; the first that decides %s ends the run",
			strings.Join(at, ", "), ends)
	}
	if r.Refit != nil {
		c, err := plan.EstimateOf(r)
		needs := ""
		if err != nil {
			needs = fmt.Sprintf(", and a verdict needs %d", analyses[0].N)
		}
		text = fmt.Sprintf("by what the verification took, the budget has time for about %s of %s%s; %s",
			document.Count(c.Epochs, "epoch"), document.Count(r.Plan.Rounds, "round"), needs, text)
	}
	return text
}
