package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// synthetic makes the trials for n epochs of three rounds: each contestant's rate is as given,
// times a drift that all share and its own noise with sd sigma.
func synthetic(seed uint64, n int, sigma float64, rates map[string]float64, names ...string) []*record.Trial {
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []*record.Trial
	for e := range n {
		for r := range 3 {
			drift := math.Exp(0.3 * rng.NormFloat64())
			for i, name := range names {
				perSec := rates[name] * drift * math.Exp(sigma*rng.NormFloat64())
				cpu, pss := int64(4e8), int64(1e7)
				out = append(out, &record.Trial{
					Key: record.Key{Epoch: e + 1, Round: r, Position: i}, Contestant: name,
					Load: record.Load{WindowNS: 4e8, Succeeded: int64(perSec * 0.4),
						ServiceP50NS: int64(1e9 * 125 / perSec)},
					Server: record.Usage{CPUNS: &cpu, PrivateBytes: &pss},
				})
			}
		}
	}
	return out
}

func input(trials []*record.Trial, names ...string) Input {
	return Input{Trials: trials, Contestants: names, Controls: []string{"ref", "ref'"}, Ceiling: "null",
		Failed:   map[string]string{},
		Analyses: []stats.Interim{{N: 12, Alpha: .05}}, Primary: "throughput", Alpha: .05, Margin: .03}
}

var rates = map[string]float64{"fast": 60_000, "slow": 40_000, "twin": 40_000, "ref": 50_000, "ref'": 50_000,
	"null": 150_000}

// A figure lies within its interval and its range, also where it is another's times a ratio.
func TestFiguresWithinTheirRanges(t *testing.T) {
	for seed := range uint64(20) {
		in := input(synthetic(seed, 3, .05, rates, "fast", "slow", "ref", "ref'"), "fast", "slow")
		for _, c := range Analyse(in).Cells {
			if x := c.Level; c.Absent == "" && !(c.Least <= x.Value && x.Value <= c.Most && x.Lo <= x.Value && x.Value <= x.Hi) {
				t.Errorf("seed %d: %s of %s: %v from %v to %v", seed, c.Metric, c.Contestant, x, c.Least, c.Most)
			}
		}
	}
}

func TestVerdictsOfKnownServers(t *testing.T) {
	a := Analyse(input(synthetic(1, 12, .01, rates, "fast", "slow", "twin", "ref", "ref'"), "fast", "slow", "twin"))
	p, ok := a.Pair("fast", "slow", "throughput")
	if !ok || p.Verdict != Different || p.Better != "fast" {
		t.Fatalf("fast against slow: %+v", p)
	}
	if p.Ratio.Lo > 1.5 || p.Ratio.Hi < 1.5 || p.Ratio.Hi-p.Ratio.Lo > .1 {
		t.Errorf("the ratio is 1.5; found %.3f (%.3f–%.3f)", p.Ratio.Value, p.Ratio.Lo, p.Ratio.Hi)
	}
	q, _ := a.Pair("slow", "fast", "throughput")
	if math.Abs(q.Ratio.Value*p.Ratio.Value-1) > 1e-12 || q.Better != "fast" || q.Ratio.Lo > q.Ratio.Hi {
		t.Errorf("turned round: %+v", q)
	}
	if p, _ := a.Pair("slow", "twin", "throughput"); p.Verdict != Equivalent {
		t.Errorf("slow against its twin: %+v", p)
	}
	want := map[string]Place{"fast": {"fast", 1, 1, false, ""}, "slow": {"slow", 2, 3, false, ""},
		"twin": {"twin", 2, 3, false, ""}}
	for _, got := range a.Places {
		if got != want[got.Contestant] {
			t.Errorf("place %+v; want %+v", got, want[got.Contestant])
		}
	}
	if a.AACheck == nil || a.AACheck.Verdict == Different {
		t.Errorf("A/A check %+v", a.AACheck)
	}
	if c := a.Cell("fast", "throughput"); math.Abs(c.Ratio.Value-1.2) > .02 || c.Level.N != 12 ||
		math.IsInf(c.Level.Lo, 0) {
		t.Errorf("cell %+v", c)
	}
}

func TestNoVerdictBeforeTheFirstAnalysis(t *testing.T) {
	a := Analyse(input(synthetic(2, 11, .001, rates, "fast", "slow", "ref", "ref'"), "fast", "slow"))
	p, _ := a.Pair("fast", "slow", "throughput")
	if p.Verdict != Inconclusive || a.Interim != 0 {
		t.Errorf("after 11 of 12 epochs: %+v", p)
	}
	if p.Ratio.N != 11 {
		t.Errorf("what is known so far should be shown: %+v", p.Ratio)
	}
}

