package report

import (
	"bytes"
	"strings"
	"testing"

	"dyno/internal/record"
)

// onCPUs is a sweep of one load on numbers of CPUs, and of another on the same with apart.
func onCPUs(apart bool) *Data {
	d := sweepFixture(6)
	numbers := []int{1, 2, 4, 1, 2, 4}
	if !apart {
		d.Levels = d.Levels[:3]
	}
	for i := range d.Levels {
		at := record.Level{CPUs: numbers[i], Connections: 100, Pipeline: 1}
		if i > 2 {
			at.Connections = 1000
		}
		d.Levels[i].At = at
		for _, t := range d.Levels[i].Trials {
			t.Level = &at
		}
	}
	compareLevels(d)
	for _, n := range []int{1, 2, 4} {
		d.Run.Launches = append(d.Run.Launches, record.Launch{Contestant: "net-http", Processors: &record.Processors{
			CPUs: []int{1, 2, 3, 7}[:n], Threads: n == 4, Variables: map[string]string{"GOMAXPROCS": "2"}}})
	}
	return d
}

// Levels that differ in their CPUs alone stand on one axis; of others each number has a plot.
func TestPlotsOfCPUs(t *testing.T) {
	s := viewOf(onCPUs(false))
	list := s.panels()
	if len(list) != 1 || len(list[0].Ticks) != 3 || list[0].Ticks[1].Text != "2 CPUs" || list[0].Ticks[1].At != .5 {
		t.Errorf("%+v", list)
	}
	s = viewOf(onCPUs(true))
	var titles []string
	for _, p := range s.panels() {
		titles = append(titles, p.Title)
		if len(p.Ticks) != 2 || p.Ticks[0].Text != "c=100" {
			t.Errorf("%+v", p)
		}
	}
	if got := strings.Join(titles, "; "); got != "servers on 1 CPU; servers on 2 CPUs; servers on 4 CPUs" {
		t.Error(got)
	}
}

// The page says which CPUs servers were given, and what a contestant was told of its own.
func TestProcessors(t *testing.T) {
	var page bytes.Buffer
	if err := HTML(&page, onCPUs(false)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pinned to 1 CPU (1), 2 CPUs (1, 2), 4 CPUs (1-3, 7; two or more are threads of " +
		"one core); the number is set in GOMAXPROCS, but net/http has GOMAXPROCS=2 of its own", "4 CPUs, c=100"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if facts := NewView(sweepFixture(6)).processors(); facts != nil {
		t.Errorf("of another run: %+v", facts)
	}
}

// The division of the CPUs is named only if some level uses it.
func TestMachineAsPublished(t *testing.T) {
	d := sweepFixture(6)
	d.Run.Host = record.Host{CPU: "x", CPUs: 2, ServerCPUs: []int{0}, GeneratorCPUs: []int{1}, Pinned: true}
	value := func() string { return NewView(d).hosts()[0].Value }
	if got := value(); !strings.Contains(got, "(server on 0, generator on 1, pinned)") || strings.Contains(got, "nothing") {
		t.Errorf("apart: %s", got)
	}
	levels := d.Run.Plan.Levels
	levels[len(levels)-1].AsPublished = true
	if got := value(); !strings.Contains(got, "pinned)") || !strings.Contains(got, "; nothing is pinned at 1 of ") {
		t.Errorf("one level as published: %s", got)
	}
	for i := range levels {
		levels[i].AsPublished = true
	}
	if got := value(); strings.Contains(got, "server on") || !strings.Contains(got, "; nothing is pinned at ") {
		t.Errorf("all levels as published: %s", got)
	}
}
