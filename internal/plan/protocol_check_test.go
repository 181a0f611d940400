package plan

import (
	"strings"
	"testing"

	"dyno/internal/result"
)

// A plan without what its protocol needs is refused, with the key.
func TestCheck(t *testing.T) {
	for key, p := range map[string]result.Plan{
		"plan.protocol":         {Protocol: "duel"},
		"plan.interim_analyses": {Protocol: Paired, Rounds: 1},
		"plan.rounds":           {Protocol: Paired, Analyses: []int{8}},
		"plan.levels": {Protocol: Paired, Rounds: 1, Analyses: []int{8, 9000}, Contestants: []string{"a", "b"},
			Levels: []result.Level{{Connections: 1}, {Connections: 1, CPUs: 2}},
			Family: []result.Comparison{{A: result.Cell{Contestant: "a"}, B: result.Cell{Contestant: "b"}},
				{A: result.Cell{Contestant: "a", Level: 1}, B: result.Cell{Contestant: "b", Level: 1}}}},
		"plan.slo":   {Protocol: Search},
		"2016 pairs": {Protocol: Paired, Rounds: 1, Analyses: []int{8}, Contestants: strings.Fields(strings.Repeat("a ", 64))},
	} {
		if err := Check(&p); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, p := range []result.Plan{{Protocol: Paired, Rounds: 1, Analyses: []int{8}},
		{Protocol: Paired, Rounds: 1, Analyses: []int{8}, Contestants: strings.Fields(strings.Repeat("a ", 63))}, {Protocol: Sweep},
		{Protocol: Search, SLO: &result.SLO{}}, {Protocol: Classic}} {
		if err := Check(&p); err != nil {
			t.Errorf("%s: %v", p.Protocol, err)
		}
	}
}
