package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno/internal/record"
)

// longOf makes long loads on contestants, in the last epoch of trials, with these requests per second: the order of the
// loads is the same forwards and backwards.
func longOf(trials []*record.Trial, names []string, perSec ...float64) (out, beside []*record.Trial) {
	last := trials[len(trials)-1].Epoch
	for n := range 2 * len(names) { // plan.Long has both of a contestant together
		at := n / 2
		i := at
		if n%2 == 1 {
			i = 2*len(names) - 1 - at
		}
		cpu := int64(2e9)
		out = append(out, &record.Trial{Key: record.Key{Epoch: last, Round: -1, Position: i},
			Contestant: names[at], Server: record.Usage{CPUNS: &cpu},
			Load: record.Load{WindowNS: 2e9, Succeeded: int64(2 * perSec[i]), ServiceP50NS: int64(125e9 / perSec[i])}})
	}
	return out, slices.DeleteFunc(slices.Clone(trials), func(x *record.Trial) bool { return x.Epoch != last })
}

// paced returns 12 epochs in which b is slower than a by a factor, with noise sigma within the epochs and starts
// between them. startB is b's deviation in the last epoch.
func paced(seed uint64, slow, sigma, starts float64) (trials []*record.Trial, startB float64) {
	trials = rising(seed, 12, sigma, nil, "b", "a", "ref", "ref'")
	rng, by := rand.New(rand.NewPCG(seed, 9)), map[int]float64{}
	for _, x := range trials {
		if _, ok := by[x.Epoch]; !ok {
			by[x.Epoch] = starts * rng.NormFloat64()
		}
		if startB = by[x.Epoch]; x.Contestant == "b" {
			f := slow * math.Exp(-startB)
			x.Load.Succeeded = int64(float64(x.Load.Succeeded) / f)
			x.Load.ServiceP50NS = int64(float64(x.Load.ServiceP50NS) * f)
		}
	}
	return trials, startB
}

// Beyond what biases are known to be, short loads mislead and the long ones decide the pair; within it, the second
// verdict allows for the bias.
func TestLongLoads(t *testing.T) {
	const r = 50_000
	for name, c := range map[string]struct {
		slow, long float64 // a over b: in the trials, in long loads
		misleads   bool
		better     string
	}{
		"as in the trials":     {3.3, 3.3, false, "a"},
		"as an honest runtime": {1.3, 1.25, false, "a"},
		"deferred work":        {3.3, 1, true, ""},
		"slower in truth":      {3.3, .8, true, "b"},
		"faster still":         {1.3, 2, true, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			trials, _ := paced(1, c.slow, .02, 0)
			in := input(trials, "a", "b")
			in.OwnBias, in.AnyBias = .065, .065
			in.Long, in.Beside = longOf(trials, []string{"b", "a"}, r, c.long*r, c.long*r, r)
			a := Analyse(in)
			p, ok := a.Pair("a", "b", "throughput")
			if !ok || p.Long == nil || len(a.Long) != 4 {
				t.Fatalf("%+v, %q", p, a.NoLong)
			}
			want := c.slow
			if c.misleads {
				want = c.long
			}
			if x := p.Long; x.Misleads != c.misleads || (x.Words != "") != c.misleads || p.Better != c.better ||
				math.Abs(x.Measured-math.Log(c.long/c.slow)) > .03 || math.Abs(p.Ratio.Value/want-1) > .03 ||
				!(x.Ratio.Lo < c.long && c.long < x.Ratio.Hi) {
				t.Errorf("%+v of %+v", x, p)
			}
			if back, _ := a.Pair("b", "a", "throughput"); math.Abs(back.Long.Measured+p.Long.Measured) > 1e-9 {
				t.Errorf("turned round: %+v", back.Long)
			}
			if p, _ := a.Pair("a", "b", "memory"); p.Long != nil {
				t.Errorf("memory: %+v", p.Long)
			}
			if cpu, _ := a.Pair("a", "b", "cpu_per_request"); cpu.Long == nil || cpu.Long.Misleads != c.misleads {
				t.Errorf("CPU: %+v", cpu)
			}
		})
	}
}

