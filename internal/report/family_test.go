package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// familyFixture is a made-up duel of 12 epochs with compared pairs: two contestants at c=10, c=100
// and beside them at c=50, and one that failed.
func familyFixture() *Data {
	d := sweepFixture(1)
	p := &d.Run.Plan
	p.Epochs, p.Pilots, p.Origin.Command = []int{8, 12}, 1, "dyno run a-study --seed 7"
	p.Levels = []record.Level{{Connections: 10, Pipeline: 1}, {Connections: 100, Pipeline: 1},
		{Connections: 50, Pipeline: 1}}
	cell := func(name string, level int) record.Cell { return record.Cell{Contestant: name, Level: level} }
	p.Cells, p.ExtraEpochs = nil, nil
	p.Complete()
	p.Family = []record.Comparison{
		{A: cell("net-http", 0), B: cell("kestrel", 0)}, {A: cell("kestrel", 1), B: cell("net-http", 1)},
		{A: cell("net-http", 0), B: cell("net-http", 1)},
		{A: cell("gin", 1), B: cell("kestrel", 1)},
	}
	d.Run.End, d.Run.Trials[0].Level = &record.End{Reason: "decided"}, &p.Levels[1]
	d.Findings[2].Text = "at c=100 85 % of the ceiling: a lower bound"
	d.Findings = append(d.Findings, judge.Finding{ID: judge.Twins, Title: "A/A check: the reference against its copy",
		State: judge.Pass, Text: "ref against ref': 1.003 (0.988–1.018), equivalent"})
	rng := rand.New(rand.NewPCG(3, 4))
	rates := map[string]float64{"net-http": 0.93, "kestrel": 0.71, "ref": 1, "ref'": 1.002}
	var all []*record.Trial
	for e := range 12 {
		for r := range 3 {
			drift := math.Exp(0.2 * rng.NormFloat64())
			for i, at := range p.Levels {
				for _, name := range []string{"net-http", "kestrel", "ref", "ref'"} {
					rate := rates[name] * 95000 * drift * math.Exp(0.02*rng.NormFloat64())
					switch {
					case i == 2 && (r > 0 || e >= 6 || rates[name] >= 1):
						continue
					case name == "kestrel" && i == 1:
						rate *= 1.3
					}
					all = append(all, madeTrial(name, at, e+1, r, rate, 1e8))
				}
			}
		}
	}
	in := judge.Input{Trials: all, Contestants: p.Contestants, Controls: p.Controls,
		Failed: map[string]string{"gin": "load: reset"}, Primary: p.Primary,
		Analyses: []stats.Interim{{N: 8, Alpha: 0.025}, {N: 12, Alpha: 0.025}}, Alpha: 0.05, Margin: 0.03,
		Family: p.Family, At: p.At}
	d.Analysis, d.Levels, d.Valid = analysed(in), nil, len(all)
	for i, at := range p.Levels {
		l := judge.Level{At: at, Compared: i < 2, Absent: map[string]string{},
			Loaded: []string{"net-http", "gin", "kestrel", "ref", "ref'"}}
		if i == 2 {
			l.Loaded = l.Loaded[:3]
		}
		for _, t := range all {
			if p.At(t) == i {
				l.Trials = append(l.Trials, t)
			}
		}
		l.Analysis = analysed(judge.Input{Trials: l.Trials, Contestants: p.Contestants, Controls: p.Controls,
			Primary: p.Primary, Alpha: 0.05, Margin: 0.03})
		d.Levels = append(d.Levels, l)
	}
	return d
}

// extraLevelsFixture is a duel that ranks, with a level beside.
func extraLevelsFixture() *Data {
	d, f := fixture(), familyFixture()
	l := f.Levels[2]
	l.Loaded = nil
	d.Run.Plan.Levels = []record.Level{d.Run.Plan.First(), {Connections: 50, Pipeline: 1}}
	d.Levels = []judge.Level{l}
	return d
}

