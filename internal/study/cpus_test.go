package study

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// Every pair is decided on each number of CPUs, and the reports name the number.
func TestNumbersOfCPUs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	rates := map[string]float64{"a": 50_000, "b": 40_000, "null": 1e6}
	lost := map[string]float64{"a": .02, "b": .1} // by each further CPU
	run := carriedOut(t, planned(t, plan.Request{Contestants: []string{"a", "b"}, Seed: 5, Primary: "throughput",
		Epochs:    8,
		Placement: []string{"1", "8"}}), func(o plan.Order, tr *record.Trial) {
		n := float64(max(o.Level.CPUs, 1))
		rate := rates[o.Contestant]
		if rate == 0 {
			rate = 45_000
		}
		rate *= n / (1 + lost[o.Contestant]*(n-1)) * math.Exp(0.01*rng.NormFloat64())
		tr.Load.WindowNS, tr.Load.Succeeded, tr.ClocksNS, tr.Causes.ServerCPUs = 1e9, int64(rate), 1e9, int(n)
	})
	d := Evaluate(run)
	var text, page bytes.Buffer
	for _, err := range []error{report.Text(&text, d), report.HTML(&page, d)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a, 1 CPU, c=125   b        1.2", "a, 8 CPUs, c=125  b        1.8"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if !strings.Contains(page.String(), "8 CPUs") {
		t.Error("the page does not name the number of CPUs")
	}
}
