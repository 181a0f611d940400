package report

import (
	"strings"
	"testing"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// That two equal servers were not compared is said where no copy was asked for.
func TestWithoutTwins(t *testing.T) {
	check := func(what string, missing bool, d *Data) {
		t.Helper()
		asks := strings.Contains(itemsText(NewView(d).trust()), "no two equal servers were compared; to test that here")
		if asks != missing {
			t.Errorf("%s: that twins are missing is said: %t", what, asks)
		}
	}
	for _, state := range []judge.State{judge.Pass, judge.CannotTell, judge.Warn, judge.Fail} {
		d := fixture()
		d.Findings = []judge.Finding{{ID: judge.Twins, State: state, Text: "the figure"}}
		check(state.String(), false, d)
	}
	d := fixture()
	d.Analysis.AACheck, d.Findings = nil, []judge.Finding{{ID: judge.Twins, State: judge.CannotTell, Text: "few"}}
	check("no valid trial of the copy", false, d)
	d = fixture()
	d.Run.Plan.Controls, d.Run.Plan.Study.Slug, d.Analysis.AACheck, d.Findings = []string{"ref"}, "", nil, nil
	check("without a copy", true, d)
}

// What passes only because the differences are far larger is said to be enough for the smallest of them.
func TestEnoughForTheDifference(t *testing.T) {
	d := fixture()
	d.Analysis.Pairs = []judge.Pair{{A: "go", B: "iris", Metric: "throughput", Verdict: judge.Different,
		Ratio: judge.Estimate{Value: 2, Lo: 1.5, Hi: 2.6, N: 3}}}
	for id, want := range map[string]string{judge.Drift: "servers warmed up enough for so large a difference",
		judge.Twins:       "two copies of one server came out equal enough for so large a difference",
		judge.FreshStarts: "enough data for so large a difference"} {
		d.Findings = []judge.Finding{{ID: id, Relative: true}}
		v := NewView(d)
		if got := itemsText(v.trust()); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
		if page := string(written(t, HTML, d)); !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
		if got := v.because(judge.Summary(d.Findings)[judge.ByID(id).Question]); got != "yes, for so large a difference" {
			t.Error(got)
		}
		d.Findings = append(d.Findings, judge.Finding{ID: id, State: judge.CannotTell, Text: "few"})
		if got := itemsText(NewView(d).trust()); strings.Contains(got, "50 %") {
			t.Error(got)
		}
	}
}

// itemsText is a list with the labels of its items.
func itemsText(items []document.Item) (text string) {
	for _, it := range items {
		text += it.Label + " " + it.Text.String() + "\n"
	}
	return text
}

// Two sides that are one process or one program are an A/A run: nobody is told to compare two equal servers.
func TestOneProcessIsTwins(t *testing.T) {
	d := fixture()
	d.Run.Plan.Controls, d.Run.Plan.Study.Slug, d.Analysis.AACheck, d.Findings = nil, "", nil, nil
	for _, c := range []struct {
		processes, url, hash string
		says                 bool
	}{{"node (pid 8692)", "http://a/", "", false}, {"node (pid 8692)", "https://a/", "", true},
		{"a process that dyno cannot inspect", "http://a/", "", true}, {"", "", "1", false}, {"", "", "2", true}} {
		d.Run.Contestants = []record.Contestant{{Name: "a", URL: "http://a/", Processes: c.processes, BinaryHash: "1"},
			{Name: "b", URL: c.url, Processes: c.processes, BinaryHash: c.hash}}
		if got := itemsText(NewView(d).trust()); strings.Contains(got, "no two equal servers") != c.says {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// discarded is a run without a valid trial, on a machine that was too busy.
func discarded(primary string) *Data {
	d := fixture()
	d.Valid, d.Discarded, d.Run.Plan.Primary = 0, 360, primary
	d.Analysis = &judge.Analysis{Primary: primary, Margin: 0.03}
	d.Findings = []judge.Finding{
		{ID: judge.ServerCPUs, Title: "CPU of other programs", State: judge.Fail,
			Text: "other programs used 43 % of the server's CPUs"},
		{ID: judge.Pauses, Title: "pauses", State: judge.Fail, Text: "it stood still"},
		{ID: judge.Discarded, Title: "discarded", State: judge.Fail,
			Text: "100 % of the trials are discarded"},
		{ID: judge.Twins, Title: "A/A check", State: judge.CannotTell,
			Text: "the reference and its copy have too few valid trials"},
	}
	return d
}

// A run of which all was discarded says so: nothing of it is trusted in part, repeated, or better with
// a larger budget, and what forbids quoting it concerns what decides.
func TestTrustOfNothing(t *testing.T) {
	for primary, want := range map[string]string{
		"throughput":      "No server has a figure: 100 % of the trials are discarded; try a quieter machine.",
		"cpu_per_request": "No server has a figure: 100 % of the trials are discarded; try a quieter machine.",
	} {
		got := strings.Join(strings.Fields(string(written(t, Text, discarded(primary)))), " ")
		for _, want := range []string{want, "Trust nothing was measured:", "! other programs used 43 % of the " +
			"server's CPUs"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", primary, want, got)
			}
		}
		for _, not := range []string{"must not be quoted", "figures include", "in part", "repeated", "run longer"} {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q in\n%s", primary, not, got)
			}
		}
	}
}

// What is printed to be copied stands on one line, however long.
func TestCommandsOnOneLine(t *testing.T) {
	d := fixture()
	d.Width, d.Folder = 60, "/home/somebody/projects/a-server/runs/2026-11-23-a-name-that-is-long"
	d.Page = d.Folder + "/report.html"
	got := string(written(t, Text, d))
	for _, want := range []string{"\nReport  " + d.Page + "\n", "\nFigures dyno report " + d.Folder + " --verbose\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A gap in the table has its legend.
func TestGapsHaveALegend(t *testing.T) {
	p := NewView(fixture())
	rows := p.ranked()
	throughput, _ := judge.MetricNamed("throughput")
	memory, _ := judge.MetricNamed("memory") // which lacks one
	if got := p.shortWords(rows, []judge.Metric{throughput, memory}); !strings.Contains(got, "–: not measured") {
		t.Errorf("no legend in %q", got)
	}
	if got := p.shortWords(rows, []judge.Metric{throughput}); strings.Contains(got, "–:") {
		t.Errorf("a legend without a gap: %q", got)
	}
}

// The legend has the unit of the column.
func TestLegendOfMemory(t *testing.T) {
	d := fixture()
	for i := range d.Analysis.Cells {
		if c := &d.Analysis.Cells[i]; c.Metric == "memory" {
			c.Level.Value /= 1024
		}
	}
	memory, _ := judge.MetricNamed("memory")
	if got := NewView(d).shortWords(nil, []judge.Metric{memory}); got != "KiB: private memory" {
		t.Error(got)
	}
}

// More connections are no advice where a server serves no more.
func TestNoMoreConnections(t *testing.T) {
	d := fixture()
	d.Findings = []judge.Finding{{ID: judge.Busy, State: judge.Warn}}
	const advice = "try more --connections"
	if got := itemsText(NewView(d).trust()); !strings.Contains(got, advice) {
		t.Error(got)
	}
	d.Run.Contestants[0].Fewer = &record.Fewer{Asked: 500, Served: d.Run.Plan.First().Connections}
	if got := itemsText(NewView(d).trust()); strings.Contains(got, advice) || !strings.Contains(got, "something else") {
		t.Error(got)
	}
}

// Of a question's warnings the one is shown that concerns what decides.
func TestTroubleOfWhatDecides(t *testing.T) {
	for primary, want := range map[string]string{
		"throughput": "few of its connections", "response_p99": "unknown part",
	} {
		d := fixture()
		d.Run.Plan.Primary, d.Analysis.Primary = primary, primary
		d.Findings = []judge.Finding{
			{ID: judge.Calibrated, State: judge.Warn}, {ID: judge.Turns, State: judge.Warn},
		}
		if got := itemsText(NewView(d).trust()); !strings.Contains(got, want) {
			t.Errorf("%s: %s", primary, got)
		}
	}
}

// Of a log the error is shown, not its stack.
func TestLogSays(t *testing.T) {
	for want, tail := range map[string][]string{
		"; its log: Error: listen EADDRINUSE: address already in use :::3000": {"throw er; // Unhandled 'error' event",
			"Error: listen EADDRINUSE: address already in use :::3000", "    at Server.listen (node:net:2067:7)",
			"Emitted 'error' event on Server instance at:", "    at emitErrorNT (node:net:1944:8)", "}", "Node.js v20.20.2"},
		"; its log: an error": {"started", "an error", "at Server.listen", "ended"},
		"; its log: ended":    {"started", "ended", ""},
	} {
		if got := logSays(&record.Failure{LogTail: tail}); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
