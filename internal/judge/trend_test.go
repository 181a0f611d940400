package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// rising makes trials for n epochs of twelve rounds on a machine that drifts: all contestants
// equally fast, with noise of sd sigma, and each faster by the given share from an epoch's first
// round to its last.
func rising(seed uint64, n int, sigma float64, by map[string]float64, names ...string) []*record.Trial {
	rng := rand.New(rand.NewPCG(seed, 2))
	var out []*record.Trial
	for e := range n {
		for r := range 12 {
			drift := .3 * rng.NormFloat64()
			for i, name := range names {
				perSec := 50_000 * math.Exp(drift+sigma*rng.NormFloat64()+math.Log1p(by[name])*float64(r)/11)
				cpu := int64(1e8)
				out = append(out, &record.Trial{
					Key: record.Key{Epoch: e + 1, Round: r, Position: i}, Contestant: name,
					Server: record.Usage{CPUNS: &cpu},
					Load: record.Load{WindowNS: 1e8, Succeeded: int64(perSec * .1),
						ServiceP50NS: int64(125e9 / perSec)},
				})
			}
		}
	}
	return out
}

// A contestant that gets faster over an epoch is reported, and its differences do not count,
// however certain; the others' do.
func TestWhoStillRisesIsComparedWithNobody(t *testing.T) {
	in := input(rising(1, 12, .02, map[string]float64{"young": .25}, "young", "a", "b", "ref", "ref'"), "young", "a",
		"b")
	a := Analyse(in)
	x := a.Moves(at("young"), "throughput")
	if x == nil || x.P > .01 || math.Abs(x.Change.Value-1.25) > .03 || x.Change.Lo > 1.25 || x.Change.Hi < 1.25 {
		t.Fatalf("%+v", a.Trends)
	}
	if w := x.Words(); !strings.HasPrefix(w, "still rising 2") || !strings.HasSuffix(w, "over the epoch") {
		t.Errorf("%q", w)
	}
	for _, metric := range []string{"throughput", "cpu_per_request", "p50"} {
		p, _ := a.Pair("young", "a", metric)
		if p.Verdict != Inconclusive || p.Better != "" || p.Note == "" ||
			max(p.Ratio.Lo, 1/p.Ratio.Hi) > 1+a.Margin { // as if it were shown
			t.Errorf("%s: %+v", metric, p)
		}
	}
	if p, _ := a.Pair("a", "b", "throughput"); p.Verdict != Equivalent {
		t.Errorf("the other two: %+v", p)
	}
	in.Trials = rising(1, 12, .02, map[string]float64{"old": -.1}, "old", "a")
	in.Contestants, in.Controls = []string{"old", "a"}, nil
	if a := Analyse(in); a.Moves(at("old"), "throughput") == nil || a.Moves(at("a"), "throughput") == nil {
		t.Errorf("of two without a control nobody knows which moves: %+v", a.Trends)
	} else if w := a.Moves(at("old"), "throughput").Words(); !strings.HasPrefix(w, "still falling ") {
		t.Errorf("%q", w)
	}
}

// A difference far beyond the remaining movement stands; its size is as uncertain as the movement
// makes it.
func TestAFarLargerDifferenceStands(t *testing.T) {
	trials := rising(3, 12, .01, map[string]float64{"young": .05}, "young", "a", "b", "ref", "ref'")
	for i := range trials {
		if x := trials[i]; x.Contestant == "b" { // a third as fast
			x.Load.Succeeded, x.Load.ServiceP50NS = x.Load.Succeeded/3, 3*x.Load.ServiceP50NS
		}
	}
	a := Analyse(input(trials, "young", "a", "b"))
	x := a.Moves(at("young"), "throughput")
	if x == nil {
		t.Fatalf("%+v", a.Trends)
	}
	p, _ := a.Pair("young", "b", "throughput")
	most := math.Pow(x.Change.Hi, movingFactor)
	if p.Verdict != Different || p.Better != "young" || p.Note != "" ||
		!(p.Ratio.Lo < 3/most*1.05 && p.Ratio.Lo > 2 && p.Ratio.Hi > 3*most) {
		t.Errorf("%+v, a change of %v", p, x.Change)
	}
	if p, _ := a.Pair("young", "a", "throughput"); p.Verdict != Inconclusive || p.Note == "" {
		t.Errorf("within what it moves: %+v", p)
	}
	if a.Places[2].Contestant != "b" || a.Places[2].Lo != 3 {
		t.Errorf("%+v", a.Places)
	}
}

