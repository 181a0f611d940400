package study

import (
	"slices"
	"time"

	"dyno/internal/article"
	"dyno/internal/plan"
	"dyno/internal/result"
)

// Planned are the levels of a plan, the cells that are loaded and the comparisons that are decided, as the study and its claims want them; quick takes
// the levels that are marked so, all where none is, and the contestants of quick_contestants. Of a study with one level every pair of contestants is
// decided, and cells and family are empty.
func (s *Study) Planned(quick bool) (levels []result.Level, cells []result.Cell, family []result.Comparison) {
	taken := s.taken(quick)
	for _, l := range taken {
		levels = append(levels, l.At)
	}
	if len(s.Levels) == 1 {
		return levels, nil, nil
	}
	for i, l := range taken {
		for _, name := range s.at(l) {
			if slices.Contains(s.entrants(quick), name) {
				cells = append(cells, result.Cell{Contestant: name, Level: i})
			}
		}
	}
	find := func(c article.Cell) (result.Cell, bool) {
		i := slices.IndexFunc(taken, func(l *Level) bool { return l.Name == c.Level })
		found := result.Cell{Contestant: c.Contestant, Level: i}
		return found, i >= 0 && slices.Contains(cells, found)
	}
	for i := range s.Claims {
		if m, ok := article.MetricNamed(s.Claims[i].Metric); !ok || m.Static {
			continue
		}
		for _, p := range s.Claims[i].Pairs() {
			a, ok := find(p.A)
			b, ok2 := find(p.B)
			if ok && ok2 && !slices.ContainsFunc(family, func(c result.Comparison) bool { return c.A == a && c.B == b || c.A == b && c.B == a }) {
				family = append(family, result.Comparison{A: a, B: b})
			}
		}
	}
	return levels, cells, family
}

// entrants are the contestants of a run.
func (s *Study) entrants(quick bool) []string {
	if quick && len(s.QuickContestants) > 0 {
		return s.QuickContestants
	}
	return s.Contestants
}

// taken are the levels that a run loads.
func (s *Study) taken(quick bool) []*Level {
	var all, some []*Level
	for i := range s.Levels {
		all = append(all, &s.Levels[i])
		if s.Levels[i].Quick {
			some = append(some, &s.Levels[i])
		}
	}
	if quick && len(some) > 0 {
		return some
	}
	return all
}

// Fill puts the study's question into a plan, of which the protocol is known: what is loaded and decided, for how long, and the claims that it is to
// judge. What was asked for by hand comes after it.
func (s *Study) Fill(p *result.Plan, quick bool) {
	levels, cells, family := s.Planned(quick)
	p.Study, p.Title, p.Scenario, p.Primary = s.Slug, s.Title, s.Scenario, s.Primary
	p.Contestants = slices.DeleteFunc(slices.Clone(s.entrants(quick)), func(name string) bool {
		return len(cells) > 0 && !slices.ContainsFunc(cells, func(c result.Cell) bool { return c.Contestant == name })
	})
	p.Level, p.ClaimsHash = levels[0], article.Hash(s.Claims)
	if len(levels) > 1 && (p.Protocol == plan.Duel || p.Protocol == plan.Sweep) {
		p.Levels = levels
	}
	if len(levels) > 1 && p.Protocol == plan.Duel {
		p.Cells, p.Family = cells, family
	}
	budget := s.Budget
	if quick && s.QuickBudget != "" {
		budget = s.QuickBudget
	}
	if d, err := time.ParseDuration(budget); err == nil && p.Protocol == plan.Duel {
		p.BudgetNS = int64(d)
	}
	if p.Protocol == plan.Classic {
		p.Requests = s.Requests
		if d, err := time.ParseDuration(s.Duration); err == nil {
			p.TrialNS = int64(d)
		}
	}
}
