package study

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// acrossRun is a run of a and b, a twice as fast; in every second epoch the machine is so much faster.
func acrossRun(t *testing.T, seed uint64, faster float64) *record.Run {
	t.Helper()
	q := plan.Question{Contestants: []string{"a", "b"}, Primary: "throughput",
		Levels: []record.Level{{Connections: 10, Pipeline: 1}}}
	run := carriedOut(t, planned(t, plan.Request{Question: q, Seed: seed}), func(o plan.Order, tr *record.Trial) {
		madeUp(o, tr)
		tr.Load.Succeeded = int64(float64(tr.Load.Succeeded) * math.Pow(faster, float64(o.Epoch%2)))
		tr.Load.Started = tr.Load.Succeeded
	})
	run.Host = record.Host{CPU: "one, family 1", BootID: "a"}
	return run
}

// Runs of one session are combined in text and JSON; those of two machines or boots are not. The interval for other
// sessions allows for the speeds that the machine had.
func TestCombine(t *testing.T) {
	var widths []float64
	for _, faster := range []float64{1, 1.3} {
		runs := []*record.Run{acrossRun(t, 1, faster), acrossRun(t, 2, faster)}
		a, err := Combine(runs)
		if err != nil {
			t.Fatal(err)
		}
		p := a.Pairs[0]
		if p.A != "a" || p.B != "b" || math.Abs(math.Exp(p.Together.Mean)-2) > .1 || len(p.Each) != 2 {
			t.Errorf("%+v", p)
		}
		widths = append(widths, p.Elsewhere.Hi/p.Elsewhere.Value)
		text, err := json.Marshal(a.Data())
		if err != nil || !strings.Contains(string(text), `"elsewhere":{"hi_ratio":2`) {
			t.Errorf("%s, %v", text, err)
		}
		for _, host := range []record.Host{{CPU: "two, family 1", BootID: "a"}, {CPU: "one, family 1", BootID: "b"}} {
			runs[1].Host = host
			if _, err := Combine(runs); err == nil || !strings.Contains(err.Error(), "two machines or boots") {
				t.Errorf("%+v: %v", host, err)
			}
		}
	}
	if widths[1] < 1.02*widths[0] {
		t.Errorf("at one speed %v, at two %v", widths[0], widths[1])
	}
}
