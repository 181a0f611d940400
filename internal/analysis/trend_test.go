package analysis

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// rising are the trials of n epochs of twelve rounds on a machine that drifts: each contestant as fast as the others, with noise of sd sigma and, from an
// epoch's first round to its last, faster by the share given.
func rising(seed uint64, n int, sigma float64, by map[string]float64, names ...string) []result.Trial {
	rng := rand.New(rand.NewPCG(seed, 2))
	var out []result.Trial
	for e := range n {
		for r := range 12 {
			drift := .3 * rng.NormFloat64()
			for i, name := range names {
				perSec := 50_000 * math.Exp(drift+sigma*rng.NormFloat64()+math.Log1p(by[name])*float64(r)/11)
				cpu := int64(1e8)
				out = append(out, result.Trial{
					Key: result.Key{Epoch: e + 1, Round: r, Position: i}, Contestant: name, Server: result.Usage{CPUNS: &cpu},
					Load: result.Load{WindowNS: 1e8, Succeeded: int64(perSec * .1), ServiceP50NS: int64(125e9 / perSec)},
				})
			}
		}
	}
	return out
}

// One that still gets faster over an epoch is shown so and compared with nobody, however large the difference; the others are.
func TestWhoStillRisesIsComparedWithNobody(t *testing.T) {
	in := input(rising(1, 12, .02, map[string]float64{"young": .25}, "young", "a", "b", "ref", "ref'"), "young", "a", "b")
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
		if p.Verdict != Undecided || p.Better != "" || !p.Moving || p.Note == "" || !(p.Ratio.Lo > 1 || p.Ratio.Hi < 1) {
			t.Errorf("%s: %+v", metric, p)
		}
	}
	if p, _ := a.Pair("a", "b", "throughput"); p.Verdict != Tie || p.Moving {
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

// A change that is certain and too small to matter takes nothing back.
func TestASmallChangeTakesNothingBack(t *testing.T) {
	a := Analyse(input(rising(2, 12, .0005, map[string]float64{"young": .005}, "young", "a", "ref", "ref'"), "young", "a"))
	if len(a.Trends) == 0 || a.Trends[1].P > .01 || a.Moves(at("young"), "throughput") != nil {
		t.Errorf("%+v", a.Trends)
	}
	if p, _ := a.Pair("young", "a", "throughput"); p.Moving || p.Verdict == Undecided {
		t.Errorf("%+v", p)
	}
}

// Of runs in which all stand still, one in twenty at most shows anyone moving.
func TestNobodyMovesForNothing(t *testing.T) {
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
