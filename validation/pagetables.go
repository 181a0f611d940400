package main

import (
	"cmp"
	"fmt"
	"math"

	"dyno/internal/analysis"
)

// titleOf returns the name of a recorded metric in tables.
func titleOf(metric string) string {
	m, _ := analysis.MetricNamed(metric)
	return m.Title
}

// RecordedTable has the noise of the two identical servers.
func (g page) RecordedTable() table {
	head := words("the two identical servers|SD of one round|by MAD|SD of an epoch's value|ratio over all epochs")
	return tableOf(head, g.Recorded, func(f Recorded) []string {
		spread := []string{titleOf(f.Metric), share(f.RoundSD), share(f.RoundMAD), share(f.PairSD)}
		return append(spread, ratio(f.Ratio, f.Lo, f.Hi))
	})
}

// HalfTable has how much each contestant changed within its epochs.
func (g page) HalfTable() table {
	head := words("contestant|second half against the first|p")
	return tableOf(head, g.Recorded[0].Halves, func(h Half) []string {
		return []string{h.Contestant, fmt.Sprintf("%+.1f %%", 100*math.Expm1(h.Effect.Log)), fmt.Sprintf("%.2g", h.P)}
	})
}

// MisledTable has the errors of rankings.
func (g page) MisledTable() table {
	head := words("noise|servers|ranking|called different wrongly, %|equivalent, %|intervals hold: neighbours, %|" +
		"against the first, %")
	return tableOf(head, g.Misled, func(m Misled) []string {
		row := []string{m.Noise, m.Truth, m.Ranking, bold(m.Error.String(), errorHolds(m.Error))}
		return append(row, shares(m.Equivalent, m.Near, m.One)...)
	})
}

// SavedTable has what a ranking decides in fewer epochs.
func (g page) SavedTable() table {
	head := words("servers|metric|k|epochs: fit|taken|neighbours decided by all pairs, %|by the ranking, %|" +
		"of the former, by the ranking too, %|pairs decided by all pairs, %|by the ranking, %")
	return tableOf(head, g.Saved, func(s Saved) []string {
		row := []string{s.Source, titleOf(s.Metric), fmt.Sprint(s.K), fmt.Sprint(s.Fits), fmt.Sprint(s.Takes)}
		of := func(n, each int) string { return perCent(float64(n) / float64(max(1, each*g.Options.Reps))) }
		pairs := s.K * (s.K - 1) / 2
		return append(row, of(s.Near[0], s.K-1), of(s.Near[1], s.K-1), s.Kept.String(), of(s.All[0], pairs),
			of(s.All[1], pairs))
	})
}

// ReplayTable has errors and power on recorded epochs.
func (g page) ReplayTable() table {
	head := words("metric|k|A/A error, %|effect")
	for _, n := range replayAnalyses {
		head = append(head, fmt.Sprintf("found by %d, %%", n))
	}
	return tableOf(append(head, "interval holds, %"), g.Replays, func(c Replay) []string {
		wrong, found := c.False.String(), make([]string, len(replayAnalyses))
		if c.Effect != 0 {
			wrong, found = "", foundAt(replayAnalyses, c.Analyses, c.Found)
		}
		row := []string{titleOf(c.Metric), fmt.Sprint(c.K), wrong, share(c.Effect)}
		return append(append(row, found...), shares(c.Covered)...)
	})
}

// AblationTable compares the parts in one noise. It marks error rates above the limit.
func (g page) AblationTable(noise string) table {
	head := words("%|error, k = 2|found|wrong|error, k = 4|found|wrong")
	return tableOf(head, Parts, func(p Part) []string {
		row := []string{p.Name}
		for _, a := range g.Ablated {
			if a.Part == p.Name && a.Noise == noise {
				row = append(append(row, bold(a.False.String(), errorHolds(a.False))), shares(a.Found, a.Wrong)...)
			}
		}
		return row
	})
}

// TrapTable has the errors and the outcome of each trap.
func (g page) TrapTable() table {
	head := words("trap|what it does|error, %|interval holds 5 %, %|outcome")
	return tableOf(head, g.Traps, func(t Trap) []string {
		covered := "–"
		if t.Covered.Of > 0 {
			covered = perCent(t.Covered.Share())
		}
		return []string{t.Name, t.What, t.False.String(), covered, bold(t.Outcome())}
	})
}

// TrapCheckTable has how often the checks warned in whole runs of each trap.
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

// CarryTable has the rate of false differences by size of the carry-over.
func (g page) CarryTable() table {
	return tableOf(words("fault|drawn|chained"), g.Carried, func(c Carried) []string {
		return []string{c.Fault, c.Drawn.String(), c.Chained.String()}
	})
}

// BrokenTable has the errors of each case and its outcome.
func (g page) BrokenTable() table {
	head := words("case|what it does|equal|k|error, %|outcome")
	return tableOf(head, g.Broken, func(b Broken) []string {
		return []string{b.Name, b.What, cmp.Or(b.Equal, "all three"), fmt.Sprint(b.K), b.False.String(), bold(b.Outcome())}
	})
}

// TransferTable has the errors of levels that were set on one half of the recorded epochs.
func (g page) TransferTable() table {
	head := words("metric|set on|level|error there, %|error on the other half, %")
	return tableOf(head, g.Transfers, func(t Transfer) []string {
		level := fmt.Sprintf("%g × α", t.Level)
		return []string{titleOf(t.Metric), "the " + t.From + " half", level, t.Set.String(), t.Tested.String()}
	})
}

// CheckTable has how often each check found its fault. Without a fault it has a row for each check:
// false alarms.
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

// SteadyTable compares trials of different lengths.
func (g page) SteadyTable() table { return steadyTable(g.Steady) }

// steadyTable has a row for each contestant and arm.
func steadyTable(units []SteadyUnit) table {
	text := func(e analysis.Estimate) string {
		if e.N == 0 {
			return ""
		}
		return ratio(e.Value, e.Lo, e.Hi)
	}
	head := []string{"contestant", "trial", "units", "requests/s ÷ " + SteadyContestants[0],
		"÷ that of the default", "the same of CPU/request"}
	return tableOf(head, SteadyRows(units), func(r SteadyRow) []string {
		row := []string{r.Contestant, r.Arm.String(), fmt.Sprint(r.Ratio.N)}
		return append(row, text(r.Ratio), text(r.Against), text(r.CPU))
	})
}
