package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/template"

	"dyno/internal/judge"
)

// faultsText is the section about faults in the middle of runs. Tests in cmd/dyno produce the counts, not
// this package.
//
//go:embed faults.md
var faultsText string

//go:embed page.md
var pageText string

// page is the data for page.md: each exported method is a table or a figure.
type page struct{ *Results }

// Page writes the results as Markdown: the question, the limits, the figures. The same results give the same
// bytes.
func Page(w io.Writer, p *Results) error {
	t, err := template.New("page.md").Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, page{p})
}

// table is a Markdown table; the first row is the head.
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

// tableOf returns a table with one row per element of all.
func tableOf[T any](head []string, all []T, row func(T) []string) table {
	t := table{head}
	for _, x := range all {
		t = append(t, row(x))
	}
	return t
}

// words splits column heads at "|".
func words(heads string) []string { return strings.Split(heads, "|") }

// shares prints rates without intervals; an empty text for rates without cases.
func shares(rates ...Rate) (out []string) {
	for _, r := range rates {
		text := ""
		if r.Of > 0 {
			text = perCent(r.Share())
		}
		out = append(out, text)
	}
	return out
}

// share prints a noise size or an effect; an empty text for 0.
func share(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g %%", 100*x)
}

// ratio prints an estimate with its interval; without an interval if hi is 0 or infinite.
func ratio(value, lo, hi float64) string {
	if hi == 0 || math.IsInf(hi, 0) {
		return fmt.Sprintf("%.3f", value)
	}
	return fmt.Sprintf("%.3f (%.3f–%.3f)", value, lo, hi)
}

// wrongly prints a rate of false differences, in bold if it certainly exceeds the limit.
func wrongly(r Rate) string {
	met, unsure := r.keeps(errorLimit, false)
	return bold(r.String(), met || unsure)
}

// bold marks a figure that misses its limit.
func bold(text string, met bool) string {
	if met {
		return text
	}
	return "**" + text + "**"
}

// titleOf returns a recorded metric's title for tables.
func titleOf(metric string) string {
	m, _ := judge.MetricNamed(metric)
	return m.Title
}

// Command returns the command that makes the page.
func (g page) Command() string {
	command := fmt.Sprintf("go run ./validation --reps %d --seed %d", g.Options.Reps, g.Options.Seed)
	if g.Options.Only != "" {
		command += " --only " + g.Options.Only
	}
	return command
}

// Figures and names in the prose of page.md.

func (g page) Coarse() string {
	return fmt.Sprintf("%.1f", 196*math.Sqrt(.05*.95/float64(g.Options.Reps)))
}
func (g page) Faults() string        { return faultsText }
func (g page) RecordedNames() string { return strings.Join(g.Recorded[0].Contestants, ", ") }
func (g page) TrapNoise() string     { return trapNoise.Name }
func (g page) TrapServers() int      { return trapServers }
func (g page) CentreEpochs() int     { return centreEpochs }

// Has reports whether there are live runs of a kind.
func (g page) Has(kind string) bool { return len(g.liveCouples(kind, 0, false)) > 0 }

// ReplayEpochs returns after how many epochs k servers are compared.
func (g page) ReplayEpochs(k int) string {
	i := slices.IndexFunc(g.Replays, func(r Replay) bool { return r.K == k })
	return epochsIn(g.Replays[i].Analyses)
}

func epochsIn(ns []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ns), " ", ", "), "[]")
}

// BarTable lists all limits and whether they are met.
func (g page) BarTable() table {
	return tableOf(words("what|bar|worst|met"), g.Bars(), func(b Bar) []string {
		met := bold("no", false)
		switch {
		case b.Open:
			met = "not all tried yet"
		case b.Met:
			met = "yes"
		case b.Unsure:
			met = "cannot tell"
		}
		return []string{b.Target, b.Limit, b.Worst, met}
	})
}

