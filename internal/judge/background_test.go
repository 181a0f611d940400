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

// slots are the parts of a trial of 0.1 s, 20 ms each, in which another program runs or does not.
const slots = 5

// beside makes n epochs of twelve rounds with two servers, b 1/ratio as fast as a, beside a program
// that takes a share of the server's or the generator's CPU: all the time, or half of the time, in
// bursts of burst slots on average, each with a different share, up to twice as large. full: the
// servers use all CPU.
func beside(rng *rand.Rand, n int, ratio, share float64, burst int, generator, full bool) []*record.Trial {
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
				rate, used := 1e5*math.Exp(log), .97*(1-taken)
				if generator && !full { // the generator limits it
					used = .5 * (1 - taken)
				}
				if !full && !generator {
					used = .5 // it waits: other programs take the rest
				} else {
					rate *= 1 - taken
				}
				ticks := int64(math.Round(10*taken+.6*(rng.Float64()-.5))) * 10e6
				ns := int64(used * float64(wall))
				t := &record.Trial{Key: record.Key{Epoch: e, Round: r}, Contestant: []string{"a", "b"}[k], ClocksNS: wall,
					Load:   record.Load{WindowNS: wall, Succeeded: int64(rate * .1), Connections: 10, Established: 10},
					Server: record.Usage{CPUNS: &ns},
					Causes: record.Causes{WallNS: wall, ServerCPUs: 1, GeneratorCPUs: 1}}
				if generator {
					t.Causes.BackgroundGeneratorNS = max(0, ticks)
				} else {
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
		share           float64
		burst           int
		generator, full bool
	}
	runs, most := 60, .1
	kinds := []kind{{0, 0, false, true}, {.2, 1, false, true}, {.4, 150, false, true}, {.6, 1000, false, true},
		{.4, 20, true, false},
		{.4, 300, true, false}, {.4, 0, false, false}}
	if v, err := strconv.Atoi(os.Getenv("DYNO_SIM_RUNS")); err == nil {
		runs, most, kinds = v, .055, nil
		for _, burst := range []int{0, 1, 5, 50, 1000} {
			for _, share := range []float64{0, .2, .4, .6} {
				kinds = append(kinds, kind{share, burst, false, true}, kind{share, burst, false, false},
					kind{share, burst, true, false})
			}
		}
		kinds = slices.DeleteFunc(kinds, func(k kind) bool { return k.share == 0 && k.burst > 0 })
	}
	for _, k := range kinds {
		rng := rand.New(rand.NewPCG(3, uint64(k.burst)))
		apart, found := 0, 0
		for range runs {
			for _, ratio := range []float64{1, 1.1} {
				a := Analyse(input(beside(rng, 12, ratio, k.share, k.burst, k.generator, k.full), "a", "b"))
				p, _ := a.Pair("a", "b", "throughput")
				switch {
				case ratio == 1 && p.Better != "":
					apart++
				case ratio > 1 && p.Better == "a":
					found++
				}
			}
		}
		if most < .1 {
			fmt.Printf("%+v: equal ones told apart in %d, 10 %% found in %d of %d runs\n", k, apart, found, runs)
		}
		if float64(apart) > most*float64(runs) || k.share <= .4 && found < runs*9/10 {
			t.Errorf("%+v: equal ones told apart in %d, 10 %% found in %d of %d", k, apart, found, runs)
		}
	}
}

// Latencies come only from rounds with little background load.
func TestLatenciesOfQuietRounds(t *testing.T) {
	trials := beside(rand.New(rand.NewPCG(1, 1)), 10, 1, 0, 0, false, true)
	for _, tr := range trials {
		tr.Load.ServiceP50NS, tr.Causes.BackgroundServerNS = 1e6, 0
		if tr.Round%2 == 1 {
			tr.Load.ServiceP50NS, tr.Causes.BackgroundServerNS = 5e6, 4e7
		}
	}
	a := Analyse(input(trials, "a", "b"))
	if c := a.Cell("a", "p50"); c.Level.Value != 1e6 || a.Busy != .5 || len(InQuiet(trials)) != len(trials)/2 {
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
		trials := beside(rng, 3, c.ratio, 0, 0, false, true)
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
