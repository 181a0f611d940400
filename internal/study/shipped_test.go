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
// ten minutes by its own estimate.
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
	if len(p.Contestants) != 12 || p.Rounds != 1 || len(p.Levels) != 3 || cost.Whole > 10*time.Minute ||
		p.BudgetNS > int64(10*time.Minute) {
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
