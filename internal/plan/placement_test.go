package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// placedOn returns the plan of a request on these placements, on a machine that has six CPUs for servers.
func placedOn(t *testing.T, r Request, placement ...string) record.Plan {
	t.Helper()
	w := someWorld()
	w.Room = func(n int) error {
		if n > 6 {
			return errors.New("too few")
		}
		return nil
	}
	r.Placement, r.Scenario, r.Primary = placement, "values", "throughput"
	p, err := New(r, w)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every pair is compared on each number of CPUs, in rounds of servers on as many.
func TestPairsOnCPUs(t *testing.T) {
	p := placedOn(t, Request{Contestants: []string{"c0", "c2", "c3"}, Epochs: 10}, "1", "2", "4")
	var numbers []int
	for _, l := range p.Levels {
		numbers = append(numbers, l.CPUs)
	}
	if !slices.Equal(numbers, []int{1, 2, 4}) || len(p.Family) != 9 {
		t.Fatalf("levels on %v CPUs, %d pairs, %+v", numbers, len(p.Family), p.First())
	}
	for _, f := range p.Family {
		if f.A.Level != f.B.Level {
			t.Errorf("%+v is across numbers of CPUs", f)
		}
	}
	p.BudgetNS = int64(time.Hour)
	pl := player{run: record.Run{Plan: p}, rate: rates}
	if stop := pl.play(t, never); stop != LastAnalysis {
		t.Fatalf("stopped for %q", stop)
	}
	var order []int // of epochs after the pilots
	at := map[int]int{}
	for i := range pl.run.Trials {
		tr := pl.run.Trials[i]
		n := p.LevelOf(tr).CPUs
		if before, ok := at[tr.Epoch]; ok && before != n {
			t.Fatalf("epoch %d has servers on %d and %d CPUs", tr.Epoch, before, n)
		} else if !ok && tr.Epoch >= p.Pilots {
			order = append(order, n)
		}
		if at[tr.Epoch] = n; First(&p, tr.Epoch).CPUs != n {
			t.Fatalf("epoch %d starts servers on %d CPUs, its trials want %d", tr.Epoch, First(&p, tr.Epoch).CPUs, n)
		}
	}
	if len(order) < 12 || len(order)%3 != 0 || !slices.Equal(order[:9], []int{1, 2, 4, 1, 2, 4, 1, 2, 4}) {
		t.Errorf("epochs on %v CPUs: they are to take turns", order)
	}
	if cost, err := Estimate(&p); err != nil || len(pl.run.Trials) != cost.Trials {
		t.Errorf("%d trials; the estimate says %d, %v", len(pl.run.Trials), cost.Trials, err)
	}
}

func TestQuestionOnCPUs(t *testing.T) {
	one := placedOn(t, Request{Contestants: []string{"c0", "c2"}}, "2")
	if one.First().CPUs != 2 || len(one.Levels) != 1 || !one.Ranks() || len(one.Epochs) != 7 {
		t.Errorf("on one number: %+v", one)
	}
	swept := placedOn(t, Request{Contestants: []string{"c0"}, Protocol: sweep, Connections: []int{10, 20}}, "1", "3")
	var got []record.Level
	for _, c := range []int{10, 20} {
		for _, n := range []int{1, 3} {
			got = append(got, record.Level{Connections: c, Pipeline: 1, CPUs: n})
		}
	}
	if !slices.Equal(swept.Levels, got) || len(swept.Family) > 0 {
		t.Errorf("a sweep: %+v", swept.Levels)
	}
	w := someWorld()
	study, err := New(Request{Question: someQuestion(), Placement: []string{"1", "2"}}, w)
	want := []record.Comparison{{A: cell("c0", 0), B: cell("c1", 0)}, {A: cell("c0", 1), B: cell("c1", 1)}}
	if err != nil || len(study.Levels) != 4 || !slices.Equal(study.Family, want) || study.Study.ClaimsHash != "" ||
		!study.Has(cell("ref", 3)) != !study.Has(cell("ref", 2)) || !study.Has(cell("c1", 3)) ||
		study.Levels[1] != (record.Level{Connections: 10, Pipeline: 1, CPUs: 2}) {
		t.Errorf("a study: %+v, %v", study, err)
	}
}

// Servers as published share rounds only with one another, and there the generator has no ceiling. A
// contestant that the servers' own CPUs do not suffice for is measured there alone.
func TestAsPublished(t *testing.T) {
	w := someWorld()
	known := w.Contestant
	w.Contestant = func(name string) (Contestant, error) {
		c, err := known(name)
		if name == "c2" {
			c.CPUs = 2
		}
		return c, err
	}
	w.Servers = 1
	r := Request{Contestants: []string{"c0", "c2", "c3"}, Scenario: "values", Primary: "throughput",
		Placement: []string{Apart, AsPublished}}
	p, err := New(r, w)
	if err != nil || len(p.Levels) != 2 || p.Levels[0].AsPublished || !p.Levels[1].AsPublished || len(p.Family) != 4 {
		t.Fatalf("%+v, %v", p.Levels, err)
	}
	if p.Has(cell("c2", 0)) || !p.Has(cell("c2", 1)) || !p.Has(cell(p.Ceiling, 0)) || p.Has(cell(p.Ceiling, 1)) ||
		!p.Has(cell("ref", 1)) {
		t.Errorf("cells %+v", p.Cells)
	}
	for epoch := range 8 {
		part := parts(&p)[partAt(&p, epoch)]
		if len(part) != 1 || First(&p, epoch).AsPublished != (part[0] == 1) {
			t.Errorf("epoch %d: %v", epoch, part)
		}
	}
	r.Placement = []string{AsPublished}
	if p, err = New(r, w); err != nil || p.Ceiling != "" || len(p.Levels) != 1 || !p.First().AsPublished {
		t.Errorf("as published alone, with the ceiling %q, at %+v, %v", p.Ceiling, p.Levels, err)
	}
	q := someQuestion()
	if p, err = New(Request{Question: q, Placement: []string{Apart}}, w); err != nil || p.Study.ClaimsHash != "h" ||
		!slices.Equal(p.Levels, q.Levels) {
		t.Errorf("apart, which is the default, changed the study: %+v, %v", p.Levels, err)
	}
}

// A contestant that needs several CPUs is not measured on fewer.
func TestCPUsThatAContestantNeeds(t *testing.T) {
	w := someWorld()
	known := w.Contestant
	w.Contestant = func(name string) (Contestant, error) {
		c, err := known(name)
		if name == "c2" {
			c.CPUs = 2
		}
		return c, err
	}
	r := Request{Contestants: []string{"c0", "c2", "c3"}, Scenario: "values", Primary: "throughput",
		Placement: []string{"1", "2"}}
	p, err := New(r, w)
	if err != nil || !slices.Equal(p.Servers.Unserved, []record.Unserved{{Contestant: "c2", CPUs: 2}}) ||
		len(p.Family) != 4 ||
		p.Has(cell("c2", 0)) || !p.Has(cell("c2", 1)) {
		t.Errorf("%+v, %v", p, err)
	}
	r.Placement = nil // then its build says what it lacks
	if p, err := New(r, w); err != nil || p.Servers.Unserved != nil {
		t.Errorf("%+v, %v", p.Servers.Unserved, err)
	}
	r.Contestants, r.Placement = []string{"c2"}, []string{"1"}
	if _, err := New(r, w); err == nil || !strings.Contains(err.Error(), "c2 needs 2 CPUs") {
		t.Errorf("alone: %v", err)
	}
}

func TestCPUsAreRefused(t *testing.T) {
	w := someWorld()
	known := w.Contestant
	w.Contestant = func(name string) (Contestant, error) {
		c, err := known(name)
		c.Attached = name == "c9"
		return c, err
	}
	w.Room = func(n int) error {
		if n > 1 {
			return errors.New("servers can have 1 at most")
		}
		return nil
	}
	fresh := someQuestion()
	fresh.Fresh = true
	free := someQuestion()
	free.Levels[0].AsPublished = true
	for want, r := range map[string]Request{
		"--placement 0: want apart, as-published, or a number": {Placement: []string{"0"}},
		"--placement beside: want apart":                       {Placement: []string{"beside"}},
		"--placement: 1 is named twice":                        {Placement: []string{"1", "1"}},
		"--placement: servers can have 1 at most":              {Placement: []string{"1", "2"}},
		"several values of --placement need --protocol pair":   {Placement: []string{"1", "2"}, Protocol: "classic"},
		"c9 is already running":                                {Placement: []string{AsPublished}, Contestants: []string{"c0", "c9"}},
		"are new for each load; pass one value":                {Placement: []string{Apart, AsPublished}, Question: fresh},
		"says itself at which levels nothing is pinned":        {Placement: []string{"1"}, Question: free},
	} {
		if r.Contestants == nil && r.Question.Levels == nil {
			r.Contestants = []string{"c0", "c2"}
		}
		r.Scenario, r.Primary = "values", "throughput"
		here := w
		_, err := New(r, here)
		var asked *RequestError
		if !errors.As(err, &asked) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
