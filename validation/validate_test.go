package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"dyno/internal/checks"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/stats"
	"dyno/internal/study"
)

// The machine wanders as was measured, and the mean over a trial is that of the process, not of its
// ends.
func TestWander(t *testing.T) {
	for lag, want := range map[float64]float64{0: 1, .01: .83, .1: .49, .4: .26, 1: .2} {
		if got := correlation(lag); math.Abs(got-want) > .01 {
			t.Errorf("correlation %.3f at %v s; want %v", got, lag, want)
		}
	}
	const n, slices = 40_000, 20
	fine := newStep(trialTime / slices)
	var direct, summed, after [3]float64 // Σ mean², Σ mean·end, Σ end·start of the one step and of many small ones
	w := newWander(source(1, "wander", 0))
	for range n {
		start := w.x[0] + w.x[1] + w.x[2]
		m := w.mean(overTrial)
		end := w.x[0] + w.x[1] + w.x[2]
		direct[0], direct[1], direct[2] = direct[0]+m*m/n, direct[1]+m*end/n, direct[2]+end*start/n
		start, m = end, 0
		for range slices {
			m += w.mean(fine) / slices
		}
		end = w.x[0] + w.x[1] + w.x[2]
		summed[0], summed[1], summed[2] = summed[0]+m*m/n, summed[1]+m*end/n, summed[2]+end*start/n
		w.rest(overGap)
		after[0] += (w.x[0] + w.x[1] + w.x[2]) * end / n
	}
	// The mean's variance is the mean of the correlation over all lags: ∫ 2(1-u) r(uT) du.
	var variance float64
	for i := range 1000 {
		u := (float64(i) + .5) / 1000
		variance += 2 * (1 - u) * correlation(u*trialTime) / 1000
	}
	for name, c := range map[string]struct{ got, want float64 }{"variance of the mean": {direct[0], variance}, "by small steps": {summed[0], variance},
		"mean and end": {direct[1], summed[1]}, "start and end": {direct[2], correlation(trialTime)}, "over a gap": {after[0], correlation(gapTime)}} {
		if math.Abs(c.got-c.want) > .05 { // the slow part makes all draws hang together
			t.Errorf("%s: %.3f, want %.3f", name, c.got, c.want)
		}
	}
}

// correlation is that of two moments so many seconds apart.
func correlation(lag float64) (r float64) {
	for _, w := range wanders {
		r += w.weight * math.Exp(-lag/w.time)
	}
	return r
}

// The looks of the simulation are those that a run really takes, by the pace of its pilots.
func TestAnalysesAreThePlans(t *testing.T) {
	run := record(&noFoe, 1, 0, make([]float64, trapServers+Standard.Riders))
	got, want := plan.Analyses(run), Standard.Analyses(trapServers)
	// The record has no verification, whose time is of the budget: one epoch more fits.
	if one := len(got) == 1 && len(want) == 1 && got[0].N-want[0].N == 1; one {
		got[0].N = want[0].N
	}
	if len(got) != len(want) || got[0] != want[0] {
		t.Errorf("the run looks at %v, the simulation at %v", got, want)
	}
	for _, p := range profiles {
		if want := runPlan(p.Name, 2).Rounds; p.Rounds != want {
			t.Errorf("%s: simulated with %d rounds, planned with %d", p.Name, p.Rounds, want)
		}
	}
	for k, want := range map[int]int{2: 4, 4: 1, 10: 1} {
		if l := Full.Analyses(k); len(l) != want || l[len(l)-1].N < 16 {
			t.Errorf("full, %d servers: %v", k, l)
		}
	}
}