// CaseRuns returns the smallest number of runs in any simulated case.
func (g page) CaseRuns() (fewest int) {
	for _, c := range g.Cases {
		for _, at := range c.At {
			if fewest == 0 || at.Runs > 0 && at.Runs < fewest {
				fewest = at.Runs
			}
		}
	}
	return fewest
}

// caseFigures prints the figures for a case, by title.
var caseFigures = map[string]func(at *CaseAt) string{
	"error":               func(at *CaseAt) string { return shares(at.Error)[0] },
	"all intervals hold":  func(at *CaseAt) string { return shares(at.Holds)[0] },
	"found":               func(at *CaseAt) string { return shares(at.Found)[0] },
	"called equivalent":   func(at *CaseAt) string { return shares(at.Equivalent)[0] },
	"equal ones found so": func(at *CaseAt) string { return shares(at.Same)[0] },
	"in other sessions":   func(at *CaseAt) string { return shares(at.ErrorElsewhere)[0] },
	"all hold there":      func(at *CaseAt) string { return shares(at.HoldsElsewhere)[0] },
	"found there":         func(at *CaseAt) string { return shares(at.FoundElsewhere)[0] },
	"misled":              func(at *CaseAt) string { return shares(at.Misled)[0] },
	"warned of":           func(at *CaseAt) string { return shares(at.Warned)[0] },
	"early error, last":   func(at *CaseAt) string { return shares(at.Early)[0] },
	"by 3 epochs, last":   func(at *CaseAt) string { return shares(at.At3)[0] },
	"by 5, last":          func(at *CaseAt) string { return shares(at.At5)[0] },
	"epochs taken, mean": func(at *CaseAt) string {
		if at.Runs == 0 {
			return ""
		}
		return fmt.Sprintf("%.1f", at.Epochs)
	},
}

// last returns the simulated results with the largest number of epochs.
func (c *Case) last() *CaseAt {
	at := &c.At[0]
	for i := range c.At {
		if c.At[i].Runs > 0 {
			at = &c.At[i]
		}
	}
	return at
}

