package report

import (
	"encoding/json"
	"html"
	"math"
	"regexp"
	"strings"
	"testing"

	"dyno/internal/record"
)

// externalFixture is a made-up classic run of one contestant under dyno and under wrk: rates of the
// contestant, then of the ceiling's server, each ours and theirs.
func externalFixture(change func(reported *record.Reported), rates ...float64) *Data {
	d := classicFixture()
	p := &d.Run.Plan
	p.Contestants, p.External, p.Ceiling, p.Epochs, p.Load.Requests, p.Load.NS = []string{"iris-mvc"},
		[]string{"wrk"}, "null", []int{1}, 0,
		4e9
	p.Levels = []record.Level{{Connections: 100, Pipeline: 1}}
	d.Run.Contestants = append(d.Run.Contestants[:1:1], record.Contestant{Name: "null", Title: "null server",
		Control: true})
	d.Run.Failures, d.Findings, d.Discarded, d.Loads = nil, nil, 0, nil
	for i, rate := range rates {
		t := madeTrial([]string{"iris-mvc", "iris-mvc", "null", "null"}[i], p.First(), 0, 0, rate, 4e9)
		t.Level = nil
		if i%2 == 1 {
			n, window, mean := int64(4*rate), int64(4e9), int64(100/rate*1e9)
			t.External, t.Load = "wrk", record.Load{}
			t.Reported = &record.Reported{Version: "wrk 4.1.0", Command: []string{"wrk", "-c", "100",
				"http://127.0.0.1:1/x"}, RatePerSec: &rate, Answered: &n, WindowNS: &window, MeanNS: &mean,
				P50NS: &mean, Failed: map[string]int64{"status": 0}, Errors: map[string]int64{"read": 0}}
			if i == 1 && change != nil {
				change(t.Reported)
			}
		}
		d.AllLoads = append(d.AllLoads, t)
	}
	d.Loads, d.Valid, d.Run.Trials = d.AllLoads[:1], 1, d.AllLoads
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
		"agree": {externalFixture(nil, calm...),
			"0.980 × our requests per second (49,000 against 50,000). That is 54 % of the rate of wrk with a server",
			"limit"},
		"its limit": {externalFixture(nil, 70000, 49000, 100000, 50000),
			"wrk is at its own limit: its rate is a lower bound", "separate processes"},
		"our limit": {externalFixture(nil, 95000, 49000, 100000, 90000), "dyno is at its own limit", "agree. The"},
		"both":      {externalFixture(nil, 95000, 85000, 100000, 90000), "neither rate is the server's", ""},
		"unexplained": {externalFixture(nil, 50000, 30000, 100000, 90000),
			"separate processes, one after the other", "limit"},
		"little": {externalFixture(func(s *record.Reported) { s.MeanNS = twice(s.MeanNS) }, calm...),
			"4.08 ms, against 2.04 ms by Little's law (connections ÷ rate): the excess was added by its correction",
			""},
		"no rate": {externalFixture(func(s *record.Reported) {
			*s = record.Reported{Exit: "exit status 1", Trouble: "no figures"}
		}, calm...), "wrk reported no rate. wrk ended with: exit status 1. Parts of its output could not be read: " +
			"no figures.", "law"},
		"no ceiling": {externalFixture(nil, calm[:2]...), "0.980 × our", "of the rate of"},
		"dialled": {externalFixture(func(s *record.Reported) { s.KeptAlive = new(int64) }, 50000, 30000, 100000, 90000),
			"responses 0 kept the connection open", "separate processes"},
	} {
		var says []string
		says = append(says, viewOf(c.d).external().said()...)
		got := says[0]
		if !strings.HasPrefix(got, "Iris MVC: ") || !strings.Contains(got, c.want) || c.not != "" &&
			strings.Contains(got, c.not) {
			t.Errorf("%s: %s", name, got)
		}
	}
	d := externalFixture(nil, calm...)
	d.AllLoads[3].Causes.BackgroundServerNS = d.AllLoads[3].Causes.WallNS / 2
	if got := viewOf(d).external().said()[0]; !strings.Contains(got,
		"Other programs used the CPUs during wrk's load of null server, so the cause") || strings.Contains(got, "limit") {
		t.Errorf("disturbed: %s", got)
	}
}

