package report

import (
	"strings"
	"testing"

	"dyno/internal/claim"
	"dyno/internal/document"
	"dyno/internal/result"
)

// articleFixture is an article's own run by dyno, bombardier and ab, with the article's figures.
func articleFixture(t *testing.T) *ClassicRun {
	d := externalFixture(nil, 50000, 49000, 100000, 90000)
	p := &d.Run.Plan
	p.Requests, p.External = 200_000, []string{"bombardier", "ab"}
	theirs, null := d.AllLoads[1], d.AllLoads[3]
	with := func(of *result.Trial, tool string, change func(*result.Reported)) *result.Trial {
		tr := *of
		r := *tr.Reported
		change(&r)
		tr.External, tr.Reported = tool, &r
		return &tr
	}
	mean, p99 := 52000., int64(9e9)
	d.AllLoads = []*result.Trial{d.AllLoads[0], with(theirs, "bombardier", func(r *result.Reported) {
		r.RateMeanPerSec, r.P99NS, r.Version = &mean, &p99, "bombardier 1.2"
	}), with(theirs, "ab", func(r *result.Reported) {
		r.QuantilesNS = map[string]int64{"50": 2e6, "99": 32e6}
		all := result.Times{MinNS: 0, MeanNS: 3e6, SDNS: 72e5, MedianNS: 1e6, MaxNS: 96e6}
		r.Parts = map[string]result.Times{"connect": {MaxNS: 31e6}, "processing": all, "waiting": all, "total": all}
	}), d.AllLoads[2], with(null, "bombardier", func(*result.Reported) {}), with(null, "ab", func(*result.Reported) {})}
	figure := func(metric string, n int64, base float64) claim.Figure {
		m, ok := claim.MetricNamed(metric)
		if !ok {
			t.Fatal(metric)
		}
		return claim.Figure{Cell: claim.Cell{Contestant: "iris-mvc"}, Metric: m, Base: base, N: n, Date: "2017"}
	}
	return &ClassicRun{File: "classic.jsonl.gz", Data: d, Published: []claim.Figure{figure("time:200000", 200_000, 2e9),
		figure("throughput", 0, 110_000), figure("latency_mean", 0, 118e4), figure("connect_sd", 0, 45e5),
		figure("percent_99", 0, 236e6)}}
}

// TestArticleRun: the page of a study has what was published, what each tool made of the same load
// and what dyno did, and why they differ.
func TestArticleRun(t *testing.T) {
	var b strings.Builder
	err := document.Markdown(&b, &document.Document{Sections: articleFixture(t).sections()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"## The article's own run: 200,000 requests, 100 connections", "[The record](classic.jsonl.gz)",
		"| contestant | by | Time, s | Requests/s, as printed | Answers ÷ time | Latency, mean, ms |",
		"| Iris MVC | published 2017 | 2.00 | 110,000 | 100,000 | 1.18 |",
		"| Iris MVC | bombardier here | 4.00 | 52,000 | 49,000 | 2.04 |",
		"| Iris MVC | dyno here | 4.00 | 50,000 | 50,000 | – |",
		"| Iris MVC | published 2017 | connect | – | – | 4.50 | – | – |",
		"| Iris MVC | ab here | connect | 0 | 0 | 0 | 0 | 31.0 |",
		"| Iris MVC | ab here | 2.00 | – | – | – | – | – | – | 32.0 | – |",
		"published 2017: the printed rate is 1.10 × its requests ÷ its time: the tool prints the mean",
		"it prints the mean of its samples, 52,000/s, 1.06 × its responses ÷ its time",
		"Its 99th percentile is 9.00 s, dyno's", "What sets bombardier apart", "What sets ab apart",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "NaN") {
		t.Error(page)
	}
}

// A record of an older release, without tools, has a table too, and what was not published has no
// row.
func TestArticleRunByDynoAlone(t *testing.T) {
	r := ClassicRun{File: "classic.jsonl.gz", Data: classicFixture()}
	var b strings.Builder
	if err := document.Markdown(&b, &document.Document{Sections: r.sections()}, 1); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if !strings.Contains(page, "| Iris MVC | dyno here |") || strings.Contains(page, "published") ||
		strings.Contains(page, "What sets") || !strings.Contains(page, "## Growth of memory") ||
		!strings.Contains(page, "Gin: ") {
		t.Error(page)
	}
}