// The bars, with few duels and so with room for chance: the long run is README.md.
func TestSimulationShort(t *testing.T) {
	o := &Options{Reps: 120, Seed: 7}
	for _, noise := range Noises {
		for _, k := range []int{2, 4} {
			c := simulate(t.Context(), o, noise, &Full, k, "A/A")
			if lo, _ := c.False.Interval(); lo > Alpha {
				t.Errorf("%s, %d servers alike: different in %v %%", noise.Name, k, c.False)
			}
			d := simulate(t.Context(), o, noise, &Full, k, "5 %")
			if _, hi := d.Covered.Interval(); hi < .95 || d.Wrong.Hits > 0 || d.Ranks.Upper() < .95 {
				t.Errorf("%s, %d servers, 5 %%: interval holds %v %%, ranks %v %%, wrong %v %%", noise.Name, k, d.Covered, d.Ranks, d.Wrong)
			}
			if noise.Name == Noises[1].Name && d.Found[0].Share() < .95 {
				t.Errorf("CPU/request, %d servers: 5 %% is found in %v %% by %d epochs", k, d.Found[0], d.Analyses[0])
			}
			for n, r := range d.Fixed {
				if lo, hi := r.Interval(); hi < .94 || lo > .97 {
					t.Errorf("%s: 95 %% intervals cover %v %% after %d epochs", noise.Name, r, n)
				}
			}
		}
		if c := simulate(t.Context(), o, noise, &Full, 2, "6 %"); c.Equivalent.Share() > .05 {
			t.Errorf("%s: 6 %% is called a tie in %v %%", noise.Name, c.Equivalent)
		}
	}
}

// Pairs in series keep the level with any ranking, and lose few decisions: the long run is
// README.md.
func TestFamilyShort(t *testing.T) {
	o := &Options{Reps: 40, Seed: 1}
	clear := 0
	for _, m := range misled(t.Context(), o) {
		if m.Error.Of != o.Reps || m.Error.Hits > 8 || m.Near.Hits < 30 || m.One.Hits < 30 || m.Equivalent.Hits > 6 {
			t.Errorf("%+v", m)
		}
		clear += m.Error.Hits
	}
	all, err := saved(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Source == asRecorded && (s.Takes >= s.Fits || s.Kept.Share() < .8 || s.Near[1] == 0) {
			t.Errorf("%+v", s)
		}
	}
	if clear == 0 {
		t.Error("in 48 × 40 comparisons nobody errs: the test tests nothing")
	}
}

