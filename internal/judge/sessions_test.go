package judge

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// drawn returns n sessions of k programs whose pairs vary with the standard deviation tau.
func drawn(n, k int, tau float64, cpu string) (all Sessions) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		s := Session{Relation: Programs, CPU: cpu, Session: fmt.Sprint(i), Question: "q"}
		for p := range k {
			s.Programs = append(s.Programs, fmt.Sprintf("p%d v1 0123456789ab", p))
			s.Logs, s.SEs = append(s.Logs, .1*float64(p)+tau/math.Sqrt2*rng.NormFloat64()), append(s.SEs, .002)
		}
		all = append(all, s)
	}
	return all
}

func TestBetweenSessions(t *testing.T) {
	given := Sessions{{Relation: Programs, Given: .015}, {Relation: Revisions, Given: .0024}}
	for _, c := range []struct {
		known    Sessions
		relation Relation
		want     stats.Between
		sessions int
	}{
		{given, Programs, stats.Between{SD: .015}, 0},
		{given, Revisions, stats.Between{SD: .0024}, 0},
		{append(drawn(4, 8, .03, "x"), given...), Programs, stats.Between{SD: .015}, 0},                // too few
		{append(drawn(200, 8, .03, "y"), given...), Programs, stats.Between{SD: .015}, 0},              // another model
		{append(drawn(200, 8, .03, "x"), given...), Revisions, stats.Between{SD: .0024}, 0},            // another relation
		{append(drawn(200, 8, .03, "x"), given...), Programs, stats.Between{SD: .03, DF: 199}, 200},    // estimated
		{append(drawn(2000, 2, .03, "x"), given...), Programs, stats.Between{SD: .03, DF: 1999}, 2000}, // of one pair
	} {
		if b, n := c.known.Between(c.relation, "x"); n != c.sessions || b.DF != c.want.DF || math.Abs(b.SD/c.want.SD-1) > .05 {
			t.Errorf("%s of %d lines: %+v from %d sessions; want %+v from %d", c.relation, len(c.known), b, n, c.want, c.sessions)
		}
	}
}

// The embedded sessions can be read, and a line that is none is refused.
func TestReadSessions(t *testing.T) {
	if b, _ := KnownSessions().Between(Programs, ""); b.SD <= 0 {
		t.Errorf("%+v", b)
	}
	for _, bad := range []string{`{}`, `{"relation":"other","given_sd":0.1}`, `{"relation":"different programs","given_sd":-1}`,
		`{"relation":"different programs","programs":["a","b"],"logs":[0],"ses":[0,0]}`,
		`{"relation":"different programs","given_sd":0.1,"x":1}`, `{"relation":`} {
		if all, err := ReadSessions(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: %v, %v", bad, all, err)
		}
	}
}

// A difference that is clear in the run is inconclusive elsewhere if it is not much larger than the spread between
// sessions; five sessions of the pair replace the spread.
func TestElsewhere(t *testing.T) {
	close := map[string]float64{"fast": 41_000, "slow": 40_000, "ref": 50_000, "ref'": 50_000}
	trials := synthetic(1, 12, .005, close, "fast", "slow", "ref", "ref'")
	run := &record.Run{Plan: record.Plan{Contestants: []string{"fast", "slow"}, Levels: []record.Level{{}}},
		Host: record.Host{CPU: "x", Cores: [][]int{{0}}}, Contestants: []record.Contestant{{Name: "fast", Sources: "0123456789abcd"},
			{Name: "slow", Sources: "0123456789abcd"}}}
	given := Sessions{{Relation: Programs, Given: .015}, {Relation: Revisions, Given: .0024}, {Relation: Programs,
		CPU: "y", Session: "s", Question: Asked(&run.Plan, 0, "throughput"), Logs: []float64{.5, 0}, SEs: []float64{.01, 0},
		Programs: []string{Program(&run.Contestants[0]), Program(&run.Contestants[1])}}}
	pair := drawn(4, 2, .0005, "x") // and this run's session
	for i := range pair {
		pair[i].Programs = []string{Program(&run.Contestants[0]), Program(&run.Contestants[1])}
		pair[i].Question = Asked(&run.Plan, 0, "throughput")
		pair[i].Logs[0] += .1 + math.Log(41./40)
	}
	own := slices.Clone(pair)
	own[0].Session = SessionOf(run) // a session counts once
	runs := slices.Clone(pair)
	runs[0].Session = runs[1].Session
	for _, c := range []struct {
		known Sessions
		same  bool
		want  Verdict
	}{{given, false, Inconclusive}, {given, true, Negligible}, {append(pair, given...), false, Negligible},
		{append(own, given...), false, Inconclusive}, {append(runs, given...), false, Inconclusive}} {
		run.Plan.SameProgram = c.same
		a := Analyse(input(trials, "fast", "slow"))
		a.judgeElsewhere(run, nil, c.known)
		p, _ := a.Pair("slow", "fast", "throughput")
		if e := p.Elsewhere; e == nil || e.Verdict != c.want || e.Ratio.Hi < p.Ratio.Value || e.Ratio.Lo > p.Ratio.Value ||
			p.Verdict == Inconclusive {
			t.Errorf("%v: %+v, here %+v", c.same, e, p)
		}
		old := *run
		old.Host.Cores = nil
		b := Analyse(input(trials, "fast", "slow"))
		if b.judgeElsewhere(&old, nil, c.known); b.Pairs[0].Elsewhere != nil {
			t.Errorf("of an unknown model: %+v", b.Pairs[0].Elsewhere)
		}
		turned, _ := a.Pair("fast", "slow", "throughput")
		if on, back := p.Elsewhere.Models, turned.Elsewhere.Models; len(on) != 1 || len(back) != 1 || on[0].CPU != "y" ||
			math.Abs(math.Log(on[0].Ratio.Value)+.5) > 1e-9 || math.Abs(math.Log(back[0].Ratio.Value)-.5) > 1e-9 {
			t.Errorf("on the other model: %+v, turned %+v", on, back)
		}
		if p, _ := a.Pair("slow", "fast", "memory"); p.Elsewhere != nil {
			t.Errorf("memory: %+v", p.Elsewhere)
		}
	}
}

