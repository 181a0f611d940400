package study

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
)

// rateOn is the rate of a made-up server on n CPUs: a loses little by each further one, b much.
func rateOn(contestant string, n float64) float64 {
	one, lost := 45_000., .03
	switch contestant {
	case "a":
		one, lost = 50_000, .02
	case "b":
		one, lost = 40_000, .1
	case "null":
		return 1e6
	}
	return one * n / (1 + lost*(n-1))
}

// scaledRun is a run of a and b on numbers of CPUs whose trials keep rateOn, with noise within and
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
		rate := rateOn(o.Contestant, n) * math.Exp(common[o.Epoch]+0.01*rng.NormFloat64())
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

// What each server does on more CPUs is found, through the plan, its order of epochs and the judge, on a
// machine that drifts.
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
			if len(s.Points) != 4 || s.Load.CPUs != 0 {
				t.Fatalf("%s: %+v", protocol, s)
			}
			one := rateOn(s.Contestant, 1)
			for _, p := range s.Points {
				rate := rateOn(s.Contestant, float64(p.CPUs))
				if want := 1e9 * float64(p.CPUs) / rate; math.Abs(p.CPU.Value/want-1) > .1 || math.Abs(p.Rate.Value/rate-1) > .1 {
					t.Errorf("%s on %d: %+v", s.Contestant, p.CPUs, p)
				}
				if p.Times.N < 6 || math.Abs(p.Times.Value/(rate/one)-1) > .03 || !(p.Times.Lo <= p.Times.Value && p.Times.Value <= p.Times.Hi) {
					t.Errorf("%s on %d: %+v of the first, want %v", s.Contestant, p.CPUs, p.Times, rate/one)
				}
			}
		}
	}
	if d := Evaluate(scaledRun(t, plan.Request{}, nil)); d.Scalings != nil {
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
	if want := "With more CPUs: a on 8 CPUs: 7.0"; !strings.Contains(text.String(), want) {
		t.Errorf("no %q in\n%s", want, &text)
	}
	for _, want := range []string{"Scaling with CPUs", "scaling-0-throughput", "scaling-0-cpu_per_request",
		"CPUs of the server<", "of its share"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if !strings.Contains(markdown.String(), "of its share") {
		t.Errorf("no table in\n%s", &markdown)
	}
	t.Logf("%s", text.String())
}
