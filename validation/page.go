package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/template"
)

// faultsText is the section about faults in the middle of runs. Tests of cmd/dyno count them, not
// this package.
//
//go:embed faults.md
var faultsText string

//go:embed page.md
var pageText string

// page is the data of page.md: each exported method is a table or a figure in it.
type page struct{ *Results }

// Page writes results as Markdown: the question, the limits, the figures. The same results give the
// same bytes.
func Page(w io.Writer, p *Results) error {
	t, err := template.New("page.md").Funcs(template.FuncMap{"percent": perCent}).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, page{p})
}

// table is a Markdown table, the head first.
type table [][]string

// String returns the table with a newline at the end.
func (t table) String() string {
	var b strings.Builder
	for i, row := range t {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
	return b.String()
}

// tableOf returns a table with a row for each of all.
func tableOf[T any](head []string, all []T, row func(T) []string) table {
	t := table{head}
	for _, x := range all {
		t = append(t, row(x))
	}
	return t
}

// words splits the heads of columns at "|".
func words(heads string) []string { return strings.Split(heads, "|") }

// shares prints rates without their intervals.
func shares(rates ...Rate) (out []string) {
	for _, r := range rates {
		out = append(out, perCent(r.Share()))
	}
	return out
}

// share prints a size of noise or an effect; nothing for 0.
func share(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g %%", 100*x)
}

// ratio prints an estimate with its interval; without it where hi is 0 or infinite.
func ratio(value, lo, hi float64) string {
	if hi == 0 || math.IsInf(hi, 0) {
		return fmt.Sprintf("%.3f", value)
	}
	return fmt.Sprintf("%.3f (%.3f–%.3f)", value, lo, hi)
}

// bold marks a figure that misses its limit.
func bold(text string, met bool) string {
	if met {
		return text
	}
	return "**" + text + "**"
}

// Command returns the command that makes the page.
func (g page) Command() string {
	command := fmt.Sprintf("go run ./validation --reps %d --seed %d", g.Options.Reps, g.Options.Seed)
	if g.Options.Only != "" {
		command += " --only " + g.Options.Only
	}
	return command
}

// Figures and names that the prose of page.md repeats.

func (g page) Faults() string                  { return faultsText }
func (g page) Full() Profile                   { return Full }
func (g page) Standard() Profile               { return Standard }
func (g page) CoverageReps() int               { return 4 * g.Options.Reps }
func (g page) CoverageScatter() float64        { return 100 * math.Sqrt(.95*.05/float64(g.CoverageReps())) }
func (g page) RecordedNames() string           { return strings.Join(g.Recorded[0].Contestants, ", ") }
func (g page) FamilyFits() int                 { return familyFits }
func (g page) FamilyPairs() int                { return familyServers * (familyServers - 1) / 2 }
func (g page) AblationEpochs() int             { return ablationEpochs }
func (g page) AblationNoises() []AblationNoise { return AblationNoises }
func (g page) Parts() []Part                   { return Parts }
func (g page) TrapNoise() string               { return trapNoise.Name }
func (g page) TrapServers() int                { return trapServers }
func (g page) CentreEpochs() int               { return centreEpochs }
func (g page) BrokenRuns() int                 { return brokenRuns(&g.Options) }
func (g page) SteadyContestants() []string     { return SteadyContestants }
func (g page) SteadyNames() string             { return strings.Join(SteadyContestants, ", ") }

// BarTable lists all limits and whether they are met.
func (g page) BarTable() table {
	return tableOf(words("what|bar|worst|met"), g.Bars(), func(b Bar) []string {
		met := bold("no", false)
		switch {
		case b.Open:
			met = "not tried yet"
		case b.Met:
			met = "yes"
		}
		return []string{b.Target, b.Limit, b.Worst, met}
	})
}

// Power returns how often a difference of 5 % between two recorded servers is found by 12 and by 24
// epochs. The limit applies to another noise. Power returns nil if nothing was replayed.
func (g page) Power() []Rate {
	for _, c := range g.Replays {
		if c.Metric == "cpu_per_request" && c.K == 2 && c.Effect == .05 {
			return []Rate{c.Found[slices.Index(c.Analyses, 12)], c.Found[slices.Index(c.Analyses, 24)]}
		}
	}
	return nil
}

// NoiseTable lists the sizes of the simulated noises.
func (g page) NoiseTable() table {
	return tableOf(words("noise|drift|T1|T2|hits|their mean"), Noises, func(n Noise) []string {
		name := n.Name
		if n.Loud != 0 {
			name += fmt.Sprintf(" (T1, T2 × %g)", n.Loud)
		}
		return []string{name, share(n.Drift), share(n.Trial), share(n.Start), share(n.Hits), share(n.Hit)}
	})
}

// cell finds a cell of the simulation.
func (g page) cell(noise Noise, profile string, k int, truth string) *Cell {
	return &g.Cells[slices.IndexFunc(g.Cells, func(c Cell) bool {
		return c.Noise == noise.Name && c.Profile == profile && c.K == k && c.Truth == truth
	})]
}

// ErrorTable has the rate of false differences, by noise, profile and number of servers.
func (g page) ErrorTable() table {
	return tableOf(words("noise|full, k = 2|4|10|standard, k = 2|4|10"), Noises, func(n Noise) []string {
		row := []string{n.Name}
		for _, pr := range profiles {
			for _, k := range sizes {
				row = append(row, g.cell(n, pr.Name, k, "A/A").False.String())
			}
		}
		return row
	})
}

// PowerTable shows how often a difference of 5 % is found by each interim analysis of a profile.
// With fewer servers more analyses fit into the budget, so some cells are empty.
func (g page) PowerTable(profile string) table {
	var ns []int
	for _, k := range sizes {
		ns = append(ns, g.cell(Noises[0], profile, k, "5 %").Analyses...)
	}
	slices.Sort(ns)
	ns = slices.Compact(ns)
	head := words("noise|k|σ, %")
	for _, n := range ns {
		head = append(head, fmt.Sprint(n))
	}
	t := table{append(head, "epochs taken, mean")}
	for _, n := range Noises {
		for _, k := range sizes {
			c := g.cell(n, profile, k, "5 %")
			row := []string{n.Name, fmt.Sprint(k), fmt.Sprintf("%.1f", 100*c.PairSD)}
			row = append(row, foundAt(ns, c.Analyses, c.Found)...)
			t = append(t, append(row, fmt.Sprintf("%.0f", c.Duration)))
		}
	}
	return t
}

// foundAt prints what was found by each of ns epochs; nothing where there was none.
func foundAt(ns, analyses []int, found []Rate) []string {
	out := make([]string, len(ns))
	for i, n := range ns {
		if at := slices.Index(analyses, n); at >= 0 {
			out[i] = perCent(found[at].Share())
		}
	}
	return out
}

// IntervalTable has the coverage of intervals, and the rates of false equivalence and wrong ranks.
func (g page) IntervalTable() table {
	head := words("noise|n = 12|n = 24|n = 48|displayed, k = 2|4|10|equivalent at 6 %|equivalent at 3 %|ranks, k = 4|10")
	return tableOf(head, Noises, func(n Noise) []string {
		cell := func(k int, truth string) *Cell { return g.cell(n, Full.Name, k, truth) }
		return append([]string{n.Name}, shares(
			g.covered(n.Name, 12), g.covered(n.Name, 24), g.covered(n.Name, 48),
			cell(2, "5 %").Covered, cell(4, "5 %").Covered, cell(10, "5 %").Covered,
			cell(2, "6 %").Equivalent, cell(2, "3 %").Equivalent,
			cell(4, "5 %").Ranks, cell(10, "5 %").Ranks)...)
	})
}