// The bias of short loads is given until five programs had long loads; the errors of these loads are taken off.
func TestBiasOfShortLoads(t *testing.T) {
	known := Sessions{{Relation: Programs, Given: .065, Long: true}, {Relation: Programs, Given: .015}}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		if b, p := known.Bias(Programs); n == 2 && (b != .065 || p != 0) {
			t.Errorf("of four programs: %v", b)
		}
		bias, noise := .02*rng.NormFloat64(), .03*rng.NormFloat64()
		known = append(known, Session{Relation: Programs, CPU: fmt.Sprint(n % 3), Long: true, Source: "x",
			Programs: []string{fmt.Sprint("a", n), fmt.Sprint("b", n)}, Logs: []float64{0, bias + noise}, SEs: []float64{0, .03}})
	}
	if b, p := known.Bias(Programs); math.Abs(b-.02) > .005 || p != 800 {
		t.Errorf("%v of %d programs; drawn with .02", b, p)
	}
	if b, n := known.Between(Programs, "0"); b.SD != .015 || n != 0 {
		t.Errorf("long loads count as sessions: %+v of %d", b, n)
	}
	if b, _ := known.Bias(Revisions); b != 0 {
		t.Errorf("revisions: %v", b)
	}
}

// The second verdict has the ratio less the bias that long loads show; without them its interval allows for any.
func TestElsewhereAllowsForBias(t *testing.T) {
	run := &record.Run{Plan: record.Plan{Contestants: []string{"a", "b"}, Levels: []record.Level{{}}},
		Host: record.Host{CPU: "x", Cores: [][]int{{0}}}}
	known := Sessions{{Relation: Programs, Given: .001}, {Relation: Programs, Given: .065, Long: true}}
	trials, _ := paced(1, 1.1, .01, 0)
	var widths []float64
	loads, beside := longOf(trials, []string{"b", "a"}, 50_000, 53_000, 53_000, 50_000)
	for _, long := range [][]*record.Trial{nil, loads} {
		in := input(trials, "a", "b")
		in.OwnBias, in.AnyBias, in.Long, in.Beside = .065, .065, long, beside
		a := Analyse(in)
		a.judgeElsewhere(run, nil, known)
		p, _ := a.Pair("a", "b", "throughput")
		want := 1.1
		if long != nil {
			want = 1.07 // most of the way from 1.1 to 1.06
		}
		if e := p.Elsewhere; e == nil || math.Abs(e.Ratio.Value-want) > .01 || p.Ratio.Value < 1.08 {
			t.Fatalf("%+v of %+v", e, p)
		}
		widths = append(widths, math.Log(p.Elsewhere.Ratio.Hi/p.Elsewhere.Ratio.Lo)/2)
	}
	if math.Abs(widths[0]-1.96*.065) > .01 || widths[1] > .7*widths[0] {
		t.Errorf("half-widths %v", widths)
	}
}