// TestDrivenRounding: ab's mean is whole milliseconds, and no disagreement within half of one.
func TestDrivenRounding(t *testing.T) {
	for mean, want := range map[int64]string{2e6: "2.00 ms, against 2.50 ms by Little's law (connections ÷ " +
		"rate): they agree", 3e6: "3.00 ms, against 2.50 ms by Little's law (connections ÷ rate): they agree",
		4e6: "more than its own rate allows", 1e6: "not all connections were in use"} {
		d := externalFixture(func(s *record.Reported) { *s.MeanNS = mean }, 41000, 40000, 100000, 90000)
		d.Run.Plan.External = []string{"ab"}
		for i := range d.AllLoads {
			if d.AllLoads[i].External != "" {
				d.AllLoads[i].External = "ab"
			}
		}
		if got := viewOf(d).external().said()[0]; !strings.Contains(got, want) {
			t.Errorf("%d: %s", mean, got)
		}
	}
}

// allForms returns d in all forms, by extension, without what is particular to their layout.
func allForms(t *testing.T, d *Data) map[string]string {
	got := map[string]string{}
	for ext, write := range map[string]Writer{"txt": inFull, "html": HTML, "md": Markdown, "csv": CSV,
		"json": JSON} {
		text := string(written(t, write, d))
		if ext == "html" {
			text = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, " "))
		}
		if ext != "csv" { // where lines and cells end is the form's
			text = strings.Join(strings.Fields(strings.NewReplacer("|", " ", "*", "", "\u00a0", " ", "\\",
				"").Replace(text)), " ")
		}
		if got[ext] = text; strings.Contains(text, "NaN") {
			t.Errorf("%s: NaN in\n%s", ext, text)
		}
	}
	return got
}

// TestDrivenForms finds both generators' figures, and what is said of them, in every form.
func TestDrivenForms(t *testing.T) {
	has := func(name, text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", name, w, text)
			}
		}
	}
	calm := []float64{50000, 49000, 100000, 90000}
	got := allForms(t, externalFixture(nil, calm...))
	for _, ext := range []string{"txt", "html", "md"} {
		has(ext, got[ext], "The same loads by wrk (4.1.0)", "wrk -c 100 http://127.0.0.1:1/x",
			"Iris MVC dyno 50,000 50 %", "Iris MVC wrk 49,000 54 %",
			"null server dyno 100,000 –", "null server wrk 90,000 –", "wrk reports 0.980 × our requests per second",
			"What sets wrk apart, for any server:", externalWays["wrk"][1])
	}
	has("csv", got["csv"], ", by "+
		"wrk\",throughput,1/s,49000,,,1,,,,measured,\n", `iris-mvc,"c=100, by wrk",requests,,196000,`,
		", by wrk\",throughput,1/s,90000,,,1,,,,measured,\n", `null,"c=100, by wrk",requests,,360000,`,
		", by wrk\",p99,ns,,,,,,,,absent,it is not reported\n", ",throughput,1/s,100000,")
	var report struct {
		Rows []struct {
			Contestant, Level, Metric string
			Value                     *float64
		}
	}
	if err := json.Unmarshal([]byte(got["json"]), &report); err != nil {
		t.Fatalf("json: %v, %+v", err, report)
	}
	found := 0
	for _, r := range report.Rows {
		want, is := map[string]float64{"iris-mvc|c=100|throughput": 50000, "iris-mvc|c=100, by wrk|throughput": 49000,
			"null|c=100, by dyno|throughput": 100000, "null|c=100, by wrk|throughput": 90000,
			"iris-mvc|c=100, by wrk|of_ceiling": 49. / 90}[r.Contestant+"|"+r.Level+"|"+r.Metric]
		if is {
			found++
		}
		if is && (r.Value == nil || math.Abs(*r.Value-want) > 1e-9) || r.Level == "c=100, by "+
			"wrk" && r.Metric == "p99" && r.Value != nil {
			t.Errorf("json: %+v, want %v", r, want)
		}
	}
	if found != 5 {
		t.Errorf("json: %d of 5 figures", found)
	}
	for ext, text := range allForms(t, externalFixture(func(s *record.Reported) { *s = record.Reported{Trouble: "no figures"} }, calm...)) {
		switch ext {
		case "csv":
			has("silent, csv", text, ", by wrk\",throughput,1/s,,,,,,,,absent,it is not reported\n")
		case "json":
			has("silent, json", text, `"notes": "it is not reported"`)
		default:
			has("silent, "+ext, text, "wrk – –", "wrk reported no rate. Parts of its output could not be read: no figures.")
		}
	}
}