// A change that is certain but too small to matter withdraws nothing.
func TestASmallChangeTakesNothingBack(t *testing.T) {
	a := Analyse(input(rising(2, 12, .0005, map[string]float64{"young": .005}, "young", "a", "ref", "ref'"), "young",
		"a"))
	if len(a.Trends) == 0 || a.Trends[1].P > .01 || a.Moves(at("young"), "throughput") != nil {
		t.Errorf("%+v", a.Trends)
	}
	if p, _ := a.Pair("young", "a", "throughput"); p.Verdict == Inconclusive {
		t.Errorf("%+v", p)
	}
}

// Among runs without any movement, at most one in twenty reports any.
func TestNobodyMovesForNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 250 runs")
	}
	const reps = 250
	wrong := 0
	for seed := range uint64(reps) {
		in := input(rising(100+seed, 8, .1, nil, "a", "b", "c", "d", "ref", "ref'"), "a", "b", "c", "d")
		for _, x := range Analyse(in).Trends {
			if x.Moving {
				wrong++
				break
			}
		}
	}
	if lo, _ := stats.ClopperPearson(wrong, reps, .99); lo > .05 {
		t.Errorf("%d of %d runs", wrong, reps)
	}
}

// Among three without a control the moving one is found, and the two stationary ones are compared,
// as among four.
func TestOneThatMovesMovesNoOther(t *testing.T) {
	for _, names := range [][]string{{"young", "a", "b"}, {"young", "a", "b", "c"}} {
		in := input(rising(4, 12, .02, map[string]float64{"young": .25}, names...), names...)
		in.Controls = nil
		a := Analyse(in)
		for _, name := range names {
			if moves := a.Moves(at(name), "throughput") != nil; moves != (name == "young") {
				t.Errorf("of %v, %s moves: %v", names, name, moves)
			}
		}
		if p, _ := a.Pair("a", "b", "throughput"); p.Verdict != Equivalent {
			t.Errorf("of %v, the two that stand still: %+v", names, p)
		}
	}
}

// A change spans the first counted round to the last, however many between them do not count; and
// if a control is missing in the last rounds, its level causes no step.
func TestChangeSpansTheRoundsThatDoNotCount(t *testing.T) {
	trials := rising(5, 12, .01, map[string]float64{"young": .25}, "young", "a", "ref", "fast")
	trials = slices.DeleteFunc(trials, func(x *record.Trial) bool {
		return x.Round%3 == 1 || x.Contestant == "fast" && x.Epoch == 3 && x.Round > 5
	})
	for i := range trials {
		if trials[i].Contestant == "fast" {
			trials[i].Load.Succeeded *= 3
		}
	}
	in := input(trials, "young", "a")
	in.Controls = []string{"ref", "fast"}
	tab := Tabulate(in.Trials, nil)
	for i, d := range tab.changes(Metrics[0], at("young"), nil, in.Controls) {
		if math.Abs(d-math.Log1p(.25)) > .05 {
			t.Errorf("epoch %d: %v", i, d)
		}
	}
}

// Missing or insufficient data give no difference and no movement, and break nothing.
func TestOddInput(t *testing.T) {
	whole := func(names ...string) []*record.Trial { return rising(7, 12, .02, nil, names...) }
	keep := func(all []*record.Trial, when func(*record.Trial) bool) []*record.Trial {
		return slices.DeleteFunc(all, func(x *record.Trial) bool { return !when(x) })
	}
	still := whole("a", "b", "ref", "ref'")
	for i := range still {
		still[i].Load.Succeeded, still[i].Load.ServiceP50NS = 5000, 1e6
	}
	silent := whole("a", "b", "ref", "ref'")
	for i := range silent {
		if silent[i].Contestant == "b" {
			silent[i].Load = record.Load{WindowNS: 1e8}
		}
	}
	for name, trials := range map[string][]*record.Trial{
		"none":       nil,
		"one round":  keep(whole("a", "b", "ref", "ref'"), func(x *record.Trial) bool { return x.Round == 0 }),
		"one epoch":  keep(whole("a", "b", "ref", "ref'"), func(x *record.Trial) bool { return x.Epoch == 1 }),
		"all alike":  still,
		"b is mute":  silent,
		"only a":     whole("a"),
		"no control": whole("a", "b"),
		"a or b": keep(whole("a", "b", "ref", "ref'"),
			func(x *record.Trial) bool { return (x.Contestant == "a") != (x.Round%2 == 0) || x.Contestant > "r" }),
	} {
		for _, failed := range []map[string]string{{}, {"b": "it failed"}, {"a": "it failed", "b": "it failed"}} {
			in := input(trials, "a", "b")
			in.Failed = failed
			a := Analyse(in)
			for _, p := range a.Pairs {
				if p.Verdict == Different {
					t.Errorf("%s, %v: %+v", name, failed, p)
				}
			}
			for _, x := range a.Trends {
				if x.Moving || math.IsNaN(x.P) || math.IsNaN(x.Change.Value) {
					t.Errorf("%s, %v: %+v", name, failed, x)
				}
			}
		}
	}
}
