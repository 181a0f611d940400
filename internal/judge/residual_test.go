package judge

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno/internal/record"
)

// shuffled makes trials for n epochs of r rounds with four contestants in random order. Each
// trial's log rate is its contestant's level, plus the machine's effect in the round, noise with sd
// sigma, and shift.
func shuffled(seed uint64, n, r int, sigma float64, shift func(t, before *record.Trial) float64) []*record.Trial {
	rng := rand.New(rand.NewPCG(seed, 2))
	var out []*record.Trial
	for e := range n {
		for round := range r {
			machine := .3 * rng.NormFloat64()
			for position, i := range rng.Perm(4) {
				t := &record.Trial{Key: record.Key{Epoch: e, Round: round, Position: position},
					Contestant: string(rune('a' + i))}
				var before *record.Trial
				if position+round > 0 {
					before = out[len(out)-1]
				}
				log := machine + float64(i) + sigma*rng.NormFloat64()
				if shift != nil {
					log += shift(t, before)
				}
				t.Load = record.Load{Succeeded: 1e6, WindowNS: int64(1e10 * math.Exp(-log))}
				out = append(out, t)
			}
		}
	}
	return out
}

func residualsOf(seed uint64, sigma float64, shift func(t, before *record.Trial) float64) []Residual {
	return followed(shuffled(seed, 12, 12, sigma, shift))
}

// followed returns residuals for trials that all count.
func followed(trials []*record.Trial) []Residual {
	rs := Residuals(trials, Metrics[0])
	Follow(rs, trials)
	return rs
}

// Removing the levels and the machine's effect leaves residuals of 0.
func TestResidualsWithoutNoiseAreZero(t *testing.T) {
	rs := followed(shuffled(1, 2, 3, 0, nil))
	if len(rs) != 2*3*4 {
		t.Fatalf("%d residuals", len(rs))
	}
	for i, r := range rs {
		// A contestant's level is a median over rounds, so all in a round are off by the same
		// amount: no difference remains between them.
		if math.Abs(r.FromOthers) > 1e-6 || math.Abs(r.FromRound) > 1e-6 {
			t.Errorf("%+v", r)
		}
		if (r.After == "") != (r.Position+r.Round == 0) || r.After != "" && r.After != rs[i-1].Contestant {
			t.Errorf("after %q: %+v", r.After, r)
		}
	}
	alone := []*record.Trial{{Contestant: "a", Load: record.Load{Succeeded: 1, WindowNS: 1}}, {Contestant: "b"}}
	if rs := Residuals(alone, Metrics[0]); len(rs) != 0 {
		t.Errorf("one value has no others to differ from: %+v", rs)
	}
}

func TestSpeedRatio(t *testing.T) {
	// Every second round is slower by far more than the machine's drift, and b loses a twentieth
	// more than the others. The halves are then as far apart as the two kinds of rounds: the
	// machine's two standard deviations, of which 1.596 count.
	rs := residualsOf(9, .01, func(t, _ *record.Trial) float64 {
		by := -2 * float64(t.Round%2)
		if t.Contestant == "b" {
			by *= 1.05
		}
		return by
	})
	if x := SpeedRatios(rs, []string{"b", "c"})["b"]; math.Abs(x.Log+.1*1.596/2) > .015 || x.P > .001 || x.Epochs != 12 {
		t.Errorf("b loses a twentieth more where the machine is slow: %+v", x)
	}
	if x := SpeedRatios(rs, []string{"b", "c"})["c"]; x.Share() > .04 || x.Log < 0 {
		t.Errorf("c suffers less than b, and as much as the rest: %+v", x)
	}
	if x := SpeedRatios(rs, []string{"nobody"}); len(x) != 0 {
		t.Errorf("nobody: %+v", x)
	}
}

func TestOrderEffect(t *testing.T) {
	x := OrderEffect(residualsOf(3, .01, func(t, _ *record.Trial) float64 { return .01 * float64(t.Position) }))
	if math.Abs(x.Log-.03) > .005 || x.P > .001 {
		t.Errorf("3 %% from first to last: %+v", x)
	}
	if x := OrderEffect(residualsOf(4, .01, nil)); x.P < .05 || x.Share() > .005 {
		t.Errorf("none: %+v", x)
	}
}

