package study

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// laws are how made-up servers scale.
var laws = map[string]stats.Scaling{
	"a": {Lambda: 50_000, Sigma: .02, Kappa: .0005}, "b": {Lambda: 40_000, Sigma: .1, Kappa: .02},
	"ref": {Lambda: 45_000, Sigma: .03}, "ref'": {Lambda: 45_000, Sigma: .03}, "null": {Lambda: 1e6},
}

// scaledRun is a run of a and b on numbers of CPUs whose trials keep the laws, with noise within and
// between epochs, on a machine that becomes steadily slower: by a tenth in a hundred epochs.
func scaledRun(t *testing.T, r plan.Request, change func(plan.Order, *result.Trial)) *result.Run {
	t.Helper()
	if r.Seed == 0 {
		r.Contestants, r.Seed = []string{"a", "b"}, 5
	}
	r.Primary = "throughput"
	rng := rand.New(rand.NewPCG(r.Seed, 2))
	common := map[int]float64{}
	run := carriedOut(t, planned(t, r), func(o plan.Order, tr *result.Trial) {
		if _, ok := common[o.Epoch]; !ok {
			common[o.Epoch] = 0.01*rng.NormFloat64() - 0.001*float64(o.Epoch)
		}
		n := float64(max(o.Level.CPUs, 1))
		law := laws[o.Contestant]
		if o.Contestant == "null" { // has all CPUs
			n = 1
		}
		rate := law.At(n) * math.Exp(common[o.Epoch]+0.01*rng.NormFloat64())
		tr.Load.WindowNS, tr.Load.Succeeded = 1e9, int64(rate)
		cpu := int64(1e9 * n)
		tr.Server.CPUNS, tr.ClocksNS, tr.Causes.ServerCPUs = &cpu, 1e9, int(n)
		if change != nil {
			change(o, tr)
		}
	})
	for i := range run.Trials {
		tr := run.Trials[i]
		l := run.Plan.LevelOf(tr)
		if tr.Round > 0 || tr.Attempt > 0 || tr.Contestant == "null" || l.CPUs == 0 {
			continue
		}
		run.Launches = append(run.Launches, result.Launch{Contestant: tr.Contestant, Epoch: tr.Epoch,
			Processors: &result.Processors{CPUs: make([]int, l.CPUs)}})
	}
	return run
}

// The law of each server is found, through the plan, its order of epochs and the judge, on a machine
// that drifts.
func TestScalings(t *testing.T) {
	for _, protocol := range []string{plan.Sweep, plan.Paired} {
		r := plan.Request{Protocol: protocol, ServerCPUs: []int{1, 2, 4, 8}}
		if protocol == plan.Paired {
			r.Epochs = 24 // in longer runs the machine drifts further
		}
		run := scaledRun(t, r, nil)
		d := Evaluate(run)
		if len(d.Scalings) != 3 {
			t.Fatalf("%s: %d scalings", protocol, len(d.Scalings))
		}
		for i := range d.Scalings {
			s := &d.Scalings[i]
			law := laws[s.Contestant]
			if len(s.Points) != 4 || s.Fitted != 4 || s.Turns < 6 || s.Load.CPUs != 0 {
				t.Fatalf("%s: %+v", protocol, s)
			}
			if f := &s.Fit; math.Abs(f.Sigma-law.Sigma) > .02 || math.Abs(f.Kappa-law.Kappa) > .005 ||
				!(f.Low.Sigma <= f.Sigma && f.Sigma <= f.High.Sigma && f.High.Sigma < law.Sigma+.05) {
				t.Errorf("%s: of %+v: %+v", s.Contestant, law, f)
			}
			for _, p := range s.Points {
				want := 1e9 * float64(p.CPUs) / law.At(float64(p.CPUs))
				if math.Abs(p.CPU.Value/want-1) > .1 || math.Abs(p.Rate.Value/law.At(float64(p.CPUs))-1) > .1 {
					t.Errorf("%s on %d: %+v", s.Contestant, p.CPUs, p)
				}
			}
		}
	}
}

// The intervals hold the law in about 95 of 100 runs, although the machine becomes slower.
func TestScalingIntervals(t *testing.T) {
	held, runs := 0, 40
	for seed := range runs {
		d := Evaluate(scaledRun(t, plan.Request{Protocol: plan.Sweep, ServerCPUs: []int{1, 2, 4, 8}, Epochs: 8,
			Contestants: []string{"a"}, Seed: uint64(100 + seed)}, nil))
		f, law := &d.Scalings[0].Fit, laws["a"]
		if f.Low.Sigma <= law.Sigma && law.Sigma <= f.High.Sigma {
			held++
		}
	}
	if held < runs*85/100 {
		t.Errorf("%d of %d intervals hold the contention", held, runs)
	}
}

