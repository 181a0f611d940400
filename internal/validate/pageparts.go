package validate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"dyno/internal/analysis"
)

// titleOf is that of a recorded metric.
func titleOf(metric string) string {
	m, _ := analysis.MetricNamed(metric)
	return m.Title
}

func (g *page) replay() {
	g.say("## Replay\n")
	r := g.p.Recorded
	g.say("Real epochs, drawn with replacement: %d of them, of runs of `dyno run` on a virtual machine of two CPUs, twelve rounds of 0.1 s each, void rounds left out", r[0].Epochs)
	g.say("(`internal/validate/epochs.json.gz`). For k = 2 they are the yardstick and its blinded copy, one program; for more, all contestants (%s),", strings.Join(r[0].Contestants, ", "))
	g.say("each less its own median ratio of its run. In every epoch it is drawn anew who is who, so the servers are alike; then the first is made faster. Looks after 8, 12, 16, 24.\n")
	rows := [][]string{{"the two identical servers", "SD of one round", "by MAD", "SD of an epoch's value", "ratio over all epochs"}}
	for _, f := range r {
		rows = append(rows, []string{titleOf(f.Metric), share(f.RoundSD), share(f.RoundMAD), share(f.PairSD), fmt.Sprintf("%.3f (%.3f–%.3f)", f.Ratio, f.Lo, f.Hi)})
	}
	g.table(rows...)
	g.say("In these runs CPU/request is as noisy as throughput: what slows a CPU of this machine down is not another process, which would leave the CPU time alone, but")
	g.say("the CPU itself, which the host shares. The pilots of the design note had seen 1 to 3 %% in an epoch's CPU/request, which is what the simulation's second noise has.\n")
	g.say("What V16 sees in all of them together, and could not in one: by how much each changes from the first half of an epoch's rounds to the second, beside the others of its")
	g.say("rounds (throughput; p by Holm over all; what some gain, the others lose). A runtime that still gets faster is not warm yet: its ratio is that of its first seconds.\n")
	rows = [][]string{{"contestant", "second half against the first", "p"}}
	for _, h := range r[0].Halves {
		rows = append(rows, []string{h.Contestant, fmt.Sprintf("%+.1f %%", 100*math.Expm1(h.Effect.Log)), fmt.Sprintf("%.2g", h.P)})
	}
	g.table(rows...)
	head := []string{"metric", "k", "A/A error, %", "effect"}
	for _, n := range replayLooks {
		head = append(head, fmt.Sprintf("found by %d, %%", n))
	}
	rows = [][]string{append(head, "interval holds, %")}
	for _, c := range g.p.Replays {
		row := []string{titleOf(c.Metric), fmt.Sprint(c.K), "", ""}
		if c.Effect == 0 {
			row[2] = c.False.String()
		} else {
			row[3] = share(c.Effect)
		}
		for _, n := range replayLooks {
			i := slices.Index(c.Looks, n)
			if c.Effect == 0 || i < 0 {
				row = append(row, "")
			} else {
				row = append(row, perCent(c.Found[i].Share()))
			}
		}
		rows = append(rows, append(row, perCent(c.Held.Share())))
	}
	g.table(rows...)
}

func (g *page) ablation() {
	g.say("## Ablation\n")
	g.say("The same noise, decided with one part of the method left out; %d rounds an epoch, at most %d epochs, %d duels a figure. *Error*: servers alike, a pair called different.", Quick.Rounds, ablationEpochs, g.p.Options.Reps)
	g.say("*Found*: one server 5 %% faster and called so. *Wrong*: called slower. Power means nothing where the error is not kept. Pairing and interleaving are for a machine that")
	g.say("drifts; where it does not, independent samples do as well.\n")
	for _, p := range Parts {
		g.say("- **%s**: %s.", p.Name, p.What)
	}
	g.say("")
	for _, n := range AblationNoises {
		g.say("### %s: %s\n", n.Noise.Name, n.What)
		rows := [][]string{{"%", "error, k = 2", "found", "wrong", "error, k = 4", "found", "wrong"}}
		for i := range Parts {
			row := []string{Parts[i].Name}
			for _, a := range g.p.Ablated {
				if a.Part == Parts[i].Name && a.Noise == n.Noise.Name {
					text := a.False.String()
					if !errorHolds(a.False) {
						text = "**" + text + "**"
					}
					row = append(row, text, perCent(a.Found.Share()), perCent(a.Wrong.Share()))
				}
			}
			rows = append(rows, row)
		}
		g.table(rows...)
	}
}