func TestCarryOver(t *testing.T) {
	after := func(t, before *record.Trial) float64 {
		if before != nil && before.Contestant == "d" {
			return -.02
		}
		return 0
	}
	all := CarryOver(residualsOf(5, .01, after))
	if x := all["d"]; math.Abs(x.Log+.02) > .006 || x.P > .01 || len(all) != 4 {
		t.Errorf("2 %% after d: %+v", all)
	}
	for name, x := range CarryOver(residualsOf(6, .01, nil)) {
		if x.P < .05 || x.Share() > .01 {
			t.Errorf("none after %s: %+v", name, x)
		}
	}
	var two []*record.Trial // they follow one another
	for i := range 24 {
		two = append(two, &record.Trial{Key: record.Key{Epoch: i / 12, Round: i % 12 / 2, Position: i % 2},
			Contestant: string(rune('a' + i%2)), Load: record.Load{Succeeded: 1e6, WindowNS: 1e9}})
	}
	if all := CarryOver(followed(two)); len(all) != 0 {
		t.Errorf("each always follows the same one: %+v", all)
	}
}

// After is the trial recorded before, at whatever level and even if it does not count.
func TestFollow(t *testing.T) {
	var all, counted []*record.Trial
	add := func(counts bool, round, attempt, position int, name string) {
		x := &record.Trial{Key: record.Key{Round: round, Attempt: attempt, Position: position}, Contestant: name,
			Load: record.Load{Succeeded: 1e6, WindowNS: 1e9}}
		all = append(all, x)
		if counts {
			counted = append(counted, x)
		}
	}
	add(true, 0, 0, 0, "a")
	add(false, 0, 0, 1, "b") // at another level
	add(true, 0, 0, 2, "c")
	add(false, 1, 0, 0, "c") // discarded
	add(false, 1, 0, 1, "b")
	add(true, 1, 1, 0, "a")
	add(true, 1, 1, 1, "c")
	rs := Residuals(counted, Metrics[0])
	Follow(rs, all)
	var got []string
	for _, r := range rs {
		got = append(got, r.Contestant+" after "+r.After)
	}
	if want := "a after , c after b, a after b, c after a"; strings.Join(got, ", ") != want {
		t.Errorf("%v; want %s", got, want)
	}
}

func TestEpochComponents(t *testing.T) {
	fresh := map[int]float64{}
	rng := rand.New(rand.NewPCG(7, 7))
	for e := range 12 {
		fresh[e] = .03 * rng.NormFloat64()
	}
	rs := residualsOf(8, .01, func(t, _ *record.Trial) float64 {
		if t.Contestant == "a" {
			return fresh[t.Epoch]
		}
		return 0
	})
	if w, b, _, p := EpochComponents(rs, "a"); w > .02 || b < .015 || b > .05 || p > .001 {
		t.Errorf("a: within %v, between %v, p %v", w, b, p)
	}
	if _, b, _, p := EpochComponents(rs, "c"); b > .01 && p < .01 {
		t.Errorf("c: between %v, p %v", b, p)
	}
}

// If there is no effect, the tests find one in no more than their share of cases.
func TestEffectsKeepTheirLevel(t *testing.T) {
	const reps = 400
	var order, speed, carry, fresh int
	for seed := range uint64(reps) {
		rs := followed(shuffled(100+seed, 12, 6, .05, nil))
		count := func(n *int, p float64) {
			if p <= .05 {
				*n++
			}
		}
		count(&order, OrderEffect(rs).P)
		count(&speed, SpeedRatios(rs, []string{"a"})["a"].P)
		least := 1.
		for _, x := range CarryOver(rs) {
			least = min(least, x.P)
		}
		count(&carry, least)
		_, _, _, p := EpochComponents(rs, "a")
		count(&fresh, p)
	}
	for name, n := range map[string]int{"order": order, "speed": speed, "carry": carry, "fresh": fresh} {
		if n > 34 { // 400 at .05: 20 ± 3 sd
			t.Errorf("%s: p <= .05 in %d of %d", name, n, reps)
		}
	}
}

// Values of 0, which have no logarithm, leave no effect behind.
func TestResidualsOfZeros(t *testing.T) {
	trials := shuffled(8, 12, 12, .01, nil)
	none, one := int64(0), int64(1e6)
	for _, tr := range trials {
		if tr.Server.GoroutinesStarted = &one; tr.Contestant == "d" {
			tr.Server.GoroutinesStarted = &none
		}
	}
	rs := Residuals(trials, named("goroutines_per_request"))
	Follow(rs, trials)
	for name, x := range CarryOver(rs) {
		if x.Log != 0 || x.Different {
			t.Errorf("after %s: %+v", name, x)
		}
	}
}