// CaseTable lists a group's cases with figures for each number of epochs. Figures marked "last" are shown for
// the largest simulated number alone.
func (g page) CaseTable(group string, figures ...string) table {
	ends, t := caseEpochs(group), table{words("servers|k")}
	for _, f := range figures {
		if title, last := strings.CutSuffix(f, ", last"); last {
			t[0] = append(t[0], title)
			continue
		}
		for j, n := range ends {
			if t[0] = append(t[0], fmt.Sprint(n)); j == 0 {
				t[0][len(t[0])-1] = fmt.Sprintf("%s: n = %d", f, n)
			}
		}
	}
	for i := range g.Cases {
		c := &g.Cases[i]
		if c.Group != group {
			continue
		}
		row := []string{c.What, fmt.Sprint(c.K)}
		for _, f := range figures {
			if strings.HasSuffix(f, ", last") {
				row = append(row, caseFigures[f](c.last()))
				continue
			}
			for j := range c.At {
				row = append(row, caseFigures[f](&c.At[j]))
			}
		}
		t = append(t, row)
	}
	return t
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

// SimulationTable lists the simulated cells, one row for all truths.
func (g page) SimulationTable() table {
	t := table{words("noise|k|analyses|σ, %|A/A: error|early error|intervals hold|+3 %: equivalent|" +
		"+5 %: found by each analysis|intervals hold|epochs taken, mean")}
	for i := range g.Cells {
		same := &g.Cells[i]
		if same.Truth != "A/A" {
			continue
		}
		cell := func(truth string) *Cell {
			return &g.Cells[slices.IndexFunc(g.Cells, func(c Cell) bool {
				return c.Noise == same.Noise && c.K == same.K && c.Truth == truth
			})]
		}
		faster := cell("5 %")
		row := append([]string{same.Noise, fmt.Sprint(same.K), epochsIn(same.Analyses),
			fmt.Sprintf("%.1f", 100*same.PairSD), wrongly(same.Error)},
			shares(same.Early, same.Holds, cell("3 %").Equivalent)...)
		row = append(row, strings.Join(shares(faster.Found...), ", "))
		t = append(t, append(append(row, shares(faster.Holds)...), fmt.Sprintf("%.0f", faster.Taken)))
	}
	return t
}

// RecordedTable shows the noise between the two identical servers.
func (g page) RecordedTable() table {
	head := words("the two identical servers|SD of one round|by MAD|SD of an epoch's value|ratio over all epochs")
	return tableOf(head, g.Recorded, func(f Recorded) []string {
		spread := []string{titleOf(f.Metric), share(f.RoundSD), share(f.RoundMAD), share(f.PairSD)}
		return append(spread, ratio(f.Ratio, f.Lo, f.Hi))
	})
}

// ReplayTable shows errors and power on recorded epochs.
func (g page) ReplayTable() table {
	head := words("metric|k|effect|error, %|found by each analysis, %|all intervals hold, %")
	t := tableOf(head, g.Replays, func(c Replay) []string {
		wrong := ""
		if c.K > 2 || c.Effect == 0 {
			wrong = wrongly(c.Error)
		}
		row := []string{titleOf(c.Metric), fmt.Sprint(c.K), share(c.Effect), wrong, strings.Join(shares(c.Found...), ", ")}
		if c.Effect == 0 {
			row[4] = ""
		}
		return append(row, shares(c.Holds)...)
	})
	for _, u := range g.Unshuffled {
		t = append(t, []string{titleOf(u.Metric) + ", pairs as they are", "2", "", wrongly(u.Error), "", ""})
	}
	return t
}

// TrapTable shows the errors and the outcome for each trap.
func (g page) TrapTable() table {
	head := words("trap|what it does|error, %|intervals hold 5 %, %|outcome")
	return tableOf(head, g.Traps, func(t Trap) []string {
		covered := "–"
		if t.Covered.Of > 0 {
			covered = perCent(t.Covered.Share())
		}
		return []string{t.Name, t.What, t.False.String(), covered, bold(t.Outcome())}
	})
}

// TrapCheckTable shows how often the checks warned in whole runs, by trap.
func (g page) TrapCheckTable() table {
	head := append([]string{"trap"}, checksShown...)
	head = append(head, "a pair called different", "and the check that must tell is silent")
	return tableOf(head, g.Traps, func(t Trap) []string {
		row := []string{t.Name}
		for _, id := range checksShown {
			row = append(row, shares(t.Warned[id])...)
		}
		missed := ""
		if t.Catch != "" {
			missed = t.Missed.String()
		}
		return append(row, t.Claimed.String(), missed)
	})
}

// CarryTable shows the rate of false differences by size of the carry-over.
func (g page) CarryTable() table {
	return tableOf(words("fault|drawn|chained"), g.Carried, func(c Carried) []string {
		return []string{c.Fault, c.Drawn.String(), c.Chained.String()}
	})
}

// CheckTable shows how often each check found its fault. Without a fault it has a row per check with false
// alarms.
func (g page) CheckTable() table {
	head := words("check|fault")
	for i, s := range g.Checked[0].Setups {
		head = append(head, fmt.Sprintf("%s (%.0f epochs)", s, g.Checked[0].Epochs[i]))
	}
	t := table{head}
	for _, c := range g.Checked {
		if c.Check != "" {
			row := []string{c.Check, c.Fault}
			for i, detected := range c.Detected {
				row = append(row, perCent(detected.Share())+" / "+perCent(c.CannotTell[i].Share()))
			}
			t = append(t, row)
			continue
		}
		for _, id := range statistical {
			row := []string{id, c.Fault}
			for _, f := range c.False {
				row = append(row, shares(f[id])...)
			}
			t = append(t, row)
		}
		row := []string{"", "nothing: a contestant is called moving"}
		for _, m := range c.Moving {
			row = append(row, m.String())
		}
		t = append(t, row)
	}
	return t
}