func TestFailedContestantIsExcluded(t *testing.T) {
	in := input(synthetic(5, 12, .01, rates, "fast", "slow", "ref", "ref'"), "fast", "slow", "gone")
	in.Failed["slow"] = "load: reset"
	in.Failed["gone"] = "toolchain: none"
	a := Analyse(in)
	if len(a.Pairs) != 0 {
		t.Errorf("pairs with a failed contestant: %+v", a.Pairs)
	}
	if len(a.Order) != 3 || a.Order[0] != "fast" || a.Places[1].Excluded == "" || a.Places[2].Excluded == "" {
		t.Errorf("order %v, places %+v", a.Order, a.Places)
	}
	if c := a.Cell("gone", "throughput"); c == nil || c.Absent == "" {
		t.Errorf("missing is not zero: %+v", c)
	}
}

func TestLoserAtTheCeilingIsNotRankedBelow(t *testing.T) {
	rates := map[string]float64{"fast": 150_000, "near": 140_000, "slow": 40_000, "ref": 50_000, "ref'": 50_000,
		"null": 155_000}
	in := input(synthetic(6, 12, .005, rates, "fast", "near", "slow", "ref", "ref'"), "fast", "near", "slow")
	in.Pilot = synthetic(7, 1, .005, rates, "ref", "null")
	a := Analyse(in)
	if p, _ := a.Pair("fast", "near", "throughput"); p.Verdict != Inconclusive || p.Note == "" {
		t.Errorf("both stand at the ceiling: %+v", p)
	}
	if p, _ := a.Pair("near", "slow", "throughput"); p.Verdict != Different {
		t.Errorf("a lower bound above a server far from the ceiling: %+v", p)
	}
	for _, p := range a.Places {
		if p.LowerBound != (p.Contestant != "slow") {
			t.Errorf("lower bound: %+v", p)
		}
	}
}

// Identical servers are called different at most as often as alpha, over all pairs in the family.
func TestFamilyWiseErrorOfWholeAnalysis(t *testing.T) {
	same := map[string]float64{"a": 5e4, "b": 5e4, "c": 5e4, "ref": 5e4, "ref'": 5e4}
	const reps = 400
	wrong := 0
	for seed := range uint64(reps) {
		in := input(synthetic(100+seed, 12, .03, same, "a", "b", "c", "ref", "ref'"), "a", "b", "c")
		in.Analyses = []stats.Interim{{N: 8, Alpha: .025}, {N: 12, Alpha: .025}}
		for _, p := range Analyse(in).Pairs {
			if p.Metric == "throughput" && p.Verdict == Different {
				wrong++
				break
			}
		}
	}
	if _, hi := stats.ClopperPearson(wrong, reps, .95); hi > .09 {
		t.Errorf("%d of %d runs of identical servers found a difference (upper bound %.3f)", wrong, reps, hi)
	}
}

// A contestant without a figure takes no place: among three measured servers none may be fourth.
func TestPlacesOfTheMeasured(t *testing.T) {
	a := Analyse(input(synthetic(1, 12, .2, rates, "fast", "slow", "twin", "ref", "ref'"), "absent", "fast",
		"slow", "twin"))
	if got := a.Order[len(a.Order)-1]; len(a.Places) != 4 || got != "absent" {
		t.Errorf("%s is last of %d", got, len(a.Places))
	}
	for _, p := range a.Places {
		if p.Contestant == "absent" && (p.Lo != 0 || p.Hi != 0) || p.Hi > 3 {
			t.Errorf("%+v", p)
		}
	}
}

// Dividing two levels gives the ratio beside them, although the machine's drift affects the levels
// differently.
func TestLevelsDivide(t *testing.T) {
	a := Analyse(input(synthetic(7, 12, .05, rates, "fast", "slow", "twin", "ref", "ref'"), "fast", "slow", "twin"))
	best := a.Order[0]
	for _, metric := range []string{"throughput", "cpu_per_request", "p50", "memory"} {
		for _, name := range a.Order[1:] {
			p, _ := a.Pair(name, best, metric)
			divided := a.Cell(name, metric).Level.Value / a.Cell(best, metric).Level.Value
			if math.Abs(divided/p.Ratio.Value-1) > 1e-9 {
				t.Errorf("%s of %s over %s: %v divided, %v their ratio", metric, name, best, divided, p.Ratio.Value)
			}
		}
	}
	top, ref := a.Cell(best, "throughput"), a.Cell("ref", "throughput")
	if divided := top.Level.Value / ref.Level.Value; math.Abs(divided/top.Ratio.Value-1) > 1e-9 {
		t.Errorf("%s over the reference: %v divided, %v their ratio", best, divided, top.Ratio.Value)
	}
	if p, _ := a.Pair(a.Order[0], a.Order[1], "throughput"); p.Ratio.Value < 1 {
		t.Errorf("%s is first, and its ratio to the second %v", a.Order[0], p.Ratio.Value)
	}
}