// What cannot be fitted is not, and says why: too few numbers, those at the generator's ceiling, those
// with threads of one core, no turn that is whole.
func TestUnfitted(t *testing.T) {
	ask := func(cpus ...int) plan.Request { return plan.Request{Protocol: plan.Sweep, ServerCPUs: cpus} }
	for name, c := range map[string]struct {
		r      plan.Request
		change func(plan.Order, *result.Trial)
		spoil  func(*result.Run)
		want   string
		turns  bool
	}{
		"two numbers": {r: ask(1, 2), want: "2 numbers of CPUs: a fit takes 3"},
		"the ceiling": {r: ask(1, 2, 4), want: "2 numbers of CPUs without those at the generator's ceiling",
			change: func(o plan.Order, tr *result.Trial) {
				if o.Contestant == "null" {
					tr.Load.Succeeded = int64(1.1 * laws["a"].At(4))
				}
			}},
		"threads": {r: ask(1, 2, 4), want: "2 numbers of CPUs without those at", spoil: func(r *result.Run) {
			for i := range r.Launches {
				if p := r.Launches[i].Processors; len(p.CPUs) == 4 {
					p.Threads = true
				}
			}
		}},
		"no whole turn": {r: ask(1, 2, 4), want: "no turn of epochs is valid on each number",
			change: func(o plan.Order, tr *result.Trial) {
				if turn := (o.Epoch - 3) / 3; !o.Pilot && o.Level.CPUs == []int{1, 2, 4}[turn%3] {
					tr.Causes.StealNS = 2e8 // discards the trial
				}
			}},
		"all is well": {r: ask(1, 2, 4), turns: true},
	} {
		run := scaledRun(t, c.r, c.change)
		if c.spoil != nil {
			c.spoil(run)
		}
		d := Evaluate(run)
		i := slices.IndexFunc(d.Scalings, func(s report.Scaling) bool { return s.Contestant == "a" })
		if i < 0 {
			t.Fatalf("%s: no scaling of a", name)
		}
		s := &d.Scalings[i]
		var out bytes.Buffer
		if err := report.JSON(&out, d); err != nil {
			t.Fatal(err)
		}
		var read struct {
			Scalings []struct {
				Contestant string
				Fit        *struct {
					Contention []*float64 `json:"contention_ratio"`
				}
				Unfitted *string
			}
		}
		if err := json.Unmarshal(out.Bytes(), &read); err != nil {
			t.Fatal(err)
		}
		j := read.Scalings[i]
		switch {
		case c.want == "" && (j.Fit == nil || len(j.Fit.Contention) != 3 || j.Unfitted != nil || s.Turns != 6):
			t.Errorf("%s: %+v, %+v", name, j, s)
		case c.want != "" && (j.Fit != nil || j.Unfitted == nil || !strings.Contains(*j.Unfitted, c.want)):
			t.Errorf("%s: %s", name, out.String()[strings.Index(out.String(), `"scalings"`):])
		}
	}
	plain := scaledRun(t, plan.Request{}, nil)
	if d := Evaluate(plain); d.Scalings != nil {
		t.Errorf("of a run on all CPUs: %+v", d.Scalings)
	}
}

// The study has a level for each number, decides every pair on each, and its reports say in words, charts
// and tables what more CPUs bring.
func TestScaleStudy(t *testing.T) {
	st, err := Read(os.DirFS("../.."), "scale")
	if err != nil {
		t.Fatal(err)
	}
	for _, quick := range []bool{true, false} {
		p := planned(t, plan.Request{Question: st.Ask(Choice{Quick: quick}), Seed: 1})
		cost, err := plan.Estimate(&p)
		if err != nil {
			t.Fatal(err)
		}
		k, levels := len(p.Contestants), len(p.Levels)
		t.Logf("quick %v: %d pairs, %d trials, %v of %v", quick, cost.Pairs, cost.Trials, cost.Whole.Round(time.Second),
			time.Duration(p.BudgetNS))
		if len(p.Family) != levels*k*(k-1)/2 || cost.Analyses[len(cost.Analyses)-1].N < 12 ||
			levels != map[bool]int{true: 3, false: 4}[quick] || p.Levels[levels-1].CPUs != 1<<(levels-1) {
			t.Errorf("%d levels, %d pairs, %+v", levels, len(p.Family), cost.Analyses)
		}
	}
	d := Evaluate(scaledRun(t, plan.Request{ServerCPUs: []int{1, 2, 4, 8}}, nil))
	var text, page, markdown bytes.Buffer
	for _, err := range []error{report.Text(&text, d), report.HTML(&page, d), report.Markdown(&markdown, d)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := "With more CPUs: a on 8 CPUs: 6."; !strings.Contains(text.String(), want) {
		t.Errorf("no %q in\n%s", want, &text)
	}
	for _, want := range []string{"Scaling with CPUs", "scaling-0-throughput", "scaling-0-cpu_per_request",
		"CPUs of the server<", "contention", "coherency", "by the fit", "of its share"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if !strings.Contains(markdown.String(), "| contention |") && !strings.Contains(markdown.String(), "contention |") {
		t.Errorf("no table of the fits in\n%s", &markdown)
	}
	t.Logf("%s", text.String())
}
