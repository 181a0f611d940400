package study

import (
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/report"
)

// Elsewhere is a claim's outcome under other circumstances than the run's.
type Elsewhere struct {
	Where string // "In other sessions on this model of CPU, by assumed SDs"
	CPU   string // model of the other sessions; "" if they are the run's
	Outcome
}

// inSessions compares cells in other sessions on a model of CPU: on the run's own by the second verdicts, on another by
// what sessions there found.
type inSessions struct {
	*evidence
	cpu string
}

func (s inSessions) own() bool { return s.cpu == s.run.Host.CPU }

// compared returns the pair, and its ratio a over b; N is 0 if it is not known.
func (s inSessions) compared(a, b Cell, metric string) (judge.Pair, judge.Estimate) {
	x, _ := s.cell(a)
	y, _ := s.cell(b)
	p, ok := s.data.Analysis.Compared(x, y, metric)
	switch {
	case !ok || p.Elsewhere == nil:
	case s.own():
		return p, p.Elsewhere.Ratio
	default:
		for _, m := range p.Elsewhere.Models {
			if m.CPU == s.cpu {
				return p, m.Ratio
			}
		}
	}
	return p, judge.Estimate{}
}

// Compare implements Evidence. The run's notes, and its generator's ceiling, are those of its own machine.
func (s inSessions) Compare(a, b Cell, metric string) (c Comparison) {
	p, ratio := s.compared(a, b, metric)
	if s.own() {
		c = s.evidence.Compare(a, b, metric)
	}
	if c.Ratio, c.Verdict = ratio, judge.VerdictOf(ratio, s.Margin()); c.Bound {
		s.bound(&c, p, metric)
	}
	return c
}

// Missing implements Evidence.
func (s inSessions) Missing(c Cell, metric string) (Verdict, string) {
	if s.own() {
		return s.evidence.Missing(c, metric)
	}
	return "", ""
}

// elsewhere returns a claim's outcomes in other sessions, on each model of CPU where all of its pairs are known.
func (e *evidence) elsewhere(o *Outcome) (out []Elsewhere) {
	pairs, known, related := o.Claim.Pairs(), judge.KnownSessions(), judge.RelationOf(&e.run.Plan)
	if len(pairs) == 0 || !o.judged() || e.data.Analysis == nil {
		return nil
	}
	_, programs := known.Bias(related)
	for _, cpu := range append([]string{e.run.Host.CPU}, known.Models()...) {
		s := inSessions{e, cpu}
		if s.own() && len(out) > 0 || slices.ContainsFunc(pairs, func(p Pair) bool {
			_, ratio := s.compared(p.A, p.B, o.Claim.Metric)
			return ratio.N == 0
		}) {
			continue
		}
		x := Elsewhere{"In other sessions on this model of CPU", cpu, outcomeOf(&o.Claim, s)}
		if !s.own() {
			x.Sessions, x.Epochs, x.Warnings = x.Epochs, 0, nil
			x.Where = "In " + document.Count(x.Sessions, "session") + " on " + document.Clean(cpu)
		}
		if _, sessions := known.Between(related, cpu); sessions == 0 || programs == 0 {
			x.Where += ", by assumed SDs"
		}
		out = append(out, x)
	}
	return out
}

// differs reports whether a claim has another outcome in other sessions on a model of CPU than in the run.
func (o *Outcome) differs() bool {
	return o.judged() && o.Verdict != Inconclusive &&
		slices.ContainsFunc(o.Elsewhere, func(x Elsewhere) bool { return x.CPU != "" && x.Verdict != o.Verdict })
}

// elsewhereText gives the outcomes elsewhere, with a figure if there is one: "Not shown everywhere. In other sessions
// on this model of CPU, by assumed SDs: inconclusive, 1.04 × (0.97–1.12).".
func (o *Outcome) elsewhereText() string {
	var parts []string
	if o.differs() {
		parts = []string{"Not shown everywhere."}
	}
	for i := range o.Elsewhere {
		x, figure := &o.Elsewhere[i], ""
		if len(x.Shown) == 1 {
			figure = x.OursText()
		}
		parts = append(parts, document.Stopped(x.Where+": "+string(x.Verdict)+report.Led(", ", figure)))
	}
	return strings.Join(parts, " ")
}

// Label returns the outcome with its icon, marked if outcomes elsewhere differ.
func (o *Outcome) Label() string {
	if o.differs() {
		return o.Verdict.Label() + ", not shown everywhere"
	}
	return o.Verdict.Label()
}
