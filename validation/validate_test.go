package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// The machine's speed has the measured autocorrelation, and the mean over a trial is the mean of the process,
// not of the trial's ends.
func TestWander(t *testing.T) {
	for lag, want := range map[float64]float64{0: 1, .01: .83, .1: .49, .4: .26, 1: .2} {
		if got := correlation(lag); math.Abs(got-want) > .01 {
			t.Errorf("correlation %.3f at %v s; want %v", got, lag, want)
		}
	}
	const n, slices = 40_000, 20
	fine := newStep(trialTime / slices)
	var direct, summed, after [3]float64 // Σ mean², Σ mean·end, Σ end·start in one step and in many small steps
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
	// The mean's variance is the correlation averaged over all lags: ∫ 2(1-u) r(uT) du.
	var variance float64
	for i := range 1000 {
		u := (float64(i) + .5) / 1000
		variance += 2 * (1 - u) * correlation(u*trialTime) / 1000
	}
	for name, c := range map[string]struct{ got, want float64 }{"variance of the " +
		"mean": {direct[0], variance}, "by small steps": {summed[0], variance},
		"mean and end": {direct[1], summed[1]}, "start and end": {direct[2], correlation(trialTime)}, "over a " +
			"gap": {after[0], correlation(gapTime)}} {
		if math.Abs(c.got-c.want) > .05 { // the slow part correlates all draws
			t.Errorf("%s: %.3f, want %.3f", name, c.got, c.want)
		}
	}
}

// correlation returns the correlation at a lag in seconds.
func correlation(lag float64) (r float64) {
	for _, w := range wanders {
		r += w.weight * math.Exp(-lag/w.time)
	}
	return r
}

// The cases keep the limits or cannot tell, with few comparisons; README.md has the long runs.
func TestCasesShort(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of comparisons")
	}
	short := map[string]bool{"all equal": true, "halves 2 ×": true, "one bimodal, its mean equal": true, "one " +
		"+20 %": true}
	var some []Case
	for _, c := range cases() {
		if short[c.What] && c.K < 20 {
			some = append(some, c)
		}
	}
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	if err := simulateCases(cut, some, 60, func(at CaseAt) error {
		t.Errorf("kept, though cut off: "+
			"%+v", at)
		return nil
	}); err == nil {
		t.Error("cut off, and no error")
	}
	var lines bytes.Buffer
	if err := simulateCases(t.Context(), some, 60, func(at CaseAt) error { return json.NewEncoder(&lines).Encode(at) }); err != nil {
		t.Fatal(err)
	}
	all, err := readCases(&lines, "")
	if err != nil || all[0].At[2].Runs != 60 || !reflect.DeepEqual(all[0].At, some[0].At) {
		t.Fatalf("%v, %+v", err, all[0])
	}
	p := &Results{Cases: some}
	seen := 0
	for _, b := range p.caseBars() {
		if b.Worst == "–: " {
			continue
		}
		if seen++; !b.Met && !b.Unsure {
			t.Errorf("%+v", b)
		}
	}
	if seen < 6 {
		t.Errorf("%d bars", seen)
	}
}

// In each noise the error rate is within the limit, and 5 % is found where the noise is small.
func TestSimulationShort(t *testing.T) {
	o := &Options{Reps: 60, Seed: 7}
	for _, noise := range Noises {
		for _, k := range []int{2, 4} {
			p := runPlan(plan.Standard, k)
			c := simulate(t.Context(), o, noise, &p, "A/A")
			if met, unsure := c.Error.keeps(errorLimit, false); !met && !unsure {
				t.Errorf("%s, %d servers alike: different in %v %%", noise.Name, k, c.Error)
			}
			d := simulate(t.Context(), o, noise, &p, "5 %")
			if met, unsure := d.Holds.keeps(holdsLimit, true); !met && !unsure || d.Wrong.Hits > 0 {
				t.Errorf("%s, %d servers, 5 %%: intervals hold %v %%, wrong %v %%", noise.Name, k, d.Holds, d.Wrong)
			}
			if at := d.Found[len(d.Found)-1]; noise.Name == Noises[1].Name && at.Share() < .95 {
				t.Errorf("CPU/request, %d servers: 5 %% is found in %v %%", k, at)
			}
		}
	}
}

