package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dyno/internal/record"
	"dyno/internal/stats"
)

func on(name string, level int) record.Cell { return record.Cell{Contestant: name, Level: level} }

// atLevel returns a made-up trial's level, which is its number of connections.
func atLevel(t *record.Trial) int { return t.Level.Connections }

// cellTrials makes trials for n epochs of three rounds, with cells whose rates are known. Levels
// from 10 on have another launch part: they have every other epoch to themselves.
func cellTrials(seed uint64, n int, sigma float64, rates map[record.Cell]float64,
	order ...record.Cell) []*record.Trial {
	rng := rand.New(rand.NewPCG(seed, 2))
	var out []*record.Trial
	for e := range 2 * n {
		for r := range 3 {
			drift := math.Exp(0.3 * rng.NormFloat64())
			for i, c := range order {
				if (c.Level >= 10) != (e%2 == 1) {
					continue
				}
				perSec := rates[c] * drift * math.Exp(sigma*rng.NormFloat64())
				cpu, pss := int64(4e8), int64(1e7)
				out = append(out, &record.Trial{
					Key: record.Key{Epoch: e + 1, Round: r, Position: i}, Contestant: c.Contestant,
					Level: &record.Level{Connections: c.Level},
					Load: record.Load{WindowNS: 4e8, Succeeded: int64(perSec * 0.4),
						ServiceP50NS: int64(1e9 * 125 / perSec)},
					Server: record.Usage{CPUNS: &cpu, PrivateBytes: &pss},
				})
			}
		}
	}
	return out
}

var cellRates = map[record.Cell]float64{
	on("a", 0): 60_000, on("b", 0): 40_000, on("a", 1): 30_000, on("b", 1): 30_000, on("a", 10): 9_000,
	on("b", 10):  6_000,
	on("ref", 0): 5e4, on("ref'", 0): 5e4, on("ref", 1): 4e4, on("ref'", 1): 4e4, on("ref", 10): 8e3,
	on("ref'", 10): 8e3,
}

func familyInput(n int, family ...record.Comparison) Input {
	var order []record.Cell
	for _, name := range []string{"a", "b", "ref", "ref'"} {
		for _, level := range []int{0, 1, 10} {
			order = append(order, on(name, level))
		}
	}
	in := input(cellTrials(1, n, .01, cellRates, order...), "a", "b")
	in.Family, in.At = family, atLevel
	return in
}

func TestCellsAreComparedAsContestantsAre(t *testing.T) {
	family := []record.Comparison{{A: on("a", 0), B: on("b", 0)}, {A: on("b", 1), B: on("a", 1)},
		{A: on("a", 1), B: on("a", 0)}, {A: on("b", 10), B: on("a", 10)}}
	a := Analyse(familyInput(12, family...))
	if a.Epochs != 12 || a.Interim != 1 || len(a.Places) != 0 || len(a.Cells) != 0 {
		t.Errorf("%d epochs, look %d", a.Epochs, a.Interim)
	}
	want := []struct {
		ratio   float64
		verdict Verdict
		leads   int
	}{{1.5, Different, 1}, {1, Equivalent, 0}, {.5, Different, -1}, {2. / 3, Different, -1}}
	for i, f := range family {
		p, ok := a.Compared(f.A, f.B, "throughput")
		if !ok || p.Verdict != want[i].verdict || p.Leads() != want[i].leads ||
			math.Abs(p.Ratio.Value/want[i].ratio-1) > .01 || p.Ratio.N != 12 {
			t.Errorf("%v against %v: %+v", f.A, f.B, p)
		}
		q, _ := a.Compared(f.B, f.A, "throughput")
		if math.Abs(q.Ratio.Value*p.Ratio.Value-1) > 1e-12 || q.Leads() != -p.Leads() || q.CellA() != f.B {
			t.Errorf("turned round: %+v", q)
		}
	}
	if _, ok := a.Compared(on("b", 0), on("b", 1), "throughput"); ok {
		t.Error("a pair that was not named is judged")
	}
	if len(a.Pairs) != 4*4 { // by throughput, CPU, p50 and memory; closed loops have no response times
		t.Errorf("%d pairs", len(a.Pairs))
	}
	if a.AACheck == nil || a.AACheck.Verdict == Different {
		t.Errorf("A/A check %+v", a.AACheck)
	}
	// If one level has no controls, the other levels are judged as without it.
	without := familyInput(12, family...)
	without.Trials = slices.DeleteFunc(without.Trials, func(tr *record.Trial) bool {
		return tr.Level.Connections == 10 && slices.Contains(without.Controls, tr.Contestant)
	})
	b, c := Analyse(without), Analyse(familyInput(12, family[:3]...))
	if b.AACheck == nil || c.AACheck == nil || *b.AACheck != *c.AACheck {
		t.Errorf("without controls at a level: %+v; want %+v", b.AACheck, c.AACheck)
	}
	// At one level the same trials give the same result.
	in := familyInput(12)
	one := input(nil, "a", "b")
	for _, tr := range in.Trials {
		if tr.Level.Connections == 0 {
			one.Trials = append(one.Trials, tr)
		}
	}
	p, _ := Analyse(familyInput(12, family[0])).Compared(on("a", 0), on("b", 0), "throughput")
	if q, _ := Analyse(one).Pair("a", "b", "throughput"); p.Ratio.Value != q.Ratio.Value || p.Better != q.Better ||
		p.Verdict != q.Verdict {
		t.Errorf("%+v\n%+v", p, q)
	}
}

