package report

import (
	"strings"
	"testing"

	"dyno/internal/analysis"
	"dyno/internal/checks"
)

func TestSentence(t *testing.T) {
	v := newView(fixture())
	base := analysis.Pair{A: "iris-mvc", B: "kestrel", Metric: "throughput", P: 0.00049, Adjusted: 0.0073, Verdict: analysis.Different, Better: "iris-mvc",
		Ratio: analysis.Estimate{Value: 1.42, Lo: 1.38, Hi: 1.47, N: 12}}
	with := func(f func(*analysis.Pair)) analysis.Pair { p := base; f(&p); return p }
	for _, c := range []struct {
		p    analysis.Pair
		want string
	}{
		{base, "Iris MVC serves 1.42 × (1.38–1.47) the requests of Kestrel: different (p = 0.0005, Holm = 0.007)"},
		{with(func(p *analysis.Pair) {
			p.Better = "kestrel"
			p.Ratio = analysis.Estimate{Value: 0.5, Lo: 0.4, Hi: 0.8}
		}),
			"Kestrel serves 2.00 × (1.25–2.50) the requests of Iris MVC: different (p = 0.0005, Holm = 0.007)"},
		{with(func(p *analysis.Pair) {
			p.Metric = "cpu_per_request"
			p.Better = "kestrel"
			p.Ratio.Value, p.Ratio.Lo, p.Ratio.Hi = 2, 1.6, 2.5
		}),
			"Kestrel uses 0.500 × (0.400–0.625) the CPU per request of Iris MVC: different (p = 0.0005, Holm = 0.007)"},
		{with(func(p *analysis.Pair) { p.Verdict, p.Better = analysis.Equivalent, "" }),
			"Iris MVC serves 1.42 × (1.38–1.47) the requests of Kestrel: tie within 3 %"},
		{with(func(p *analysis.Pair) { p.Verdict = analysis.Negligible }),
			"Iris MVC serves 1.42 × (1.38–1.47) the requests of Kestrel: negligible, certain but within 3 % (p = 0.0005, Holm = 0.007)"},
		{with(func(p *analysis.Pair) { p.Verdict, p.Better = analysis.Inconclusive, "" }),
			"Iris MVC serves 1.42 × (1.38–1.47) the requests of Kestrel: undecided (p = 0.0005, Holm = 0.007)"},
		{with(func(p *analysis.Pair) {
			p.Verdict, p.Better, p.Note = analysis.Inconclusive, "", "kestrel stands at the ceiling"
		}),
			"Iris MVC serves 1.42 × (1.38–1.47) the requests of Kestrel: undecided (p = 0.0005, Holm = 0.007), for kestrel stands at the ceiling"},
	} {
		if got := v.sentence(c.p).String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestAnswer(t *testing.T) {
	answer := func(change func(*Data)) string {
		d := fixture()
		change(d)
		return strings.Join(newView(d).answer(), " ")
	}
	for _, c := range []struct {
		name   string
		change func(*Data)
		want   []string
		not    string
	}{
		{"a winner", func(d *Data) { d.Analysis.Places[0].Hi = 1; d.Analysis.Places[1].Lo = 2 },
			[]string{"fasthttp serves the most requests: 1.00 × (0.99–1.01) those of hyper, the next, and 1.81 ×", "of Kestrel, the last"}, "No single winner"},
		{"a tie", func(*Data) {}, []string{"No single winner: the first place is between fasthttp and hyper", "Of 15 pairs", "1 is a tie", "lower bound"}, "most requests"},
		{"a canary that differs", func(d *Data) {
			d.Findings = []checks.Finding{{ID: checks.Twins, State: checks.Fail, Text: "two identical servers came out different"}}
		}, []string{"This run must not be quoted: two identical"}, ""},
		{"one alone", func(d *Data) {
			for i := range d.Analysis.Places[1:] {
				d.Analysis.Places[i+1].Excluded = "gone"
			}
		}, []string{"Only fasthttp has a figure", "91,400 per second (89,800–93,400)", "× (", "could not be ranked"}, "Of "},
		{"no look yet", func(d *Data) { d.Analysis.Interim, d.Analysis.Epochs, d.Analysis.Needed = 0, 5, 10 }, []string{"no verdict yet: 5 valid epochs", "the fewest that can show a difference are 10"}, "most requests"},
		{"none", func(d *Data) { d.Analysis.Cells, d.Analysis.Places = nil, nil }, []string{"Nothing was measured"}, "Of "},
	} {
		got := answer(c.change)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in %q", c.name, w, got)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %q in %q", c.name, c.not, got)
		}
	}
}

// The primary metric stands first, and it alone gives the pairs.
func TestOtherPrimary(t *testing.T) {
	d := fixture()
	d.Run.Plan.Primary, d.Analysis.Primary = "cpu_per_request", "cpu_per_request"
	got := string(written(t, Text, d))
	if i, j := strings.Index(got, "CPU µs/req"), strings.Index(got, "req/s"); i < 0 || i > j {
		t.Error("the primary metric is not the first column")
	}
	if !strings.Contains(got, "the CPU per request of") || strings.Contains(got, "the requests of") {
		t.Error("the sentences are not of the primary metric")
	}
}
