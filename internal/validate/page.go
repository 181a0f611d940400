package validate

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// faultsText is what came of faults in the midst of runs: it is no work of this package, but of tests of cmd/dyno, which count them.
//
//go:embed faults.md
var faultsText string

// page writes Markdown.
type page struct {
	b bytes.Buffer
	p *Proof
}

// Page writes a proof as Markdown: what was asked, the bars, the figures. The same proof gives the same bytes.
func Page(w io.Writer, p *Proof) error {
	g := &page{p: p}
	g.head()
	if p.Cells != nil {
		g.simulation()
	}
	if p.Replays != nil {
		g.replay()
	}
	if p.Ablated != nil {
		g.ablation()
	}
	if p.Traps != nil {
		g.traps()
	}
	if p.Checked != nil {
		g.checks()
	}
	if p.Options.Only == "" {
		g.steady()
		g.live()
		g.say("%s", faultsText)
		g.limits()
	}
	_, err := w.Write(g.b.Bytes())
	return err
}

func (g *page) say(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

// table writes rows, the first of them the head.
func (g *page) table(rows ...[]string) {
	for i, row := range rows {
		g.say("| %s |", strings.Join(row, " | "))
		if i == 0 {
			g.say("|%s", strings.Repeat("---|", len(row)))
		}
	}
	g.say("")
}

func (g *page) head() {
	o := &g.p.Options
	command := fmt.Sprintf("dyno prove --reps %d --seed %d", o.Reps, o.Seed)
	if o.Only != "" {
		command += " --only " + o.Only
	}
	g.say("# Proof: do the verdicts hold?\n")
	g.say("Made by `%s`; the same command writes the same bytes. Nobody edits this page.\n", command)
	g.say("A tool that compares servers can err in two ways: it finds a difference where there is none, or none where there is one. Here both are counted, on servers\n" +
		"whose truth is known. What decides is dyno's own code: `analysis.Judge`, and for the traps the planner and all checks as well, on full records.\n")
	g.say("A figure in per cent stands with its exact 95 %% interval (Clopper and Pearson); \"worst\" is the worst of its kind in the tables below. Where many are compared, the\n" +
		"worst of them is partly chance: hence the bar on its upper bound (one-sided 95 %%).\n")
	rows := [][]string{{"what", "bar", "worst", "met"}}
	for _, b := range g.p.Bars() {
		met := "yes"
		switch {
		case b.Open:
			met = "not tried yet"
		case !b.Met:
			met = "**no**"
		}
		rows = append(rows, []string{b.Target, b.Limit, b.Worst, met})
	}
	g.table(rows...)
	g.power()
}

// power says how the bar of 5 % fares on what was recorded, which is not the noise that the bar is for.
func (g *page) power() {
	i := slices.IndexFunc(g.p.Replays, func(c Replay) bool { return c.Metric == "cpu_per_request" && c.K == 2 && c.Effect == .05 })
	if i < 0 {
		return
	}
	c := g.p.Replays[i]
	by := func(n int) string { return perCent(c.Found[slices.Index(c.Looks, n)].Share()) }
	g.say("The bar of 5 %% found is for the noise of the pilots. In the recordings of this machine CPU/request is about three times as noisy: there, with the rounds of quick,")
	g.say("5 %% between two servers is found in %s %% of the duels by 12 epochs and in %s %% by 24. Before a run goes on, dyno tells what it can find.\n", by(12), by(24))
}

func (g *page) simulation() {
	g.say("## Simulation\n")
	g.say("%d duels a cell. A duel has k contestants and its controls, which take time in each round. Each trial's log speed is the sum of", g.p.Options.Reps)
	g.say("the server's truth; its process's own deviation, the same for an epoch (T2); the machine's drift, which wanders while the trials go on, with the autocorrelation that")
	g.say("was measured here (.83 at 10 ms, .49 at 0.1 s, .26 at 0.4 s, .2 at 1 s); noise of the trial (T1, given for 0.4 s; a trial of 0.1 s has twice that); and hits by")
	g.say("something else, one-sided.\n")
	rows := [][]string{{"noise", "drift", "T1", "T2", "hits", "their mean"}}
	for _, n := range Noises {
		name := n.Name
		if n.Loud != 0 {
			name += fmt.Sprintf(" (T1, T2 × %g)", n.Loud)
		}
		rows = append(rows, []string{name, share(n.Drift), share(n.Trial), share(n.Start), share(n.Hits), share(n.Hit)})
	}
	g.table(rows...)
	g.say("*full*: %d rounds of 0.1 s an epoch, looks after 12, 16, 24, 32, 48 epochs, α split evenly. *quick*: %d rounds, the looks that `dyno run` itself would plan for native", Full.Rounds, Quick.Rounds)
	g.say("contestants in 6 minutes (10 for k = 10). A duel stops when all pairs are decided.\n")
	g.simulatedErrors()
	g.simulatedPower(Full)
	g.simulatedPower(Quick)
	g.simulatedIntervals()
}

// cell finds a cell of the simulation.
func (g *page) cell(noise string, pr Profile, k int, truth string) *Cell {
	i := slices.IndexFunc(g.p.Cells, func(c Cell) bool { return c.Noise == noise && c.Profile == pr.Name && c.K == k && c.Truth == truth })
	return &g.p.Cells[i]
}

func (g *page) simulatedErrors() {
	g.say("### All servers alike: runs in which any pair was called different, %%\n")
	rows := [][]string{{"noise", "full, k = 2", "4", "10", "quick, k = 2", "4", "10"}}
	for _, n := range Noises {
		row := []string{n.Name}
		for _, pr := range []Profile{Full, Quick} {
			for _, k := range sizes {
				row = append(row, g.cell(n.Name, pr, k, "A/A").False.String())
			}
		}
		rows = append(rows, row)
	}
	g.table(rows...)
}

func (g *page) simulatedPower(pr Profile) {
	g.say("### One server 5 %% faster: found after so many epochs, %% (%s)\n", pr.Name)
	g.say("\"Found\" means that the first was called better than the second. σ is the standard deviation of the pair's value of an epoch, by MAD.\n")
	var ns []int
	for _, k := range sizes {
		ns = append(ns, g.cell(Noises[0].Name, pr, k, "5 %").Looks...)
	}
	slices.Sort(ns)
	ns = slices.Compact(ns)
	head := []string{"noise", "k", "σ, %"}
	for _, n := range ns {
		head = append(head, fmt.Sprint(n))
	}
	rows := [][]string{append(head, "epochs taken, mean")}
	for _, n := range Noises {
		for _, k := range sizes {
			c := g.cell(n.Name, pr, k, "5 %")
			row := []string{n.Name, fmt.Sprint(k), fmt.Sprintf("%.1f", 100*c.PairSD)}
			for _, at := range ns {
				text := ""
				if i := slices.Index(c.Looks, at); i >= 0 {
					text = perCent(c.Found[i].Share())
				}
				row = append(row, text)
			}
			rows = append(rows, append(row, fmt.Sprintf("%.0f", c.Duration)))
		}
	}
	g.table(rows...)
}

func (g *page) simulatedIntervals() {
	g.say("### Intervals, ties and ranks, %% (full)\n")
	g.say("Coverage of the 95 %% interval after a fixed number of epochs, k = 2, all duels with servers alike and with one 5 %% faster, full and quick; of the interval displayed when")
	g.say("the run stopped, by k, one server 5 %% faster; pairs called a tie whose true difference is 6 %%, and 3 %%, which is the margin; runs all of whose rank intervals hold.")
	g.say("Ranks are discrete: of values that are symmetric about the truth, as in all of these noises, the interval holds it in 95.8, 95.1 and 95.1 %% after 12, 24 and 48 epochs,")
	g.say("whatever their distribution. A figure of %d duels scatters about that by %.1f points.\n", 4*g.p.Options.Reps, 100*math.Sqrt(.95*.05/float64(4*g.p.Options.Reps)))
	rows := [][]string{{"noise", "n = 12", "n = 24", "n = 48", "displayed, k = 2", "4", "10", "tie at 6 %", "tie at 3 %", "ranks, k = 4", "10"}}
	for _, n := range Noises {
		row := []string{n.Name}
		for _, at := range []int{12, 24, 48} {
			row = append(row, perCent(g.p.covered(n.Name, at).Share()))
		}
		for _, k := range sizes {
			row = append(row, perCent(g.cell(n.Name, Full, k, "5 %").Held.Share()))
		}
		row = append(row, perCent(g.cell(n.Name, Full, 2, "6 %").Tie.Share()), perCent(g.cell(n.Name, Full, 2, "3 %").Tie.Share()))
		for _, k := range sizes[1:] {
			row = append(row, perCent(g.cell(n.Name, Full, k, "5 %").Ranks.Share()))
		}
		rows = append(rows, row)
	}
	g.table(rows...)
}

func share(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g %%", 100*x)
}