// What differs from start to start does not count as bias: long loads are compared with trials of the same processes.
func TestLongLoadsOnOneStart(t *testing.T) {
	trials, start := paced(1, 1.3, .01, .3)
	in := input(trials, "a", "b")
	slow := 50_000 / 1.3 * math.Exp(start)
	in.Long, in.Beside = longOf(trials, []string{"b", "a"}, slow, 50_000, 50_000, slow)
	p, _ := Analyse(in).Pair("a", "b", "throughput")
	if p.Long == nil || math.Abs(p.Long.Measured) > .02 {
		t.Errorf("start %.2f: %+v", start, p.Long)
	}
}

// A run whose budget ends within the last epoch has trials of the same processes, although that epoch does not count.
func TestLongLoadsOfAnEpochThatDoesNotCount(t *testing.T) {
	trials, start := paced(1, 1.3, .01, .3)
	slow := 50_000 / 1.3 * math.Exp(start)
	loads, beside := longOf(trials, []string{"b", "a"}, slow, 50_000, 50_000, slow)
	in := input(trials[:len(trials)-len(beside)], "a", "b")
	in.Long, in.Beside = loads, beside[:len(beside)/2]
	a := Analyse(in)
	if p, _ := a.Pair("a", "b", "throughput"); p.Long == nil || math.Abs(p.Long.Measured) > .03 {
		t.Errorf("start %.2f: %+v, %q", start, p.Long, a.NoLong)
	}
}

// A drift of the machine during the long loads is no bias, of three contestants either.
func TestLongLoadsWhileTheMachineSlows(t *testing.T) {
	trials := rising(1, 12, .01, nil, "c", "b", "a", "ref", "ref'")
	in := input(trials, "a", "b", "c")
	var perSec []float64
	for i := range 6 {
		perSec = append(perSec, 50_000*math.Exp(-.1*float64(i)))
	}
	in.Long, in.Beside = longOf(trials, []string{"c", "b", "a"}, perSec...)
	for _, p := range Analyse(in).Pairs {
		if p.Metric == "throughput" && (p.Long == nil || math.Abs(p.Long.Measured) > .02) {
			t.Errorf("%+v", p.Long)
		}
	}
}

// Loads without a figure, or beside trials that do not count, show nothing, and the reason is said.
func TestLongLoadsThatShowNothing(t *testing.T) {
	trials, _ := paced(1, 1.3, .02, 0)
	for name, spoil := range map[string]func(in *Input){
		"no figure": func(in *Input) { in.Long[1].Server.CPUNS = nil },
		"no trials": func(in *Input) { in.Beside = nil },
	} {
		in := input(trials, "a", "b")
		in.Primary = "cpu_per_request"
		in.Long, in.Beside = longOf(trials, []string{"b", "a"}, 1, 1, 1, 1)
		spoil(&in)
		if a := Analyse(in); a.Long != nil || !strings.Contains(a.NoLong, "no figure of cpu_per_request") {
			t.Errorf("%s: %+v, %q", name, a.Long, a.NoLong)
		}
	}
}

// Honest servers are said to mislead in few runs, however noisy the machine.
func TestHonestLongLoads(t *testing.T) {
	const runs = 100
	for _, sigma := range []float64{.02, .2} {
		wrong := 0
		for seed := range uint64(runs) {
			rng := rand.New(rand.NewPCG(seed, 7))
			trials, _ := paced(seed, 1, sigma, 0)
			in := input(trials, "a", "b")
			in.OwnBias, in.AnyBias = .065, .065
			var perSec []float64
			for range 4 {
				perSec = append(perSec, 50_000*math.Exp(sigma*rng.NormFloat64()))
			}
			in.Long, in.Beside = longOf(trials, []string{"b", "a"}, perSec...)
			if p, _ := Analyse(in).Pair("a", "b", "throughput"); p.Long.Misleads {
				wrong++
			}
		}
		if wrong > runs/20 {
			t.Errorf("noise %v: %d of %d", sigma, wrong, runs)
		}
	}
}
