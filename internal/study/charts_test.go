package study

import (
	"math"
	"strings"
	"testing"

	"dyno/internal/report"
)

const fakeCharts = `
[[chart]]
metrics = ["throughput", "drop", "latency_mean", "heap_inuse"]
contestants = ["fast", "slow", "odd"]
[[chart.plot]]
title = "by connections"
levels = ["c10", "c20"]
[[chart.plot]]
title = "with more connections"
levels = ["c20"]
base = ["c10"]
`

func TestCharts(t *testing.T) {
	d := fakeWith(t, fakeCharts)
	charts := d.Claims.Charts
	if len(charts) != 3 || len(charts[0].Plots) != 2 || len(charts[1].Plots) != 1 {
		t.Fatalf("%+v\nwant throughput, the drop of one plot, and latency; there are no heaps", charts)
	}
	for _, c := range []struct {
		what  string
		got   report.Figure
		want  float64
		close float64 // share
	}{
		{"rate at 10", charts[0].Plots[0].Ours["fast"][0], 100_000, .02},
		{"rate at 20", charts[0].Plots[0].Ours["fast"][1], 72_000, .02},
		{"drop in percent", charts[1].Plots[0].Ours["fast"][0], 28, .1},
		{"mean latency, ns", charts[2].Plots[0].Ours["fast"][0], 1e5, .02},
	} {
		x := c.got
		if c.got.Absent != "" || math.Abs(x.Value/c.want-1) > c.close {
			t.Errorf("%s: %+v; want about %v", c.what, x, c.want)
		}
		if x.Lo > x.Value || x.Hi < x.Value || x.Least > x.Value || x.Most < x.Value || x.Least >= x.Most {
			t.Errorf("%s: %+v; want bounds around it", c.what, x)
		}
	}
	if x := charts[0].Plots[0].Ours["odd"][0]; !strings.Contains(x.Absent, "answers 500") {
		t.Errorf("one that failed: %+v", x)
	}
	var published []string
	for _, p := range charts[0].Plots[0].Published {
		published = append(published, p.Cell.String())
	}
	if got := strings.Join(published, ", "); got != "fast @ c10, odd @ c10, never @ c10, slow @ c20" {
		t.Errorf("published rates: %s", got)
	}
	if p := charts[1].Plots[0].Published; len(p) != 1 || p[0].Base != 30 || p[0].Level != 0 {
		t.Errorf("published drops: %+v", p)
	}
	pages, err := Pages(d)
	if err != nil {
		t.Fatal(err)
	}
	readme := string(pages[ReadmeFile])
	for file, want := range map[string]string{"chart-throughput.svg": "fast, c10: 123,456.5/s published 2017-08-19",
		"chart-drop.svg": "fast, c20: 30 % published 2017-08-19", "chart-latency-mean.svg": "failed at verify"} {
		if svg := string(pages[file]); !strings.Contains(svg, want) || !strings.Contains(svg, `class="ring"`) {
			t.Errorf("%s does not have %q beside ours", file, want)
		}
		if !strings.Contains(readme, "]("+file+")") {
			t.Errorf("the page does not show %s", file)
		}
	}
}

func TestReadChartErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"throughput", "drop"`, `"lines_of_code", "drop"`, `no metric "lines_of_code"`},
		{`"throughput", "drop"`, `"speed", "drop"`, `no metric "speed"`},
		{"base = [\"c10\"]\n", "", `a drop needs a plot with "base"`},
		{`base = ["c10"]`, `base = ["c10", "c20"]`, "1 levels from 2; want equal numbers"},
		{`base = ["c10"]`, `base = ["c1"]`, `no level "c1" in this study`},
		{`"slow", "odd"]`, `"solw"]`, `no contestant "solw" in this study`},
		{`"c10", "c20"`, ``, `a plot needs "levels"`},
		{`metrics = ["throughput", "drop", "latency_mean", "heap_inuse"]`, `metrics = []`, `a chart needs "metrics"`},
	} {
		text := strings.Replace(fakeCharts, c.old, c.new, 1)
		_, err := Read(project(map[string]string{"study.toml": fakeStudy + text, "figures.csv": fakeFigures}), "fake")
		if text == fakeCharts || err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "studies/fake/study.toml:") {
			t.Errorf("%s: %v\nwant …%s", c.new, err, c.want)
		}
	}
}
