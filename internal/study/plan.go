package study

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// Choice selects the part of a study that a run measures. Quick selects the levels marked as quick
// (all, if none is) and the contestants in quick_contestants. Levels selects levels by name; empty
// means all, or with Apart all but those as published.
type Choice struct {
	Quick  bool
	Levels []string
	Apart  bool // server and generator have machines of their own
}

// planned returns the levels, the cells to load and the comparisons to decide, as the study and its
// claims require. With one level, every pair of contestants is decided, and cells and family are
// empty.
func (s *Study) planned(c Choice) (levels []record.Level, cells []record.Cell, family []record.Comparison) {
	taken := s.taken(c)
	for _, l := range taken {
		levels = append(levels, l.At)
	}
	if len(taken) < 2 {
		return levels, nil, nil
	}
	for i, l := range taken {
		for _, name := range s.at(l) {
			if slices.Contains(s.participants(c.Quick), name) {
				cells = append(cells, record.Cell{Contestant: name, Level: i})
			}
		}
	}
	find := func(c Cell) (record.Cell, bool) {
		i := slices.IndexFunc(taken, func(l *Level) bool { return l.Name == c.Level })
		found := record.Cell{Contestant: c.Contestant, Level: i}
		return found, i >= 0 && slices.Contains(cells, found)
	}
	if !slices.ContainsFunc(taken[1:], func(l *Level) bool { return !l.Extra }) {
		return levels, cells, nil // every pair at the first level is decided
	}
	for _, c := range Current(s.Claims) {
		if m, ok := MetricNamed(c.Metric); !ok || m.Static {
			continue
		}
		for _, p := range c.Pairs() {
			a, ok := find(p.A)
			b, ok2 := find(p.B)
			if ok && ok2 && !taken[a.Level].Extra && !taken[b.Level].Extra &&
				!slices.ContainsFunc(family, func(c record.Comparison) bool {
					return c.A == a && c.B == b || c.A == b && c.B == a
				}) {
				family = append(family, record.Comparison{A: a, B: b})
			}
		}
	}
	return levels, cells, family
}

// participants returns a run's contestants.
func (s *Study) participants(quick bool) []string {
	if quick && len(s.QuickContestants) > 0 {
		return s.QuickContestants
	}
	return s.Contestants
}

// taken returns the levels that a run loads, including levels whose processes one of them
// continues.
func (s *Study) taken(c Choice) []*Level {
	var all, quick []*Level
	for i := range s.Levels {
		l := &s.Levels[i]
		leads := func(to func(Level) bool) bool {
			return slices.ContainsFunc(s.Levels, func(o Level) bool {
				return to(o) && o.part == l.part && o.At.Step >= l.At.Step
			})
		}
		if len(c.Levels) > 0 && !leads(func(o Level) bool { return slices.Contains(c.Levels, o.Name) }) ||
			len(c.Levels) == 0 && c.Apart && l.At.AsPublished {
			continue
		}
		all = append(all, l)
		if leads(func(o Level) bool { return o.Quick }) {
			quick = append(quick, l)
		}
	}
	if c.Quick && len(quick) > 0 {
		return quick
	}
	return all
}

// names returns the study's names for the levels taken; nil if it names none.
func (s *Study) names(c Choice) []string {
	var names []string
	for _, l := range s.taken(c) {
		names = append(names, l.Given)
	}
	if !slices.ContainsFunc(names, func(n string) bool { return n != "" }) {
		return nil
	}
	return names
}

// Decided reports whether all pairs are decided, and every pair that the claims compare on the
// claim's own metric. Withdrawn verdicts count as decided: more epochs would not decide them.
func (s *Study) Decided(run *record.Run, a *judge.Analysis) bool {
	if !a.Decided() {
		return false
	}
	e := &evidence{study: s, run: run}
	for _, c := range Current(s.Claims) {
		for _, pair := range c.Pairs() {
			x, ok := e.cell(pair.A)
			y, ok2 := e.cell(pair.B)
			if !ok || !ok2 {
				continue
			}
			p, compared := a.Compared(x, y, c.Metric)
			if compared && p.Verdict == judge.Inconclusive && p.Note == "" {
				return false
			}
		}
	}
	return true
}

// Whole returns an error if a run does not cover all that the study asks. A study's page must not
// be written from a partial run.
func (s *Study) Whole(run *record.Run) error {
	p := &run.Plan
	if !p.InRounds() {
		return errors.New("the run compares no pairs, so it has no verdicts; the page needs a run that does")
	}
	for i := range s.Levels {
		if !s.Levels[i].Extra && !slices.Contains(p.Levels, s.Levels[i].At) {
			return fmt.Errorf("the run did not load the level %q; the page needs a run with every level",
				s.Levels[i].Name)
		}
	}
	for _, name := range s.Contestants {
		if !slices.Contains(p.Contestants, name) {
			return fmt.Errorf("%s was not in the run; the page needs a run with every contestant", name)
		}
	}
	return nil
}

// Ask returns the question that a Choice asks.
func (s *Study) Ask(c Choice) plan.Question {
	levels, cells, family := s.planned(c)
	q := plan.Question{
		Study: s.Slug, Title: s.Title, ClaimsHash: Hash(s.Claims), Scenario: s.Scenario, Primary: s.Primary,
		Contestants: slices.DeleteFunc(slices.Clone(s.participants(c.Quick)), func(name string) bool {
			return !slices.ContainsFunc(s.taken(c), func(l *Level) bool { return slices.Contains(s.at(l), name) })
		}),
		Levels: levels, LevelNames: s.names(c), Cells: cells, Family: family,
		Rounds: s.Rounds, ExtraEpochs: s.ExtraEpochs, Epochs: s.Epochs, Requests: s.Requests, Heap: s.Heap,
		Fresh: s.Fresh,
	}
	if len(c.Levels) == 0 {
		q.Classics = s.classics()
	}
	extra, own := []int{}, false
	for i, l := range s.taken(c) {
		if l.Controls != nil && !*l.Controls {
			q.Uncontrolled = append(q.Uncontrolled, i)
		}
		extra, own = append(extra, l.ExtraEpochs), own || l.ExtraEpochs > 0
	}
	if own {
		q.LevelExtraEpochs = extra
	}
	budget := s.Budget
	if c.Quick {
		q.Rounds, budget = cmp.Or(s.QuickRounds, s.Rounds), cmp.Or(s.QuickBudget, s.Budget)
	}
	q.Budget, _ = time.ParseDuration(budget) // Read has checked it
	q.Duration, _ = time.ParseDuration(s.Duration)
	return q
}