func TestReplayShort(t *testing.T) {
	facts, cells, err := replay(t.Context(), &Options{Reps: 60, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if facts[0].Epochs < 70 || !(facts[0].PairSD > .03 && facts[0].PairSD < .08) || facts[0].Lo > 1 || facts[0].Hi < 1 {
		t.Errorf("%+v", facts[0])
	}
	for _, c := range cells {
		lo, _ := c.False.Interval()
		_, held := c.Covered.Interval()
		if c.Effect == 0 && lo > Alpha || held < .95 {
			t.Errorf("%s, %d servers, %v: different in %v %%, interval holds %v %%", c.Metric, c.K, c.Effect, c.False, c.Covered)
		}
		if c.Effect == .10 && c.Found[len(c.Found)-1].Share() < .9 {
			t.Errorf("%s, %d servers: 10 %% is found in %v %% by %d epochs", c.Metric, c.K, c.Found[len(c.Found)-1], c.Analyses[len(c.Analyses)-1])
		}
	}
}

// Each part buys something.
func TestAblationShort(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates some thousand runs")
	}
	rate := map[string]Ablated{}
	for _, a := range ablation(t.Context(), &Options{Reps: 60, Seed: 7}) {
		if a.K == 2 {
			rate[a.Noise+": "+a.Part] = a
		}
	}
	for _, n := range AblationNoises {
		own := rate[n.Noise.Name+": dyno"]
		if lo, _ := own.False.Interval(); lo > Alpha {
			t.Errorf("%s: dyno's own error is %v %%", n.Noise.Name, own.False)
		}
		if peek := rate[n.Noise.Name+": peeking"].False.Share(); peek < .08 {
			t.Errorf("%s: peeking errs in %.2f only", n.Noise.Name, peek)
		}
	}
	if r := rate["position: fixed order"].False.Share(); r < .5 {
		t.Errorf("a fixed order errs in %.2f only", r)
	}
	if r := rate["JIT or layout: no fresh processes"].False.Share(); r < .3 {
		t.Errorf("the processes of one start err in %.2f only", r)
	}
	if own, other := rate["hits: dyno"].Found.Share(), rate["hits: mean for median"].Found.Share(); own < other+.2 {
		t.Errorf("the median finds %.2f, the mean %.2f", own, other)
	}
	if r := rate["hog: one after the other"].False.Share(); r < .25 {
		t.Errorf("one after the other errs in %.2f only", r)
	}
	if own, other := rate["hog: dyno"].Found.Share(), rate["hog: no pairing"].Found.Share(); own < other+.4 {
		t.Errorf("pairing finds %.2f instead of %.2f", own, other)
	}
	if own, other := rate["hog: dyno"].Found.Share(), rate["hog: no interleaving in the epoch"].Found.Share(); own < other+.3 {
		t.Errorf("interleaving finds %.2f instead of %.2f", own, other)
	}
	if r := rate["felt twice: no gate"].False.Share(); r < .5 {
		t.Errorf("without the gate a server that suffers more is called different in %.2f only", r)
	}
	if r := rate["JIT or layout: trials as units"].False.Share(); r < .08 {
		t.Errorf("trials as units err in %.2f only", r)
	}
	if own, other := rate["bad starts: dyno"].Found.Share(), rate["bad starts: t instead of Wilcoxon"].Found.Share(); own < other+.2 {
		t.Errorf("Wilcoxon finds %.2f, t %.2f", own, other)
	}
}

// Each trap is kept out by the method, or told of by the check that the trap names.
func TestTraps(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates some thousand runs")
	}
	const runs = 4
	for i := range Foes {
		foe := &Foes[i]
		var told, busy int
		for rep := range runs {
			j := whole(foe, 7, rep)
			if j.worst[foe.Catch] >= checks.Warn {
				told++
			}
			if j.busy {
				busy++
			}
			if foe.Busy && j.claimed {
				t.Errorf("%s: throughput is ranked on a machine too busy", foe.Name)
			}
		}
		if foe.Busy != (busy == runs) {
			t.Errorf("%s: too busy in %d of %d runs", foe.Name, busy, runs)
		}
		if foe.Catch == "" {
			f := duels(foe, 120)
			if lo, _ := f.Interval(); lo > Alpha {
				t.Errorf("%s: servers alike are called different in %v %%", foe.Name, f)
			}
		} else if told < runs-1 {
			t.Errorf("%s: %s tells in %d of %d runs", foe.Name, foe.Catch, told, runs)
		}
	}
}

// Where an assumption is broken, the error is kept or the check named warns of it.
func TestBrokenAssumptionsShort(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates some thousand runs")
	}
	worst := map[string]Rate{}
	for _, b := range broken(t.Context(), &Options{Reps: 100, Seed: 7}) {
		// Of starts whose means alone are equal dyno does not claim that they are: the page shows what happens.
		if lo, _ := b.False.Interval(); lo > Alpha && b.Catch == "" && b.Equal != "mean" {
			t.Errorf("%s, equal %s, %d servers: different in %v %%", b.Name, b.Equal, b.K, b.False)
		}
		worst[b.Name+b.Equal] = b.False
	}
	if r := worst["starts bimodal, raremean"]; r.Share() < .06 {
		t.Errorf("where only the means are equal, servers are called different in %v %%: the case tests nothing", r)
	}
}