func (g *page) traps() {
	g.say("## Traps\n")
	g.say("Something works against the method on top of the noise \"%s\": %d contestants and two controls, profile quick. Rates of error and coverage are of %d duels; how often a", trapNoise.Name, trapServers, g.p.Options.Reps)
	g.say("check warns or fails, of %d whole runs of equal servers, planned by `plan` trial by trial and judged by `study`.\n", g.p.Traps[0].Runs)
	rows := [][]string{{"trap", "what it does", "error, %", "interval holds 5 %, %", "outcome"}}
	for _, t := range g.p.Traps {
		text, met := t.Outcome()
		if !met {
			text = "**" + text + "**"
		}
		held := "–"
		if t.Held.Of > 0 {
			held = perCent(t.Held.Share())
		}
		rows = append(rows, []string{t.Name, t.What, t.False.String(), held, text})
	}
	g.table(rows...)
	g.say("Runs in which a check warned or failed, %%; the first row is what they cry for nothing. V06: void rounds; V16: a contestant drifts within an epoch, or with the")
	g.say("machine; V17: the A/A canary; V19: order; V20: carry-over; V21: fresh starts differ.\n")
	rows = [][]string{append(append([]string{"trap"}, checksShown...), "a pair called different", "and the check that must tell is silent")}
	for _, t := range g.p.Traps {
		row := []string{t.Name}
		for _, id := range checksShown {
			row = append(row, perCent(t.Warned[id].Share()))
		}
		missed := ""
		if t.Catch != "" {
			missed = t.Missed.String()
		}
		rows = append(rows, append(row, t.Claimed.String(), missed))
	}
	g.table(rows...)
}

func (g *page) live() {
	g.say("## Live\n")
	if len(g.p.Live) == 0 {
		g.say("No live run is recorded yet (`doc/live.jsonl`).\n")
		return
	}
	g.say("Duels on a real machine between two servers of known truth, `ref` and `ref'` or `ref+5%%`, without controls; `dyno prove --live` appends their results to `doc/live.jsonl`,")
	g.say("run by run. They are runs of `dyno run --contestants ref,ref+5%% --controls none --primary cpu_per_request`, of 100 s; one has profile full. The hog is a child of dyno that")
	g.say("takes a whole CPU, drawn anew each time, for 0.5 to 3.5 s, a quarter of the time. *Truth* is the ratio that should come out: what is added, as the servers time it in the")
	g.say("midst of their work, beside what a request costs `ref` in the run. Beside the primary metric stands what was said of throughput. A run that comes to no look, for the machine")
	g.say("had too much else to do, counts for nothing and is made again.\n")
	rows := [][]string{{"run", "", "hog", "truth", "CPU/request", "p", "verdict", "throughput", "its verdict", "epochs", "void, %", "seconds", "seed", "commit"}}
	for i := range g.p.Live {
		l := &g.p.Live[i]
		kind, hog := map[string]string{LiveSame: "A/A", LiveCost: "A/B", LiveFull: "A/B, full"}[l.Kind], ""
		if l.Hog {
			hog = "yes"
		}
		verdict := l.Verdict
		if !l.looked() {
			verdict = "no look"
		}
		rows = append(rows, []string{fmt.Sprint(l.Number), kind, hog, fmt.Sprintf("%.3f", l.truth()), l.Side.text(), fmt.Sprintf("%.2g", l.P), verdict,
			l.Throughput.text(), l.Throughput.Verdict, fmt.Sprint(l.Epochs), perCent(l.VoidShare), fmt.Sprintf("%.0f", l.Seconds), fmt.Sprint(l.Seed), l.Commit})
	}
	g.table(rows...)
}

// text is a ratio with its interval.
func (s Side) text() string {
	if s.Hi == 0 {
		return fmt.Sprintf("%.3f", s.Ratio)
	}
	return fmt.Sprintf("%.3f (%.3f–%.3f)", s.Ratio, s.Lo, s.Hi)
}

func (g *page) limits() {
	g.say("## What this does not show\n")
	g.say("- The noise is a model. The replay is not, but its epochs are of one machine and one afternoon.")
	g.say("- A server that suffers more than another when the machine is slow *is* slower on such a machine. Where others are seen to take the CPU, those rounds are void; where")
	g.say("  nobody sees them, the ratio is that of the day, and V16 can only say that it may depend on it.")
	g.say("- Intervals and ties assume that the epochs' values are symmetric about the true log ratio. The verdict \"different\" does not: the random order makes it so.")
}

