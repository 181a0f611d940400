package main

import (
	"testing"
	"time"

	"dyno/internal/plan"
)

// TestStudiesKeepToTheirTime: what the studies of Go against .NET say beforehand that they take, whole and with --quick.
func TestStudiesKeepToTheirTime(t *testing.T) {
	t.Chdir("../..")
	pr, err := openProject()
	if err != nil {
		t.Fatal(err)
	}
	for slug, whole := range map[string]time.Duration{
		"iris-vs-netcore-mvc":       30 * time.Minute,
		"iris-vs-netcore-templates": 30 * time.Minute,
		"iris-vs-netcore-sessions":  30 * time.Minute,
		"netcore-vs-golang-json":    10 * time.Minute,
	} {
		for _, quick := range []bool{false, true} {
			f := &runFlags{protocol: plan.Duel, profile: "quick", quick: quick, alpha: 0.05, margin: 0.03, seed: 1}
			p, _, err := planOf(pr, f, slug)
			if err != nil {
				t.Fatalf("%s: %v", slug, err)
			}
			most := whole
			if quick {
				most = 6 * time.Minute
			}
			cost, err := plan.Estimate(p)
			if budget := time.Duration(p.BudgetNS); err != nil || cost.Whole > most || budget > most {
				t.Errorf("%s, quick %v: takes %v of a budget of %v, want at most %v; %v", slug, quick, cost.Whole, budget, most, err)
			}
		}
	}
}
