package plan

import (
	"strings"
	"testing"

	"dyno/internal/record"
)

// A plan without what it needs is refused, with the key.
func TestCheck(t *testing.T) {
	for key, spoil := range map[string]func(*record.Plan){
		"plan.processes": func(p *record.Plan) { p.Processes = "ever" },
		"plan.epochs 0":  func(p *record.Plan) { p.Epochs = nil },
		"plan.rounds":    func(p *record.Plan) { p.Rounds = 0 },
		"plan.levels ask": func(p *record.Plan) {
			p.Epochs, p.Levels = []int{8, 9000}, append(p.Levels, record.Level{Connections: 1, CPUs: 2})
			p.Cells = append(p.Cells, cell("a", 1), cell("b", 1))
			p.Family = p.PairsAt(0, 1)
		},
		"2016 pairs": func(p *record.Plan) {
			*p = standardPlan(strings.Fields(strings.Repeat("a ", 64))...)
		},
	} {
		p := standardPlan("a", "b")
		if err := Check(&p); err != nil {
			t.Fatal(err)
		}
		spoil(&p)
		if err := Check(&p); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}
