package report

import (
	"strings"
	"testing"

	"dyno/internal/result"
)

// drivenFixture is a made-up classic run of one contestant under dyno and under wrk: rates of the contestant, then of the ceiling's server, each ours and
// theirs.
func drivenFixture(change func(told *result.Told), rates ...float64) *Data {
	d := classicFixture()
	p := &d.Run.Plan
	p.Contestants, p.Driver, p.Ceiling, p.Epochs, p.Requests, p.TrialNS = []string{"iris-mvc"}, "wrk", "null", 1, 0, 4e9
	p.Level = result.Level{Connections: 100, Pipeline: 1}
	d.Run.Contestants = append(d.Run.Contestants[:1:1], result.Contestant{Name: "null", Title: "null server", Control: true})
	d.Run.Failures, d.Findings, d.Void, d.Loads = nil, nil, 0, nil
	for i, rate := range rates {
		t := madeTrial([]string{"iris-mvc", "iris-mvc", "null", "null"}[i], p.Level, 0, 0, rate, 4e9)
		t.Level = nil
		if i%2 == 1 {
			n, window, mean := int64(4*rate), int64(4e9), int64(100/rate*1e9)
			t.Driver, t.Load = "wrk", result.Load{}
			t.Told = &result.Told{Version: "wrk 4.1.0", Command: []string{"wrk", "-c", "100", "http://127.0.0.1:1/x"}, RatePerSec: &rate, Answered: &n, WindowNS: &window, MeanNS: &mean,
				P50NS: &mean, Failed: map[string]int64{"status": 0}, Errors: map[string]int64{"read": 0}}
			if i == 1 && change != nil {
				change(t.Told)
			}
		}
		d.Beside = append(d.Beside, t)
	}
	d.Loads, d.Valid, d.Run.Trials = d.Beside[:1], 1, d.Beside
	return d
}

func TestDrivenWords(t *testing.T) {
	twice := func(n *int64) *int64 {
		m := 2 * *n
		return &m
	}
	calm := []float64{50000, 49000, 100000, 90000}
	for name, c := range map[string]struct {
		d    *Data
		want string
		not  string
	}{
		"agree":       {drivenFixture(nil, calm...), "0.980 × our requests per second (49,000 against 50,000). That is 54 % of the most that wrk makes here", "limit"},
		"its limit":   {drivenFixture(nil, 70000, 49000, 100000, 50000), "wrk is at its own limit: its rate is a lower bound", "processes of their own"},
		"our limit":   {drivenFixture(nil, 95000, 49000, 100000, 90000), "dyno is at its own limit", "agree. The"},
		"both":        {drivenFixture(nil, 95000, 85000, 100000, 90000), "neither rate is the server's", ""},
		"unexplained": {drivenFixture(nil, 50000, 30000, 100000, 90000), "processes of their own, one after the other", "limit"},
		"little":      {drivenFixture(func(s *result.Told) { s.MeanNS = twice(s.MeanNS) }, calm...), "4.08 ms, against 2.04 ms by Little's law (connections ÷ rate): what is more was added by its correction", ""},
		"no rate":     {drivenFixture(func(s *result.Told) { *s = result.Told{Exit: "exit status 1", Trouble: "no figures"} }, calm...), "wrk told no rate. wrk ended with: exit status 1. Not all that it printed could be read: no figures.", "law"},
		"no ceiling":  {drivenFixture(nil, calm[:2]...), "0.980 × our", "of the most"},
		"dialled":     {drivenFixture(func(s *result.Told) { s.KeptAlive = new(int64) }, calm...), "Of 196,000 answers 0 left the connection open", ""},
	} {
		var says []string
		says = append(says, newDriven(newClassic(c.d)).words()...)
		got := says[0]
		if !strings.HasPrefix(got, "Iris MVC: ") || !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %s", name, got)
		}
	}
	d := drivenFixture(nil, calm...)
	d.Beside[3].Causes.ForeignServerNS = d.Beside[3].Causes.WallNS / 2
	if got := newDriven(newClassic(d)).words()[0]; !strings.Contains(got, "Others used the CPUs during wrk's load of null server: where") || strings.Contains(got, "limit") {
		t.Errorf("disturbed: %s", got)
	}
	again := drivenFixture(nil, calm...)
	for i, per := range map[int]int64{1: 134, 3: 100} {
		n := per * *again.Beside[i].Told.Answered
		again.Beside[i].Told.BytesWritten = &n
	}
	if got := newDriven(newClassic(again)).words()[0]; !strings.Contains(got, "It wrote 1.34 requests for each answer") {
		t.Errorf("sent again: %s", got)
	}
}

func TestDrivenForms(t *testing.T) {
	for ext, write := range map[string]Writer{"txt": Text, "html": HTML, "md": Markdown, "csv": CSV, "json": JSON} {
		got := string(written(t, write, drivenFixture(nil, 50000, 49000, 100000, 90000)))
		for _, want := range []string{"wrk", "null", "iris-mvc"} {
			if ext != "csv" && ext != "json" && want == "iris-mvc" {
				want = "Iris MVC"
			}
			if !strings.Contains(got, want) || strings.Contains(got, "NaN") {
				t.Errorf("%s: no %q, or NaN, in\n%s", ext, want, got)
			}
		}
	}
	quiet := string(written(t, Text, drivenFixture(func(s *result.Told) { *s = result.Told{Trouble: "no figures"} }, 50000, 49000, 100000, 90000)))
	if !strings.Contains(quiet, Missing) || strings.Contains(quiet, "NaN") {
		t.Errorf("what is not told:\n%s", quiet)
	}
}