// Several runs of one question hold the truth together, and know how runs differ.
func TestRunsCombine(t *testing.T) {
	var runs []*result.Run
	for rep := range 4 {
		truth := make([]float64, 2+Standard.Riders)
		truth[0] = math.Log1p(.05)
		runs = append(runs, record(&noFoe, 9, rep, truth))
	}
	a, err := study.Combine(runs)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Pairs) != 2 || a.Pairs[1].A != "ref" || a.Runs != 4 {
		t.Fatalf("%+v", a)
	}
	for i, want := range []float64{math.Log1p(.05), 0} {
		x := a.Pairs[i].Together
		if math.Abs(x.Mean-want) > .02 || !(x.Lo < want+.01 && want-.01 < x.Hi) || x.NextHi-x.NextLo <= x.Hi-x.Lo {
			t.Errorf("%s against %s: %+v, want %.3f", a.Pairs[i].A, a.Pairs[i].B, x, want)
		}
	}
	if held, all := a.Held(); all != 4 || held < 3 {
		t.Errorf("%d of %d intervals hold the mean of the other runs", held, all)
	}
	other := *runs[1]
	other.Plan.Scenario = "another"
	if _, err := study.Combine([]*result.Run{runs[0], &other}); err == nil {
		t.Error("runs of two questions are combined")
	}
}

// duels is the rate of false differences among servers alike, with a foe.
func duels(foe *Foe, reps int) Rate {
	return count(against(context.Background(), &Options{Reps: reps, Seed: 7}, foe, "A/A"), func(p played) bool { return p.false })
}

// Nothing but the seed and the number of duels is in the page.
func TestPageIsAFunctionOfTheSeed(t *testing.T) {
	if testing.Short() {
		t.Skip("makes every simulation of the page three times")
	}
	write := func(seed uint64) string {
		p, err := Run(t.Context(), &Options{Reps: 1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := Page(&b, p); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := write(7)
	before := runtime.GOMAXPROCS(3)
	again := write(7)
	runtime.GOMAXPROCS(before)
	if first != again {
		t.Error("two pages of one seed differ")
	}
	if strings.Contains(first, "NaN") || strings.Contains(first, "%!") {
		t.Errorf("a figure is not one:\n%s", first)
	}
	if !strings.Contains(first, "| V20 | carry-over |") {
		t.Errorf("no power of the checks:\n%s", first)
	}
	// The page in doc is made by this code: all that was to be shown stands in it.
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(first, "\n") {
		if strings.HasPrefix(line, "#") && !strings.Contains(string(page), line) {
			t.Errorf("README.md has no %q: make it again (go run ./validation)", line)
		}
	}
	if !strings.Contains(string(page), faultsText) {
		t.Error("README.md has another section of faults: make it again (go run ./validation)")
	}
	for _, b := range (&Results{Cells: []Cell{}, Replays: []Replay{}, Transfers: []Transfer{}, Broken: []Broken{},
		Traps: []Trap{}}).Bars() {
		if !strings.Contains(string(page), "| "+b.Target+" | "+b.Limit+" |") {
			t.Errorf("README.md has no bar %q: make it again (go run ./validation)", b.Target)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if p, err := Run(ctx, &Options{Reps: 1000, Seed: 1, Only: "replay"}); err == nil || p != nil {
		t.Error("an interrupted validation gives no results")
	}
}

func TestRate(t *testing.T) {
	r := count([]int{1, 2, 3, 4}, func(i int) bool { return i > 3 })
	if r != (Rate{1, 4}) || r.Share() != .25 || r.String() != "25 (0.6–81)" {
		t.Errorf("%v %s", r, r)
	}
	if _, hi := stats.ClopperPearson(1, 4, .9); r.Upper() != hi {
		t.Errorf("upper bound %v", r.Upper())
	}
	for x, want := range map[float64]string{0: "0", .0004: "0.04", .9996: "99.96", .051: "5.1", .25: "25", .994: "99.4", 1: "100"} {
		if got := perCent(x); got != want {
			t.Errorf("%v is printed %s", x, got)
		}
	}
}