func TestRanks(t *testing.T) {
	// 0 beats 2 and 3, 1 beats 3.
	lo, hi := Ranks(4, func(i, j int) bool { return i == 0 && j >= 2 || i == 1 && j == 3 })
	for i, want := range [][2]int{{1, 2}, {1, 3}, {2, 4}, {3, 4}} {
		if lo[i] != want[0] || hi[i] != want[1] {
			t.Errorf("%d: %d–%d; want %v", i, lo[i], hi[i], want)
		}
	}
}

// A contestant that puts off work leads nobody and equals nobody; behind another it stays.
func TestDeferringLeadsNobody(t *testing.T) {
	trials := synthetic(1, 12, .005, rates, "fast", "slow", "twin", "ref", "ref'")
	for deferring, want := range map[string][2]Verdict{"": {Different, Equivalent}, "fast": {Inconclusive, Equivalent},
		"slow": {Different, Inconclusive}} {
		in := input(trials, "fast", "slow", "twin")
		in.Deferring = map[string]string{deferring: "it may have put off work"}
		a := Analyse(in)
		lead, _ := a.Pair("fast", "slow", "throughput")
		equal, _ := a.Pair("slow", "twin", "throughput")
		memory, _ := a.Pair("fast", "slow", "memory")
		if got := [2]Verdict{lead.Verdict, equal.Verdict}; got != want || memory.Note != "" ||
			(lead.Verdict == Inconclusive) != (lead.Note != "") || lead.Verdict == Inconclusive && lead.Better != "" {
			t.Errorf("%q defers: %v, want %v; %+v", deferring, got, want, lead)
		}
	}
}

// Work that is put off at another level withdraws no verdict at the first: the check asks about the same trials.
func TestDeferringAtTheFirstLevel(t *testing.T) {
	first, other := record.Level{Connections: 10}, record.Level{Connections: 20}
	run := &record.Run{Plan: record.Plan{Processes: record.PerEpoch, Rounds: 3, Contestants: []string{"fast", "slow"},
		Levels: []record.Level{first, other}, Primary: "throughput", Alpha: .05, Margin: .03}}
	run.Plan.Complete()
	c := &Counted{Analyses: []stats.Interim{{N: 12, Alpha: .05}}}
	for i := range run.Plan.Levels {
		for _, x := range synthetic(1, 12, .005, rates, "fast", "slow") {
			if x.Level, x.OutsideCPUNS = &run.Plan.Levels[i], ns(0); i > 0 {
				x.UnloadedNS, x.UnloadedCPUNS = 5e7, ns(5e7)
			}
			c.Valid = append(c.Valid, x)
		}
	}
	if !run.Plan.Ranks() {
		t.Fatal("the plan decides at all levels")
	}
	if p, _ := AnalyseRun(run, c).Pair("fast", "slow", "throughput"); p.Verdict != Different {
		t.Errorf("%+v", p)
	}
}

// The check of the twins is that of their own series: as ratios to the reference it counted them twice, and starts
// seemed to resemble those before.
func TestTwinsCountOnce(t *testing.T) {
	m, cell := Metrics[0], func(name string) record.Cell { return record.Cell{Contestant: name} }
	for seed := range uint64(40) {
		in := input(synthetic(seed, 12, .05, rates, "fast", "slow", "ref", "ref'"), "fast", "slow")
		a, twins := Analyse(in), Tabulate(in.Trials, nil).differences(m, cell("ref"), cell("ref'"))
		want := Decide([][]float64{twins}, nil, len(twins), in.Analyses, a.AlphaAt, in.Margin, 3)[0]
		if math.Abs(a.AACheck.SE/want.SE-1) > 1e-9 {
			t.Fatalf("seed %d: standard error %v; by its own series %v", seed, a.AACheck.SE, want.SE)
		}
	}
}
