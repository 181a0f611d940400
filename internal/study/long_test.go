package study

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// A server that defers work wins all trials, but no verdict: long loads show that short ones mislead. Without long
// loads, the answer says so.
func TestDeferredWorkWinsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		budget time.Duration
		long   func(p *record.Plan, i int, l *record.Trial)
		want   []string
		never  string
	}{
		"caught": {0, func(p *record.Plan, i int, l *record.Trial) {}, []string{"short loads mislead here (in loads of 2 s " +
			"defer serves 1 × the requests of inline, in short ones 3.3 ×)", "No verdict on inline and defer: short loads"},
			"faster"},
		"honest": {0, func(p *record.Plan, i int, l *record.Trial) {
			if l.Contestant == "defer" {
				l.Load.Succeeded = 330_000
			}
		}, []string{"defer is faster: 3.3", "ratios of 2 servers in loads of 2 s are within "}, "not checked " +
			"in long loads"},
		"disturbed": {0, func(p *record.Plan, i int, l *record.Trial) { l.Causes.StealNS = 1e9 },
			[]string{"defer is faster: 3.3", "not checked in long loads: other programs, the hypervisor or a " +
				"pause disturbed them"}, "no verdict"},
		"no figure": {0, func(p *record.Plan, i int, l *record.Trial) { l.Load.Succeeded = 0 },
			[]string{"defer is faster: 3.3", "not checked in long loads: they have no figure of throughput " +
				"beside trials that count"}, "no verdict"},
		"short budget": {38 * time.Second, nil, []string{"defer is faster: 3.3", "not checked in long loads: the " +
			"budget is too short for them"},
			"no verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, plan.Request{Contestants: []string{"defer", "inline"}, Controls: []string{"none"},
				Primary: "throughput", Seed: 3,
				Budget: c.budget})
			n := 0
			run := carriedOut(t, p, func(o plan.Order, tr *record.Trial) {
				n++
				tr.Load.Succeeded = 5000 + int64(n*7919%50)
				if o.Contestant == "defer" {
					tr.Load.Succeeded = tr.Load.Succeeded * 33 / 10
				}
				tr.Load.Started = tr.Load.Succeeded
			})
			if (run.Plan.Long.NS == 0) != (c.long == nil) {
				t.Fatalf("long loads of %v", time.Duration(run.Plan.Long.NS))
			}
			for i, o := range plan.LongOrders(run, []record.Standing{{Name: "defer"}, {Name: "inline"}}, 0) {
				if c.long == nil {
					break
				}
				cpu := o.TrialNS
				l := &record.Trial{Key: o.Key, Contestant: o.Contestant, Server: record.Usage{CPUNS: &cpu},
					ClocksNS: o.TrialNS, Causes: record.Causes{WallNS: o.TrialNS, ServerCPUs: 1, GeneratorCPUs: 1},
					Load: record.Load{WindowNS: o.TrialNS, Connections: 125, Established: 125, Started: 100_000, Succeeded: 100_000}}
				c.long(&run.Plan, i, l)
				run.Add(record.Record{Long: l})
			}
			var b bytes.Buffer
			if err := report.Text(&b, Evaluate(run)); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(b.String()), " ")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("without %q:\n%s", want, &b)
				}
			}
			if strings.Contains(text, c.never) {
				t.Errorf("with %q:\n%s", c.never, &b)
			}
		})
	}
}
