package study

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// relayPlan is a sweep over contestants that call a service, with two numbers of records and a
// further scenario.
func relayPlan(t *testing.T) record.Plan {
	t.Helper()
	p, err := plan.New(plan.Request{Protocol: "sweep", Primary: "throughput", Seed: 3, Question: plan.Question{
		Contestants: []string{"a", "b"},
		Levels: []record.Level{
			{Connections: 125, Pipeline: 1, Records: 500}, {Connections: 125, Pipeline: 1, Records: 10},
			{Connections: 125, Pipeline: 1, Records: 10, Scenario: "other"},
		},
	}}, plan.World{Scenario: func(string) (plan.Scenario, error) {
		return plan.Scenario{Services: []record.Service{{Name: "records", Records: true}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestServiceIsToldOf(t *testing.T) {
	run := carriedOut(t, relayPlan(t), func(o plan.Order, tr *record.Trial) {
		rate := 4000. / float64(1+o.Level.Records/100)
		if o.Contestant == "records" {
			rate *= 5
		} else {
			cpu := tr.Load.WindowNS / 4
			tr.Services = []record.Usage{{CPUNS: &cpu}}
		}
		tr.Load.Succeeded = int64(rate * float64(tr.Load.WindowNS) / 1e9)
		tr.Load.Started = tr.Load.Succeeded
	})
	run.Host = record.Host{Pinned: true, CPUs: 2, CPU: "x", ServerCPUs: []int{0}, GeneratorCPUs: []int{1}}
	run.Add(record.Record{Contestant: &record.Contestant{Name: "records", Service: true, Framework: "fasthttp",
		Version: "v1", BinaryHash: "00"}})
	d := Evaluate(run)
	if len(d.Alone) != 2 || d.Alone[0].At.Records != 10 || math.Abs(d.Alone[0].PerSec/20_000-1) > .01 ||
		math.Abs(d.Alone[1].PerSec/(20_000./6)-1) > .01 {
		t.Errorf("alone: %+v", d.Alone)
	}
	for _, a := range d.Alone {
		if a.Loads < 3 || a.Least > a.PerSec || a.Most < a.PerSec {
			t.Errorf("alone: %+v", a)
		}
	}
	for _, l := range d.Levels {
		if x := l.Analysis.Shares["a"]; math.Abs(x-.2) > .01 {
			t.Errorf("%s: a reaches %v of what the service does alone", l.Title(), x)
		}
		if c := l.Analysis.Cell("a", "service_cpu_share"); c == nil || math.Abs(c.Level.Value-.25) > .01 ||
			c.Ratio.N > 0 {
			t.Errorf("the service's share: %+v", c)
		}
	}
	d.Verbose = true
	for name, want := range map[string][]string{
		"text": {"Services: records (fasthttp v1) on the generator's CPUs (1)", "20,000/s (10 records, c=125)",
			"records and the load generator shared CPUs", "CPU of the services", "25.0", "First the ceiling: in the pilots"},
		"html": {"20,000/s", "CPU of the services", "shown, not compared", "records, a service",
			"The service alone", "20 %"},
		"markdown": {"**Services:** records", "20,000/s"},
		"json":     {`"service_cpu_share"`, `"contestant": "records", "epochs":`},
	} {
		var out bytes.Buffer
		if err := report.Formats[name](&out, d); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(strings.NewReplacer("&nbsp;", " ", "\u00a0", " ", "&#39;", "'", `\`,
			"").Replace(out.String())), " ")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not say %q", name, w)
			}
		}
	}
	run.Host = record.Host{CPUs: 4, ServerCPUs: []int{0}, GeneratorCPUs: []int{1}, ServiceCPUs: []int{2, 3}}
	var out bytes.Buffer
	if err := report.Text(&out, d); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(out.String(), "\u00a0", " ")), " ")
	for _, w := range []string{"on CPUs of their own (2, 3), frozen with", "then as later, its own, so"} {
		if !strings.Contains(text, w) {
			t.Errorf("the report does not say %q:\n%s", w, text)
		}
	}
	d.Alone = nil // of a record whose pilots have no valid round
	out.Reset()
	if err := report.HTML(&out, d); err != nil || strings.Contains(out.String(), "The service alone") {
		t.Errorf("%v, or a section without a figure", err)
	}
	for _, m := range judge.Metrics {
		if m.Unranked && !m.Rare && !m.Open() {
			t.Errorf("%s would be shown of every run", m.Name)
		}
	}
}

// A page says of each server whose CPUs' time was used up.
func TestLimitIsNamed(t *testing.T) {
	p, err := plan.New(plan.Request{Protocol: "paired", Primary: "throughput", Seed: 3, Question: plan.Question{
		Contestants: []string{"a", "b", "c"}, Levels: []record.Level{{Connections: 64, Pipeline: 1}},
	}}, plan.World{Scenario: func(string) (plan.Scenario, error) {
		return plan.Scenario{Services: []record.Service{{Name: "postgres"}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	run := carriedOut(t, p, func(o plan.Order, tr *record.Trial) {
		used := map[string][3]float64{"a": {.97, .4, .2}, "b": {.6, .7, .2}, "c": {.5, .3, .3}}[o.Contestant]
		times := make([]int64, 3)
		for i, share := range used {
			times[i] = int64(share * float64(tr.Load.WindowNS))
		}
		tr.Server.CPUNS, tr.Services, tr.Generator.CPUNS = &times[0], []record.Usage{{CPUNS: &times[1]}}, &times[2]
	})
	for name, write := range map[string]func(*bytes.Buffer, *report.Data) error{
		"page": func(b *bytes.Buffer, d *report.Data) error { return Readme(b, &Judged{Data: d, Claims: &Claims{}}) },
		"text": func(b *bytes.Buffer, d *report.Data) error { d.Verbose = true; return report.Text(b, d) },
	} {
		var out bytes.Buffer
		if err := write(&out, Evaluate(run)); err != nil {
			t.Fatal(err)
		}
		want := "Limit: no CPU with c; postgres with b; the server with a."
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("the %s does not say %q:\n%s", name, want, out.String())
		}
	}
}