func TestReplayShort(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of comparisons")
	}
	p := &Results{}
	if err := p.replay(t.Context(), &Options{Reps: 60, Seed: 7}); err != nil {
		t.Fatal(err)
	}
	if f := p.Recorded[0]; f.Epochs < 70 || !(f.PairSD > .03 && f.PairSD < .08) || f.Lo > 1 || f.Hi < 1 {
		t.Errorf("%+v", f)
	}
	for _, c := range p.Replays {
		lo, _ := c.Error.Interval()
		_, held := c.Holds.Interval()
		if lo > Alpha || held < .95 {
			t.Errorf("%s, %d servers, %v: different in %v %%, intervals hold %v %%", c.Metric, c.K, c.Effect, c.Error, c.Holds)
		}
		if last := c.Found[len(c.Found)-1]; c.Effect == .10 && last.Share() < .9 {
			t.Errorf("%s, %d servers: 10 %% is found in %v %%", c.Metric, c.K, last)
		}
	}
}

// Each trap is harmless to the verdicts, or the check that it names warns.
func TestTraps(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates some thousand runs")
	}
	const runs = 4
	for i := range Foes {
		foe := &Foes[i]
		var told, claimed int
		for rep := range runs {
			j := wholeRun(foe, 7, rep)
			if j.worst[foe.Catch] >= judge.Warn {
				told++
			}
			if j.claimed {
				claimed++
			}
		}
		switch {
		case foe.Seen && foe.Catch == "":
			if claimed > 1 {
				t.Errorf("%s: servers alike are called different in %d of %d runs", foe.Name, claimed, runs)
			}
		case foe.Catch == "":
			f := falseDifferences(foe, 120)
			if lo, _ := f.Interval(); lo > Alpha {
				t.Errorf("%s: servers alike are called different in %v %%", foe.Name, f)
			}
		case foe.Catch != judge.Dependence && told < runs-1:
			t.Errorf("%s: %s tells in %d of %d runs", foe.Name, foe.Catch, told, runs)
		}
	}
}

// Combined runs recover the true ratio, and estimate how runs differ.
func TestRunsCombine(t *testing.T) {
	var runs []*record.Run
	for rep := range 4 {
		truth := make([]float64, 2+riders)
		truth[0] = math.Log1p(.05)
		runs = append(runs, recordRun(&noFoe, 9, rep, truth))
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
	other := *runs[1]
	other.Plan.Scenario = "another"
	if _, err := study.Combine([]*record.Run{runs[0], &other}); err == nil {
		t.Error("runs of two questions are combined")
	}
}

// falseDifferences returns the rate of false differences among equal servers with a foe.
func falseDifferences(foe *Foe, reps int) Rate {
	return against(context.Background(), &Options{Reps: reps, Seed: 7}, foe, "A/A").False()
}

// The page depends on the seed and the repetitions, and not on the number of CPUs.
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
	// This code made the committed page: it has all headings and bars.
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
	for _, l := range caseLimits {
		if !strings.Contains(string(page), "| "+l.target+" |") {
			t.Errorf("README.md has no bar %q: make it again (go run ./validation)", l.target)
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
	if met, unsure := (Rate{6, 100}).keeps(.055, false); met || !unsure {
		t.Error("6 of 100 are beyond 5.5 % for certain")
	}
	if met, unsure := (Rate{90, 100}).keeps(.94, true); met || !unsure {
		t.Error("90 of 100 are below 94 % for certain")
	}
	if met, unsure := (Rate{600, 10_000}).keeps(.055, false); met || unsure {
		t.Error("600 of 10,000 may be 5.5 %")
	}
	for x, want := range map[float64]string{0: "0", .0004: "0.04", .9996: "99.96", .051: "5.1", .25: "25",
		.994: "99.4", 1: "100"} {
		if got := perCent(x); got != want {
			t.Errorf("%v is printed %s", x, got)
		}
	}
}
