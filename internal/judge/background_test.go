package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Where server and generator share all CPUs, both limit the rate, and other programs are counted once.
func TestSharedCPUs(t *testing.T) {
	tr := &record.Trial{ClocksNS: 1e9, Server: record.Usage{CPUNS: ns(9e8)}, Generator: record.Usage{CPUNS: ns(8e8)},
		Load: record.Load{SpunNS: 1e8}, Causes: record.Causes{WallNS: 1e9, ServerCPUs: 2, GeneratorCPUs: 2, SharedCPUs: 2,
			BackgroundServerNS: 2e8, BackgroundGeneratorNS: 2e8, StealNS: 1e8}}
	if used, ok := usedOf(tr); !ok || used != .8 {
		t.Errorf("they used %g of the CPUs, want 0.8", used)
	}
	if got := BackgroundOf(tr); got != [3]float64{.1, 0, .05} {
		t.Errorf("background %v", got)
	}
	if s := sharesOf([]*record.Trial{tr}); s.steal != .05 {
		t.Errorf("steal %g", s.steal)
	}
}

// slots are the parts of a trial of 0.1 s, 20 ms each, in which another program runs or does not.
const slots = 5

// limits says what limits a simulated server's rate: its own CPU, the generator's, or nothing that
// other programs use.
type limits string

const (
	byCPU       limits = "CPU"
	byGenerator limits = "generator"
	byWaits     limits = "waits"
)

// beside makes n epochs of twelve rounds with two servers, b 1/ratio as fast as a, beside a program
// that takes a share of the CPUs that limit them, or of the server's: all the time, or half of the
// time, in bursts of burst slots on average, each with a different share, up to twice as large.
func beside(rng *rand.Rand, n int, ratio, share float64, burst int, a, b limits) []*record.Trial {
	var out []*record.Trial
	left, level := 0, share
	for e := range n {
		starts := [2]float64{.02 * rng.NormFloat64(), .02 * rng.NormFloat64()}
		for r := range 12 {
			for _, k := range rng.Perm(2) {
				taken := 0.
				for range slots {
					if left--; burst > 0 && left <= 0 {
						left, level = 1+rng.IntN(2*burst), min(.9, 2*share*rng.Float64())*float64(rng.IntN(2))
					}
					taken += level / slots
				}
				const wall = int64(100e6)
				log := starts[k] + .03*rng.NormFloat64()
				if k == 0 {
					log += math.Log(ratio)
				}
				rate, used, of := 1e5*math.Exp(log), .08, []limits{a, b}
				if of[k] != byWaits {
					rate *= 1 - taken
				}
				switch of[k] {
				case byCPU:
					used = .97 * (1 - taken)
				case byGenerator:
					used = .5 * (1 - taken)
				}
				ticks := int64(10*taken+rng.Float64()) * 10e6
				ns := int64(used * float64(wall))
				t := &record.Trial{Key: record.Key{Epoch: e, Round: r}, Contestant: []string{"a", "b"}[k], ClocksNS: wall,
					Load:   record.Load{WindowNS: wall, Succeeded: int64(rate * .1), Connections: 10, Established: 10},
					Server: record.Usage{CPUNS: &ns},
					Causes: record.Causes{WallNS: wall, ServerCPUs: 1, GeneratorCPUs: 1}}
				if slices.Contains(of, byGenerator) {
					t.Causes.BackgroundGeneratorNS = max(0, ticks)
				}
				if a != byGenerator || b != byGenerator {
					t.Causes.BackgroundServerNS = max(0, ticks)
				}
				out = append(out, t)
			}
		}
	}
	return out
}

// Beside other programs equal servers are told apart no more often than on a quiet machine, and 10
// % is found. DYNO_SIM_RUNS sets the number of runs per case, adds cases and prints them.
func TestBackgroundIsTakenOff(t *testing.T) {
	type kind struct {
		share float64
		burst int
		a, b  limits
	}
	runs, most := 60, .1
	kinds := []kind{{0, 0, byCPU, byCPU}, {.2, 1, byCPU, byCPU}, {.4, 150, byCPU, byCPU}, {.6, 1000, byCPU, byCPU},
		{.4, 20, byGenerator, byGenerator}, {.4, 300, byGenerator, byGenerator}, {.4, 0, byWaits, byWaits},
		{.05, 0, byCPU, byCPU},
		{.05, 0, byCPU, byGenerator}, {.4, 0, byCPU, byWaits}, {.4, 50, byCPU, byGenerator}}
	if v, err := strconv.Atoi(os.Getenv("DYNO_SIM_RUNS")); err == nil {
		runs, most, kinds = v, .055, nil
		for _, burst := range []int{0, 1, 5, 50, 1000} {
			for _, share := range []float64{0, .05, .2, .4, .6} {
				kinds = append(kinds, kind{share, burst, byCPU, byCPU}, kind{share, burst, byWaits, byWaits},
					kind{share, burst, byGenerator, byGenerator}, kind{share, burst, byCPU, byWaits},
					kind{share, burst, byCPU, byGenerator})
			}
		}
		kinds = slices.DeleteFunc(kinds, func(k kind) bool { return k.share == 0 && k.burst > 0 })
	}
	for _, k := range kinds {
		rng := rand.New(rand.NewPCG(3, uint64(k.burst)))
		apart, found, none := 0, 0, 0
		for range runs {
			for _, ratio := range []float64{1, 1.1} {
				a := Analyse(input(beside(rng, 12, ratio, k.share, k.burst, k.a, k.b), "a", "b"))
				p, _ := a.Pair("a", "b", "throughput")
				switch {
				case p.Ratio.N == 0:
					none++
				case ratio == 1 && p.Better != "":
					apart++
				case ratio > 1 && p.Better == "a":
					found++
				}
			}
		}
		if most < .1 {
			fmt.Printf("%+v: equal ones told apart in %d, 10 %% found in %d of %d runs; no ratio in %d of %d\n", k, apart,
				found, runs, none, 2*runs)
		}
		mixed := k.a != k.b
		if float64(apart) > most*float64(runs) || mixed && k.share > .1 && k.burst == 0 && none < 2*runs ||
			!mixed && none > 0 || (!mixed && k.share <= .4 || k.share == 0) && found < runs*9/10 {
			t.Errorf("%+v: equal ones told apart in %d, 10 %% found in %d of %d; no ratio in %d", k, apart, found, runs, none)
		}
	}
}

