package plan

import (
	"testing"
	"time"

	"dyno/internal/record"
)

// A round begins with what was loaded last in its epoch, so each follows each, itself among them,
// as often.
func TestRoundsAreChained(t *testing.T) {
	for range 1 {
		p := barePlan("a", "b")
		p.Profile, p.Controls, p.Ceiling, p.BudgetNS = Standard, nil, "", int64(10*time.Minute)
		arranged(&p, paired)
		played := player{run: record.Run{Plan: p}}
		played.play(t, never)
		follows := map[[2]string]int{}
		for i := range played.run.Trials {
			x := played.run.Trials[i]
			before := played.run.Trials[max(0, i-1)]
			if i == 0 || before.Epoch != x.Epoch {
				continue
			}
			follows[[2]string{before.Contestant, x.Contestant}]++
			if x.Round > before.Round && x.Contestant != before.Contestant {
				t.Fatalf("%+v begins a round after %s", x.Key, before.Contestant)
			}
		}
		for _, name := range []string{"a", "b"} {
			own, other := follows[[2]string{name, name}], follows[[2]string{map[string]string{"a": "b", "b": "a"}[name],
				name}]
			if even := 4*own > 3*other; own == 0 || !even {
				t.Errorf("%s follows itself %d times and the other %d times", name, own, other)
			}
		}
	}
}
