package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// group is a set of contestants of which no two are separated: no pair of them is shown to differ by
// more than the margin.
type group struct {
	rows  []Row
	pairs []judge.Pair
}

// open reports whether any pair of the group is inconclusive.
func (g *group) open() bool {
	return slices.ContainsFunc(g.pairs, func(p judge.Pair) bool { return p.Verdict == judge.Inconclusive })
}

// withdrawn reports whether each inconclusive pair has a reason that more epochs do not change.
func (g *group) withdrawn() bool {
	return g.open() && !slices.ContainsFunc(g.pairs, func(p judge.Pair) bool {
		return p.Verdict == judge.Inconclusive && p.Note == ""
	})
}

// shownGroups is the largest number of groups that the answer names with reasons, and of further
// groups that it names without.
const shownGroups = 4

// notSeparated names the groups that are not separated, with reasons, or says that there are none.
// It returns "" for a single group with all rows, because the first sentence says so.
func (v *View) notSeparated(rows []Row) string {
	groups := v.groups(rows)
	switch {
	case len(groups) == 1 && len(groups[0].rows) == len(rows):
		return ""
	case len(groups) == 0 && len(rows) == 2:
		return ""
	case len(groups) == 0:
		return fmt.Sprintf("All %d are separated: compared pair by pair, each differs from every other.", len(rows))
	}
	var parts []string
	for i := range groups[:min(len(groups), shownGroups)] {
		parts = append(parts, groups[i].names()+" ("+v.why(groups[i])+")")
	}
	switch n := len(groups) - shownGroups; {
	case n > shownGroups:
		parts = append(parts, document.Count(n, "more group")+" under “Pair by pair” in the details")
	case n > 0:
		var more []string
		for _, g := range groups[shownGroups:] {
			more = append(more, g.names())
		}
		parts = append(parts, "also "+strings.Join(more, "; "))
	}
	return "Not separated: " + strings.Join(parts, "; ") + "."
}

// names returns the group's names; if there are many, without the middle ones.
func (g *group) names() string {
	names := titles(g.rows)
	if n := len(names); n > 5 {
		names = slices.Concat(names[:2], []string{"…", names[n-1]})
	}
	return strings.Join(names, " / ")
}

// groups returns the largest sets of neighbours of which no two are separated, then the remaining
// pairs. A row can be in several groups: if it is not separated from either neighbour, the
// neighbours may still differ.
func (v *View) groups(rows []Row) (groups []group) {
	pair := func(i, j int) (judge.Pair, bool) {
		p, ok := v.a.Pair(rows[i].Name, rows[j].Name, v.primary().Name)
		return p, ok && p.Verdict != judge.Different
	}
	end := 0 // of the group before
	for i := range rows {
		j := i + 1
		for j < len(rows) && !slices.ContainsFunc(rows[i:j], func(r Row) bool {
			p, ok := v.a.Pair(r.Name, rows[j].Name, v.primary().Name)
			return !ok || p.Verdict == judge.Different
		}) {
			j++
		}
		if j > i+1 && j > end {
			groups, end = append(groups, group{rows[i:j], v.pairsOf(rows[i:j])}), j
		}
	}
	for i := range rows {
		for j := i + 2; j < len(rows); j++ {
			p, together := pair(i, j)
			if together && !slices.ContainsFunc(groups, func(g group) bool {
				return g.has(rows[i]) && g.has(rows[j])
			}) {
				groups = append(groups, group{[]Row{rows[i], rows[j]}, []judge.Pair{p}})
			}
		}
	}
	return groups
}

func (g *group) has(r Row) bool {
	return slices.ContainsFunc(g.rows, func(x Row) bool { return x.Name == r.Name })
}

// pairsOf returns the comparisons between rows under the primary metric, each as the upper row
// against the lower one.
func (v *View) pairsOf(rows []Row) (all []judge.Pair) {
	for i := range rows {
		for _, r := range rows[i+1:] {
			if p, ok := v.a.Pair(rows[i].Name, r.Name, v.primary().Name); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// why says why a group is not separated, and how far apart its members can be if that is known.
func (v *View) why(g group) string {
	if !g.open() {
		return v.equal()
	}
	reason, apart := "few data", 0.
	if quiet := judge.Summary(v.Findings)[judge.MachineQuiet]; quiet.State >= judge.Warn {
		reason = "noise"
	}
	for _, p := range g.pairs {
		if p.Verdict != judge.Inconclusive {
			continue
		}
		if p.Note != "" {
			return "no verdict: " + document.Clean(p.Note)
		}
		apart = max(apart, p.Ratio.Hi-1, 1/p.Ratio.Lo-1)
	}
	if math.IsInf(apart, 0) || math.IsNaN(apart) {
		return reason
	}
	return reason + ": at most " + PerCent(apart) + " apart"
}
