package study

import "testing"

// Before returns claims with the hash that a run was planned with.
func TestBefore(t *testing.T) {
	one, two := 1.0, 2.0
	was := Claim{ID: "a", Kind: Bound, Metric: "throughput", A: "x", AtMost: &one}
	for name, amend := range map[string]func(*Claim){
		"bound":  func(c *Claim) { c.AtMost, c.Was = &two, &Was{Claim: Claim{AtMost: &one}, Why: "a slip"} },
		"metric": func(c *Claim) { c.Metric, c.Was = "memory", &Was{Claim: Claim{Metric: "throughput"}, Why: "a slip"} },
		"its rule": func(c *Claim) {
			old := Claim{Kind: Bound, Metric: "throughput", A: "x", AtMost: &one}
			*c = Claim{ID: "a", Kind: Order, Metric: "throughput", Cells: []string{"x", "y"},
				Was: &Was{Claim: old, Why: "a slip"}}
		},
		"withdrawn": func(c *Claim) { c.Withdrawn = "true by construction" },
		"testable":  func(c *Claim) { c.NotTestable, c.Was = "nobody can be ahead", &Was{Testable: true} },
	} {
		now := was
		amend(&now)
		list := []Claim{now}
		if Hash(list) == Hash([]Claim{was}) || Hash(Before(list)) != Hash([]Claim{was}) || list[0].Was == nil &&
			list[0].Withdrawn == "" {
			t.Errorf("%s: %+v before %+v", name, Before(list), list)
		}
	}
}