// The speeds that the machine had widen the second intervals of different programs, whose slopes differ; the noise of
// single loads is no speed.
func TestElsewhereAllowsForSpeeds(t *testing.T) {
	trials, m := synthetic(1, 100, .2, rates, "fast", "slow"), Metrics[0]
	spread := speedSpread(trials, m) // rounds are drawn with 0.3, three in an epoch
	if m.Name != "throughput" || math.Abs(spread-.3/math.Sqrt(3)) > .04 {
		t.Errorf("%s: %v", m.Name, spread)
	}
	ten := map[string]float64{}
	for i := range 10 {
		ten[fmt.Sprint(i)] = 1e4 * float64(1+i)
	}
	for seed := range uint64(20) {
		many := synthetic(seed, 30, .2, ten, slices.Sorted(maps.Keys(ten))...)
		for first, n := speedSpread(many, m), 0; n < 10; n++ {
			if again := speedSpread(many, m); again != first {
				t.Fatalf("the same trials give %v and %v", first, again)
			}
		}
	}
	run := &record.Run{Plan: record.Plan{Contestants: []string{"fast", "slow"}, Levels: []record.Level{{}}},
		Host: record.Host{CPU: "x", Cores: [][]int{{0}}}}
	known := Sessions{{Relation: Programs, Given: .001}, {Relation: Revisions, Given: .001}}
	for same, want := range map[bool]float64{false: slopeSD * spread, true: 0} {
		run.Plan.SameProgram = same
		a := Analyse(input(trials, "fast", "slow"))
		a.judgeElsewhere(run, trials, known)
		p, _ := a.Pair("fast", "slow", "throughput")
		own, wide := math.Log(p.Ratio.Hi/p.Ratio.Value), math.Log(p.Elsewhere.Ratio.Hi/p.Elsewhere.Ratio.Value)
		if p.Elsewhere.State != want || math.Abs(wide-math.Hypot(own, 1.96*math.Hypot(want, .001))) > 1e-3 {
			t.Errorf("same program %v: %v, half-widths %v and %v", same, p.Elsewhere.State, own, wide)
		}
	}
	run.Contestants = []record.Contestant{{Name: "fast", Sources: "0123456789abcd"}, {Name: "slow", Sources: "0123456789abcd"}}
	for i, cpu := range []string{"y", "x", "x", "x", "x", "x"} { // the sessions on x show its states, and none on y
		known = append(known, Session{Relation: Programs, CPU: cpu, Session: fmt.Sprint(i), Logs: []float64{.4, 0},
			SEs: []float64{.001, 0}, Question: Asked(&run.Plan, 0, "throughput"),
			Programs: []string{Program(&run.Contestants[0]), Program(&run.Contestants[1])}})
	}
	run.Plan.SameProgram = false
	a := Analyse(input(trials, "fast", "slow"))
	a.judgeElsewhere(run, trials, known)
	p, _ := a.Pair("fast", "slow", "throughput")
	if on := p.Elsewhere.Models; p.Elsewhere.State != 0 || len(on) != 1 ||
		math.Log(on[0].Ratio.Hi/on[0].Ratio.Value) < 1.9*slopeSD*spread {
		t.Errorf("%+v; σ is %v", p.Elsewhere, slopeSD*spread)
	}
}

// A pair's ratio on a model of CPU is the mean over the sessions there, each counted once; its interval allows for
// their errors, for what varies between sessions, and for the number of contestants.
func TestOn(t *testing.T) {
	one := func(cpu, session string, log, se float64) Session {
		return Session{Relation: Programs, CPU: cpu, Session: session, Question: "q", Programs: []string{"a", "b"},
			Logs: []float64{log, 0}, SEs: []float64{se, 0}}
	}
	known := Sessions{{Relation: Programs, Given: .02}, {Relation: Programs, Given: .03, Long: true},
		one("x", "1", .1, .01), one("x", "2", .2, .03), one("x", "2", .4, .03), one("y", "3", .9, .01)}
	for _, k := range []int{2, 8} {
		z := stats.RangeQuantile(k, .95) / math.Sqrt2
		e := known.On("x", Programs, "q", "a", "b", k, .04)
		second := math.Hypot(.03, .03) / 2 // of two runs
		half := z * math.Hypot(math.Hypot(.01, second)/2, math.Hypot(.02, math.Hypot(.03, .04)))
		if e.N != 2 || math.Abs(math.Log(e.Value)-.2) > 1e-9 || math.Abs(math.Log(e.Hi/e.Value)-half) > 1e-9 ||
			math.Abs(math.Log(e.Value/e.Lo)-half) > 1e-9 {
			t.Errorf("of %d: %+v; want ±%v", k, e, half)
		}
	}
	for _, of := range [][2]string{{"z", "q"}, {"x", "p"}} {
		if e := known.On(of[0], Programs, of[1], "a", "b", 2, 0); e.N != 0 {
			t.Errorf("of %v: %+v", of, e)
		}
	}
	if models := known.Models(); !slices.Equal(models, []string{"x", "y"}) {
		t.Errorf("%q", models)
	}
}