// Latencies come only from rounds with little background load.
func TestLatenciesOfQuietRounds(t *testing.T) {
	trials := beside(rand.New(rand.NewPCG(1, 1)), 10, 1, 0, 0, byCPU, byCPU)
	for _, tr := range trials {
		tr.Load.ServiceP50NS, tr.Causes.BackgroundServerNS = 1e6, 0
		if tr.Round%2 == 1 {
			tr.Load.ServiceP50NS, tr.Causes.BackgroundServerNS = 5e6, 4e7
		}
	}
	a := Analyse(input(trials, "a", "b"))
	if c := a.Cell("a", "p50"); c.Level.Value != 1e6 || a.Busy != .5 {
		t.Errorf("%+v, busy %v", c, a.Busy)
	}
	if c := a.Cell("a", "p50"); c.Least != 1e6 || c.Most != 1e6 {
		t.Errorf("epochs from %v to %v", c.Least, c.Most)
	}
	for _, tr := range trials {
		tr.Causes.BackgroundServerNS = 4e7
	}
	if c := Analyse(input(trials, "a", "b")).Cell("a", "p50"); c.Absent != "not measured: other programs ran "+
		"beside each of its loads" {
		t.Errorf("%+v", c)
	}
}

// A server that still rises is not called different before that can be shown; a server that is
// twice as fast is.
func TestEarlyVerdictsWait(t *testing.T) {
	for _, c := range []struct {
		ratio, rise float64
		want        bool
	}{{1, .3, false}, {1.05, .3, false}, {2, 0, true}, {2.5, .1, true}} {
		rng := rand.New(rand.NewPCG(5, 5))
		trials := beside(rng, 3, c.ratio, 0, 0, byCPU, byCPU)
		for _, tr := range trials {
			if tr.Contestant == "a" {
				tr.Load.Succeeded = int64(float64(tr.Load.Succeeded) * (1 + c.rise*float64(tr.Round)/11))
			}
		}
		in := input(trials, "a", "b")
		in.Analyses = stats.Interims([]int{3, 5, 8}, 8, .05)
		if p, _ := Analyse(in).Pair("a", "b", "throughput"); (p.Better == "a") != c.want {
			t.Errorf("%+v: %+v", c, p)
		}
	}
}

// Programs that use CPU beside one server alone may work for it: the pair has no ratio of rates or CPU time. Programs
// that come and go beside both seldom prevent one.
func TestHelped(t *testing.T) {
	rng, by := rand.New(rand.NewPCG(5, 6)), 0
	a, b := record.Cell{Contestant: "a"}, record.Cell{Contestant: "b"}
	for range 300 {
		trials := beside(rng, 3+rng.IntN(8), 1, .3, 20, byCPU, byCPU)
		if Tabulate(trials, func(*record.Trial) int { return 0 }).Mixed(named("throughput"), a, b) != "" {
			by++
		}
		for _, tr := range trials {
			if tr.Contestant == "b" {
				tr.Causes.BackgroundServerNS = 0
			} else {
				tr.Causes.BackgroundServerNS = 3e7 + rng.Int64N(1e7)
			}
		}
		table := Tabulate(trials, func(*record.Trial) int { return 0 })
		for name, want := range map[string]bool{"throughput": true, "cpu_per_request": true, "memory": false} {
			if (table.Mixed(named(name), a, b) != "") != want {
				t.Fatalf("%s: %q", name, table.Mixed(named(name), a, b))
			}
		}
	}
	for name, change := range map[string]func(*record.Causes){
		"the other side, which is not frozen": func(c *record.Causes) { c.OtherSidesNS = 3e7 },
		"not known beside one":                func(c *record.Causes) { c.BackgroundUnknown = true },
	} {
		trials := beside(rng, 8, 1, 0, 0, byCPU, byCPU)
		for _, tr := range trials {
			if tr.Causes.BackgroundServerNS = 0; name == "not known beside one" {
				tr.Causes.BackgroundServerNS = 3e7
			}
			if tr.Contestant == "b" {
				tr.Causes.BackgroundServerNS = 0
				change(&tr.Causes)
			}
		}
		table := Tabulate(trials, func(*record.Trial) int { return 0 })
		if text := table.Mixed(named("cpu_per_request"), a, b); text != "" {
			t.Errorf("%s: %q", name, text)
		}
	}
	if by > 12 {
		t.Errorf("%d of 300 pairs beside the same programs", by)
	}
}