func TestFamilyForms(t *testing.T) {
	golden(t, "family.txt", written(t, Text, familyFixture()))
	golden(t, "family-verbose.txt", written(t, inFull, familyFixture()))
	golden(t, "family.csv", written(t, CSV, familyFixture()))
	golden(t, "family.json", written(t, JSON, familyFixture()))
	golden(t, "extra.txt", written(t, Text, extraLevelsFixture()))
	golden(t, "extra.csv", written(t, CSV, extraLevelsFixture()))
	page := string(written(t, HTML, extraLevelsFixture()))
	balanced(t, page)
	var run struct {
		Rows []struct{ Contestant, Level string }
	}
	if err := json.Unmarshal(written(t, JSON, extraLevelsFixture()), &run); err != nil || !slices.ContainsFunc(run.Rows,
		func(r struct{ Contestant, Level string }) bool {
			return r.Contestant == "kestrel" && r.Level == "c=50"
		}) {
		t.Errorf("%+v, %v", run.Rows, err)
	}
	if !strings.Contains(page, "<h3>At another level: c=50</h3>") {
		t.Error("the page has no table of the other level")
	}
}

// A level that its study names is called so; what it is stands beside the name once.
func TestNamedLevels(t *testing.T) {
	d := familyFixture()
	d.Run.Plan.Study.LevelNames = []string{"as published", "as meant", ""}
	for i := range d.Levels {
		d.Levels[i].Name = d.Run.Plan.LevelName(i)
	}
	for name, write := range map[string]Writer{"text": inFull, "markdown": Markdown, "html": HTML} {
		got := string(written(t, write, d))
		for _, want := range []string{"as published (c=10)", "as meant (c=100)"} {
			// which has facts at its head and its end
			if n := strings.Count(strings.Join(strings.Fields(got), " "), want); n == 0 || n > 1 && name != "html" {
				t.Errorf("%s: %q stands %d times", name, want, n)
			}
		}
		if strings.Count(got, "as published") < 3 || !strings.Contains(got, "c=50") {
			t.Errorf("%s does not call its levels by their names:\n%s", name, got)
		}
	}
	if got := string(written(t, JSON, d)); !strings.Contains(got, `"name": "as published"`) ||
		!strings.Contains(got, `"level_a": "as published"`) {
		t.Error("run.json does not call its levels by their names")
	}
}

