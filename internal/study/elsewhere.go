package study

import (
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// Elsewhere is a claim's outcome in other sessions on a model of CPU, by intervals that allow for what varies between
// sessions.
type Elsewhere struct {
	CPU string
	Own bool // the run's own model
	Outcome
}

// elsewhere returns a claim's outcomes in other sessions, on each model of CPU where all of its pairs are known: on the
// run's own by the second verdicts, on others by what sessions there found.
func (e *evidence) elsewhere(c *Claim) (out []Elsewhere) {
	pairs, own := c.Pairs(), e.run.Host.CPU
	others := slices.DeleteFunc(judge.KnownSessions().Models(), func(cpu string) bool { return cpu == own })
	if len(pairs) == 0 || c.NotTestable != "" || e.data.Analysis == nil {
		return nil
	}
	for _, cpu := range append([]string{own}, others...) {
		there := *e
		there.cpu = cpu
		unknown := func(p Pair) bool {
			a, ok := e.cell(p.A)
			b, ok2 := e.cell(p.B)
			return !ok || !ok2 || there.inSessions(a, b, c.Metric).N == 0
		}
		if !slices.ContainsFunc(pairs, unknown) {
			out = append(out, Elsewhere{cpu, cpu == own, outcomeOf(c, &there)})
		}
	}
	return out
}

// inSessions returns the ratio x over y in sessions on e.cpu; N is 0 if it is not known.
func (e *evidence) inSessions(x, y record.Cell, metric string) judge.Estimate {
	p, ok := e.data.Analysis.Compared(x, y, metric)
	switch a, b := e.run.Contestant(x.Contestant), e.run.Contestant(y.Contestant); {
	case !ok:
	case e.cpu != e.run.Host.CPU:
		if a, b := judge.Program(a), judge.Program(b); a != "" && b != "" && x.Level == y.Level {
			return judge.KnownSessions().On(e.cpu, judge.RelationOf(&e.run.Plan), judge.Asked(&e.run.Plan, x.Level, metric),
				a, b, len(e.run.Plan.Contestants))
		}
	case p.Elsewhere != nil:
		return p.Elsewhere.Ratio
	}
	return judge.Estimate{}
}

// differs reports whether a claim has another outcome in other sessions on a model of CPU than in the run.
func (o *Outcome) differs() bool {
	return o.judged() && o.Verdict != Inconclusive &&
		slices.ContainsFunc(o.Elsewhere, func(x Elsewhere) bool { return x.Verdict != o.Verdict })
}

// elsewhereText gives the outcomes in other sessions: "By its interval for other sessions on this model of CPU:
// inconclusive, 1.04 × (0.97–1.12).".
func (o *Outcome) elsewhereText() string {
	var parts []string
	for i := range o.Elsewhere {
		x := &o.Elsewhere[i]
		where, figure := "By its interval for other sessions on this model of CPU: ", ""
		if !x.Own {
			where = "By " + document.Count(x.Epochs, "session") + " on " + document.Clean(x.CPU) + ": "
		}
		if len(x.Shown) == 1 {
			figure = x.OursText()
		}
		parts = append(parts, document.Stopped(where+string(x.Verdict)+report.Led(", ", figure)))
	}
	return strings.Join(parts, " ")
}

// notEverywhere marks a claim whose outcomes differ.
const notEverywhere = "not everywhere"

// Label returns the outcome with its icon.
func (o *Outcome) Label() string {
	if o.differs() {
		return o.Verdict.Label() + ", " + notEverywhere
	}
	return o.Verdict.Label()
}