// steadyTable has a row for each contestant and arm.
func (g *page) steadyTable(units []SteadyUnit) {
	text := func(e analysis.Estimate) string {
		switch {
		case e.N == 0:
			return ""
		case math.IsInf(e.Hi, 0):
			return fmt.Sprintf("%.3f", e.Value)
		}
		return fmt.Sprintf("%.3f (%.3f–%.3f)", e.Value, e.Lo, e.Hi)
	}
	rows := [][]string{{"contestant", "trial", "units", "requests/s ÷ " + SteadyContestants[0], "÷ that of the default", "the same of CPU/request"}}
	for _, r := range SteadyRows(units) {
		rows = append(rows, []string{r.Contestant, r.Arm.String(), fmt.Sprint(r.Ratio.N), text(r.Ratio), text(r.Against), text(r.CPU)})
	}
	g.table(rows...)
}

// SteadyTable writes the table of the steadiness experiment.
func SteadyTable(w io.Writer, units []SteadyUnit) error {
	g := &page{}
	g.steadyTable(units)
	_, err := w.Write(g.b.Bytes())
	return err
}

// checks has what carry-over does to two alone, and what the statistical checks can tell.
func (g *page) checks() {
	g.say("## Carry-over between two\n")
	g.say("Two equal servers without controls, what follows the first is slower; %d duels, profile quick, noise \"%s\". Runs in which they are called different, %%.", g.p.Options.Reps, trapNoise.Name)
	g.say("*Drawn*: the order of each round is drawn; the second then follows the first more often than the first itself, which nothing in the data can tell from a difference.")
	g.say("*Chained*, as runs are taken: a round begins with whom the round before ended with, and each follows each as often.\n")
	rows := [][]string{{"carry-over", "drawn", "chained"}}
	for _, c := range g.p.Carried {
		rows = append(rows, []string{fmt.Sprintf("%g %%", 100*c.By), c.Drawn.String(), c.Chained.String()})
	}
	g.table(rows...)
	g.say("## What the checks can tell\n")
	g.say("Whole runs of equal servers with one fault in the first of them, planned by `plan` trial by trial and judged by `study`, %d a figure, noise \"%s\": runs in which the check", g.p.Checked[0].Told[0].Of, trapNoise.Name)
	g.say("warned or failed, %%, and after the stroke those in which it said that it cannot tell. A check that says neither has shown that what it looks for is smaller than its limit.\n")
	head := []string{"check", "fault"}
	for i, s := range g.p.Checked[0].Setups {
		head = append(head, fmt.Sprintf("%s (%.0f epochs)", s, g.p.Checked[0].Epochs[i]))
	}
	rows = [][]string{head}
	for _, c := range g.p.Checked {
		if c.Check == "" {
			for _, id := range statistical {
				row := []string{id, c.Fault}
				for _, f := range c.False {
					row = append(row, perCent(f[id].Share()))
				}
				rows = append(rows, row)
			}
			row := []string{"", "nothing: a contestant is called moving"}
			for _, m := range c.Moving {
				row = append(row, m.String())
			}
			rows = append(rows, row)
			continue
		}
		row := []string{c.Check, c.Fault}
		for i, told := range c.Told {
			row = append(row, perCent(told.Share())+" / "+perCent(c.CannotTell[i].Share()))
		}
		rows = append(rows, row)
	}
	g.table(rows...)
}

// steady is the experiment with long trials.
func (g *page) steady() {
	g.say("## Short trials against long ones\n")
	if len(g.p.Steady) == 0 {
		g.say("No unit of it is recorded yet (`doc/steady.jsonl`).\n")
		return
	}
	g.say("%s on a real machine, in trials of 0.1 to 10 s, frozen between them and not; `dyno prove --steady` appends its units to `doc/steady.jsonl`. A unit has fresh processes,", strings.Join(SteadyContestants, ", "))
	g.say("warmed up as in a pilot, and the trials of one arm. What a server does in service is the last arm; ÷ is its ratio to %s over that of the default arm, 0.1 s and frozen, of", SteadyContestants[0])
	g.say("the same block: Hodges–Lehmann estimates with intervals at 95 %%.\n")
	g.steadyTable(g.p.Steady)
}