func TestNamedPairs(t *testing.T) {
	s := viewOf(familyFixture())
	var got []string
	list := s.comparisons()
	for i := range list {
		a, b := list[i].cellsOf()
		word, better, _, _ := s.verdict(&list[i])
		got = append(got, strings.Join([]string{a, b, word, better}, " | "))
	}
	want := []string{
		"net/http, c=10 | Kestrel | different | the first is better",
		"Kestrel, c=100 | net/http | equal within 3 % | ",
		"net/http, c=10 | c=100 | equal within 3 % | ",
		"Gin, c=100 | Kestrel | not compared | ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestOwnLevels: pairs stand in the table as planned. The answer has those without a ratio after all others.
func TestOwnLevels(t *testing.T) {
	d := familyFixture()
	pairs := func(section func(*View) []document.Block) (got []string) {
		for _, r := range section(viewOf(d))[0].(document.Table).Rows {
			got = append(got, r.Cells[0].Value+" | "+r.Cells[1].Value)
		}
		return got
	}
	cell := func(name string, level int) record.Cell { return record.Cell{Contestant: name, Level: level} }
	d.Run.Plan.Family = append(d.Run.Plan.Family, record.Comparison{A: cell("kestrel", 0), B: cell("kestrel", 1)},
		record.Comparison{A: cell("net-http", 0), B: cell("net-http", 2)})
	want := []string{"net/http, c=10 | Kestrel", "Kestrel, c=100 | net/http", "net/http, c=10 | c=100",
		"Gin, c=100 | Kestrel", "Kestrel, c=10 | c=100", "net/http, c=10 | c=50"}
	if got := pairs(func(v *View) []document.Block { return v.comparedPairs().Blocks }); !slices.Equal(got, want) {
		t.Errorf("on the page: %q", got)
	}
	if got := pairs((*View).pairsShort); !slices.Equal(got, want) {
		t.Errorf("in the answer: %q", got)
	}
}

// A metric that only open loops have is a column where there is one, and nowhere else.
func TestMetricsOfOpenLoops(t *testing.T) {
	plain := string(written(t, inFull, fixture())) + string(written(t, HTML, fixture())) +
		string(written(t, CSV, fixture())) + string(written(t, CSV, sweepFixture(6)))
	if strings.Contains(strings.ToLower(plain), "response_p") || strings.Contains(plain, "response p50") {
		t.Error("a closed loop shows response times")
	}
}

// What no line should join stands in panels of its own.
func TestPanelsApart(t *testing.T) {
	d := &Data{Results: judge.Results{Run: &record.Run{Plan: familyFixture().Run.Plan}}}
	for _, at := range []record.Level{{Connections: 10}, {Connections: 100}, {Connections: 10, Scenario: "page"}} {
		d.Levels = append(d.Levels, judge.Level{At: at})
	}
	var got []string
	for _, p := range viewOf(d).panels() {
		var ticks []string
		for _, tick := range p.Ticks {
			ticks = append(ticks, tick.Text)
		}
		got = append(got, p.Title+": "+strings.Join(ticks, " "))
	}
	if s := strings.Join(got, "; "); s != "no delay: c=10 c=100; page: c=10" {
		t.Error(s)
	}
}

func TestFamilyCSVAndJSON(t *testing.T) {
	d := familyFixture()
	rows, err := csv.NewReader(bytes.NewReader(written(t, CSV, d))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for _, r := range rows[1:] {
		if strings.HasPrefix(r[12], "p = ") {
			pairs++
			if r[7] == "" || r[8] == "" || r[11] == "" || !strings.Contains(r[0]+r[1], " ÷ ") {
				t.Errorf("%q", r)
			}
		}
	}
	if want := 3 * 4; pairs != want { // throughput, CPU, p50 and memory: response times have no compared pair with figures
		t.Errorf("%d rows of pairs, want %d", pairs, want)
	}
	var run struct {
		Pairs []struct {
			A      string  `json:"a"`
			LevelA string  `json:"level_a"`
			Ratio  float64 `json:"value_ratio"`
			Better *string `json:"better"`
		} `json:"pairs"`
		Levels []struct {
			At record.Level `json:"at"`
		} `json:"levels"`
	}
	if err := json.Unmarshal(written(t, JSON, d), &run); err != nil {
		t.Fatal(err)
	}
	if p := run.Pairs[0]; p.A != "net-http" || p.LevelA != "c=10" || p.Better == nil || *p.Better != "a" || p.Ratio < 1.2 {
		t.Errorf("%+v", p)
	}
	if l := run.Levels[2].At; l.Connections != 50 {
		t.Errorf("%+v", l)
	}
}

// Of a run with very many cells a rare metric has a table only if a claim is about it; the page names
// the others.
func TestManyCells(t *testing.T) {
	for _, levels := range []int{2, manyCells} {
		d := sweepFixture(6)
		for len(d.Levels) < levels {
			d.Levels = append(d.Levels, d.Levels[0])
		}
		for i := range d.Levels {
			a := *d.Levels[i].Analysis
			c := a.Cells[0]
			c.Metric = "rate_sd"
			a.Cells = append(slices.Clone(a.Cells), c)
			d.Levels[i].Analysis = &a
		}
		d.Analysis = d.Levels[0].Analysis
		rare := func() bool {
			return slices.ContainsFunc(viewOf(d).shownMetrics(),
				func(m judge.Metric) bool { return m.Name == "rate_sd" })
		}
		if many := levels == manyCells; rare() == many {
			t.Errorf("%d levels: table of the rates' deviation: %v", levels, rare())
		}
		text := string(written(t, Markdown, d))
		if strings.Contains(text, "Measured as well, in run.json") != (levels == manyCells) {
			t.Errorf("%d levels: what has no table is not named", levels)
		}
		d.Added.Tables = []string{"rate_sd"}
		if !rare() {
			t.Errorf("%d levels: no table for what a claim is about", levels)
		}
	}
}

// Who is not measured at the first level has figures at others in the rows.
func TestElsewhereInRows(t *testing.T) {
	d := extraLevelsFixture()
	isKestrel := func(name string) bool { return name == "kestrel" }
	d.Analysis.Cells = slices.DeleteFunc(d.Analysis.Cells, func(c judge.Cell) bool { return isKestrel(c.Contestant) })
	d.Analysis.Places = slices.DeleteFunc(d.Analysis.Places, func(p judge.Place) bool { return isKestrel(p.Contestant) })
	d.Levels[0].Loaded = []string{"kestrel"}
	verdicts := map[string]string{}
	for _, l := range viewOf(d).lines() {
		if isKestrel(l.contestant) {
			verdicts[l.level] = l.verdict
		}
	}
	if first := judge.LevelName(d.Run.Plan.First()); verdicts[first] != "excluded" ||
		verdicts[d.Levels[0].Title()] != "measured" {
		t.Errorf("%q", verdicts)
	}
}