// All comparisons, at all levels, are one family: each further pair makes no interval narrower.
func TestIntervalsAreOfTheFamily(t *testing.T) {
	pairs := []record.Comparison{{A: on("a", 0), B: on("b", 0)}, {A: on("a", 1), B: on("b", 1)},
		{A: on("a", 0), B: on("a", 1)}, {A: on("b", 0), B: on("b", 1)}}
	for m, width := 1, 0.; m <= len(pairs); m++ {
		a := Analyse(familyInput(12, pairs[:m]...))
		p, _ := a.Compared(on("a", 0), on("b", 0), "throughput")
		crit := math.Log(p.Ratio.Hi/p.Ratio.Value) / p.SE
		if crit < width || p.Verdict != Different {
			t.Errorf("of %d: %v standard errors after %v; %+v", m, crit, width, p)
		}
		width = crit
	}
	in := familyInput(12, pairs...)
	in.Failed["b"] = "load: reset"
	if a := Analyse(in); len(a.Pairs) != 4 { // a against itself, by four metrics
		t.Errorf("pairs with one that failed: %+v", a.Pairs)
	}
}

// Each part has its own epochs, and an interim analysis is reached once all judged comparisons have
// enough.
func TestPartsAreCountedApart(t *testing.T) {
	in := familyInput(12, record.Comparison{A: on("a", 0), B: on("b", 0)},
		record.Comparison{A: on("a", 10), B: on("b", 10)})
	for i := len(in.Trials) - 1; in.Trials[i].Epoch == 24; i-- {
		in.Trials = in.Trials[:i] // the second part's last epoch
	}
	a := Analyse(in)
	if a.Epochs != 11 || a.Interim != 0 {
		t.Errorf("%d epochs, look %d", a.Epochs, a.Interim)
	}
	in.Analyses = []stats.Interim{{N: 8, Alpha: .025}, {N: 12, Alpha: .025}}
	if a = Analyse(in); a.Interim != 1 || a.Pairs[0].Ratio.N != 8 || a.Pairs[1].Ratio.N != 8 ||
		a.Pairs[0].Verdict != Different {
		t.Errorf("look %d: %+v", a.Interim, a.Pairs[:2])
	}
}

// Any two cells in one part can be compared without a verdict, and each has a level.
func TestTableOfCells(t *testing.T) {
	in := familyInput(12)
	table := Tabulate(in.Trials, atLevel)
	m, _ := MetricNamed("throughput")
	if r := table.Compare(m, on("b", 1), on("a", 0), .95); math.Abs(r.Value-.5) > .01 || r.N != 12 || r.Lo > .5 ||
		r.Hi < .5 {
		t.Errorf("between levels: %+v", r)
	}
	if r := table.Compare(m, on("a", 0), on("a", 10), .95); r.N != 0 {
		t.Errorf("of two parts, which share no round: %+v", r)
	}
	if l := table.Level(m, on("b", 10)); math.Abs(l.Value/6000-1) > .3 || l.N != 12 ||
		!(l.Lo <= l.Value && l.Value <= l.Hi) || math.IsInf(l.Lo, 0) {
		t.Errorf("level %+v", l)
	}
	if l := table.Level(m, on("nobody", 0)); l.N != 0 {
		t.Errorf("of nobody: %+v", l)
	}
}

func TestResponseTimes(t *testing.T) {
	p50, _ := MetricNamed("response_p50")
	p99, _ := MetricNamed("response_p99")
	good := record.Load{Succeeded: 1000, ResponseP50NS: 2e5, ResponseP99NS: 9e5}
	for name, c := range map[string]struct {
		set        func(*record.Load)
		half, tail bool
	}{
		"as it is":             {func(*record.Load) {}, true, true},
		"a closed loop":        {func(l *record.Load) { l.ResponseP50NS, l.ResponseP99NS = 0, 0 }, false, false},
		"too few for the tail": {func(l *record.Load) { l.Succeeded = 999 }, true, false},
		"too few for the half": {func(l *record.Load) { l.Succeeded = 19 }, false, false},
		"the tail is censored": {func(l *record.Load) { l.CensoredFromNS = 5e5 }, true, false},
		"few were broken early": {func(l *record.Load) {
			l.CensoredFromNS, l.ResponseP50MostNS, l.ResponseP99MostNS = 1, 201e3, 903e3
		}, true, true},
		"many were": {func(l *record.Load) {
			l.CensoredFromNS, l.ResponseP50MostNS, l.ResponseP99MostNS = 1, 203e3, 0
		}, false, false},
		"all of it is censored": {func(l *record.Load) { l.CensoredFromNS = 1e5 }, false, false},
	} {
		tr := record.Trial{Load: good}
		c.set(&tr.Load)
		_, half := p50.Of(&tr)
		_, tail := p99.Of(&tr)
		if half != c.half || tail != c.tail {
			t.Errorf("%s: %v, %v", name, half, tail)
		}
	}
	if !p50.Open() || !p99.Open() || p50.More || p99.More {
		t.Error("response times are of open loops, and less is better")
	}
}
