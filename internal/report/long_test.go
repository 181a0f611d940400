package report

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// Whose CPU without load was not read is not said to be checked.
func TestCPUWithoutLoadNotRead(t *testing.T) {
	d := fixture()
	d.Run.Plan.Load.UnloadedNS = 5e7
	for _, name := range d.Run.Plan.Contestants {
		if name != "hyper" && name != "fasthttp" {
			d.Findings = append(d.Findings, judge.Finding{ID: judge.Deferred, Contestant: name})
		}
		d.Run.Trials = append(d.Run.Trials, &record.Trial{Contestant: name})
	}
	d.Run.Launches = append(d.Run.Launches, record.Launch{Contestant: "hyper",
		Absent: map[string]string{"cpu": "it is on another machine"}})
	const want = "? not checked for CPU without load: fasthttp (no valid reading), hyper (it is on another machine)"
	if text := strings.Join(strings.Fields(string(written(t, Text, d))), " "); !strings.Contains(text, want) {
		t.Errorf("without %q:\n%s", want, text)
	}
	d.Run.Plan.Load.UnloadedNS = 0 // as in older records
	if text := string(written(t, Text, d)); strings.Contains(text, "not checked for") {
		t.Error(text)
	}
}

// Who gave no answer on few connections is named, and so are loads that are too short to show a stop.
func TestStandstillsAreToldOf(t *testing.T) {
	d := fixture()
	few, short := "in 3 trials no answer came for up to 2 s", "9 of 9 loads, up to 100 ms long, were too short to "+
		"show a server"
	d.Findings = append(d.Findings, judge.Finding{ID: judge.Standstill, Contestant: "hyper", Text: few},
		judge.Finding{ID: judge.Standstill, Text: short})
	text := strings.Join(strings.Fields(string(written(t, Text, d))), " ")
	for _, want := range []string{"? hyper: " + few, short} {
		if !strings.Contains(text, want) {
			t.Errorf("without %q:\n%s", want, text)
		}
	}
	d.Valid = 0
	if text := string(written(t, Text, d)); strings.Contains(text, "no answer came") {
		t.Error(text)
	}
}

// Requests that were sent again are counted in the answer, the page and the JSON; none, none.
func TestSentAgainIsCounted(t *testing.T) {
	d := fixture()
	for name, write := range map[string]func(io.Writer, *Data) error{"text": Text, "page": HTML, "json": JSON} {
		if text := string(written(t, write, d)); strings.Contains(text, "sent "+
			"again") || strings.Contains(text, "sent_again") {
			t.Errorf("%s: a count of nothing", name)
		}
	}
	first := d.Analysis.Order[0]
	d.Run.Trials = append(d.Run.Trials, &record.Trial{Contestant: first, Load: record.Load{SentAgain: 1234}})
	d.Run.Long = append(d.Run.Long, &record.Trial{Contestant: first, Load: record.Load{SentAgain: 1}})
	for want, write := range map[string]func(io.Writer, *Data) error{"1,235": Text, "sent " +
		"again": HTML, `"sent_again": 1235`: JSON} {
		if text := string(written(t, write, d)); !strings.Contains(text, want) {
			t.Errorf("without %q", want)
		}
	}
	var doc struct {
		Contestants []struct {
			Name      string `json:"name"`
			SentAgain int64  `json:"sent_again"`
		} `json:"contestants"`
	}
	if err := json.Unmarshal(written(t, JSON, d), &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Contestants {
		if (c.SentAgain == 1235) != (c.Name == first) || c.SentAgain != 0 && c.Name != first {
			t.Errorf("%s: %d", c.Name, c.SentAgain)
		}
	}
}

// What long loads show of short ones is in every form, and that they show nothing, too.
func TestLongLoadsAreToldOf(t *testing.T) {
	const words = "short loads mislead here (in loads of 2 s Iris serves 0.9 × the requests of Kestrel, in short " +
		"ones 3.3 ×)"
	long := func(x judge.Long, most float64) *Data {
		d := fixture()
		for i := range 4 {
			d.Analysis.Long = append(d.Analysis.Long, &record.Trial{Contestant: d.Analysis.Order[i/2],
				Load: record.Load{WindowNS: 1_998e6}})
		}
		for i := range d.Analysis.Pairs {
			if p := &d.Analysis.Pairs[i]; p.Metric == "throughput" && p.Long == nil {
				x.Ratio, x.Short, p.Long = judge.Estimate{Value: .9, Lo: .88, Hi: most, N: 2}, .9, &x
				break
			}
		}
		return d
	}
	none := fixture()
	none.NoLong = "the budget is too short for them"
	for name, c := range map[string]struct {
		data       *Data
		text, json string
		without    string
	}{
		"mislead": {long(judge.Long{Misleads: true, Words: words}, .945), words + ": the long ones decide",
			`"short_loads_mislead": true`, "are within"},
		"agree": {long(judge.Long{}, .945), "ratios of 2 servers in loads of 2 s are within 5 % of those in short ones",
			`"short_loads_mislead": false`, "mislead here"},
		"too wide": {long(judge.Long{}, 2.55), "cannot tell if short loads mislead: ratios of 2 servers in loads of 2 s " +
			"may differ by up to 183 % from those in short ones", `"short_loads_mislead": false`, "are within"},
		"none": {none, "not checked in long loads: the budget is too short for them",
			`"not_checked": "the budget is too short for them"`, "loads of 2 s"},
		"an older record": {fixture(), "", "", "long_loads"},
	} {
		t.Run(name, func(t *testing.T) {
			text, json := strings.Join(strings.Fields(string(written(t, Text, c.data))), " "), string(written(t, JSON, c.data))
			page := strings.ReplaceAll(string(written(t, HTML, c.data)), "\u00a0", " ")
			if strings.HasPrefix(c.text, "cannot tell") && !strings.Contains(text, " ? "+c.text) {
				t.Errorf("the bound is among what is fine:\n%.3000s", text)
			}
			for got, want := range map[string]string{text: c.text, json: c.json, page: c.text} {
				if !strings.Contains(got, want) || strings.Contains(got, c.without) {
					t.Errorf("without %q, or with %q:\n%.3000s", want, c.without, got)
				}
			}
		})
	}
}
