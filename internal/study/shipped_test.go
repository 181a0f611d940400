package study

import (
	"os"
	"slices"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// The study on the Go frameworks has the cells that it was made for, and its quick run ends within
// five and a half minutes by its own estimate, long loads included.
func TestGoWebFrameworkBenchmark(t *testing.T) {
	st, err := Read(os.DirFS("../.."), "go-web-framework-benchmark")
	if err != nil {
		t.Fatal(err)
	}
	of := func(c Choice) (record.Plan, plan.Cost) {
		p := planned(t, plan.Request{Question: st.Ask(c), Seed: 1})
		cost, err := plan.Estimate(&p)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: %d trials, %d pairs, %v", c, cost.Trials, cost.Pairs, cost.Whole.Round(time.Second))
		return p, cost
	}
	p, cost := of(Choice{Quick: true})
	if len(p.Contestants) != 12 || p.Rounds != 1 || len(p.Levels) != 1 || cost.Whole > 330*time.Second ||
		p.BudgetNS > int64(6*time.Minute) {
		t.Errorf("quick: %d contestants, %d rounds, %d levels, %v of %v", len(p.Contestants), p.Rounds, len(p.Levels),
			cost.Whole, time.Duration(p.BudgetNS))
	}
	for _, l := range p.Levels {
		if l.Pipeline > 1 || l.PerConnection > 0 {
			t.Errorf("quick has %+v", l)
		}
	}
	if p, _ = of(Choice{}); len(p.Contestants) < 40 || !p.Heap {
		t.Errorf("%d contestants, heap %t", len(p.Contestants), p.Heap)
	}
	var wanted []record.Level
	for _, ms := range []int64{0, 10, 30, 100, 500} {
		wanted = append(wanted, record.Level{DelayNS: ms * 1e6, Connections: 5000, Pipeline: 1})
	}
	for _, c := range []int{100, 1000, 5000} {
		wanted = append(wanted, record.Level{Connections: c, Pipeline: 1},
			record.Level{DelayNS: 30e6, Connections: c, Pipeline: 1},
			record.Level{Work: record.CPUBound, Connections: c, Pipeline: 1})
	}
	wanted = append(wanted, record.Level{Connections: 1000, Pipeline: 1, PerConnection: 1},
		record.Level{Connections: 5000, Pipeline: 16}, record.Level{DelayNS: 30e6, Connections: 5000, Pipeline: 16})
	for _, l := range wanted {
		at := slices.Index(p.Levels, l)
		n := 0
		for _, c := range p.Cells {
			if c.Level == at && slices.Contains(p.Contestants, c.Contestant) {
				n++
			}
		}
		if at < 0 || n != len(st.everywhere) {
			t.Errorf("%+v: %d contestants are loaded there", l, n)
		}
	}
}

// Every article has answers, which the quick parts of their studies measure, all together in at most 35 minutes.
func TestAnswersOfArticles(t *testing.T) {
	all, err := Answers(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	letters, budget := "", time.Duration(0)
	for _, a := range all {
		letters += a.Article.Letter
		p := planned(t, plan.Request{Question: a.Study.Ask(Choice{Quick: true}), Seed: 1})
		for _, c := range a.Claim.All() {
			at := slices.Index(p.Levels, a.Study.level(c.Level).At)
			if !p.Has(record.Cell{Contestant: c.Contestant, Level: at}) {
				t.Errorf("%s, %s: the quick part does not load %s", a.Study.Slug, a.Claim.ID, c)
			}
		}
		if yearIn.FindString(a.Article.Source) == "" {
			t.Errorf("%q has no year", a.Article.Source)
		}
	}
	for _, s := range StudiesOf(all) {
		budget += s.Ask(Choice{Quick: true}).Budget
	}
	if letters != "IIRRFJJM" || budget != 35*time.Minute {
		t.Errorf("answers of %s, in %v", letters, budget)
	}
}
