package document

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/page.html")

// frame is a document with each block that a page shows.
func frame() *Document {
	d := page()
	d.Question = "Which is faster?"
	d.Trust = []Item{{Label: "Trust", Text: Plain("answers right")}, {Label: "!", Text: Plain("busy"), Style: Warn},
		{Label: "?", Text: Plain("noise")}}
	names, rates := []string{"fasthttp", "hyper", "Iris", "net/http", "Iris MVC", "Kestrel"},
		[]float64{1, .98, .911, .902, .781, .543}
	table := Table{Title: "Figures", Note: "of all", After: "≥ is a lower bound", Columns: []Column{
		{Head: "#", Number: true, Lead: true}, {Head: "name", Lead: true},
		{Head: "rate", Unit: "req/s", Number: true}, {Head: "remark"}}}
	charts := Choice{ID: "metric", Title: "Show"}
	for _, metric := range []string{"Throughput", "Goodput"} {
		bars := BarChart{ID: metric, Title: metric, Note: "Whiskers are intervals.", Unit: "req/s", More: true,
			Beside: "best ÷ row"}
		for i, name := range names {
			bars.Bars = append(bars.Bars, Bar{Name: name, Small: "a language", Key: "go", Beyond: i == 0,
				At: rates[i], Lo: rates[i] / 1.04, Hi: rates[i] / .97, Value: Whole(int(93412 * rates[i])),
				Side: fmt.Sprintf("%.2f", 1/rates[i])})
		}
		bars.Bars = append(bars.Bars, Bar{Name: "Gin", Key: "go", Excluded: true, Failed: true, Missing: "failed at load"},
			Bar{Name: "aspnetcore-mvc", Key: "dotnet", Excluded: true, Missing: "needs .NET SDK"})
		charts.Options = append(charts.Options, Option{metric, bars})
	}
	for i, b := range charts.Options[0].Block.(BarChart).Bars {
		row := Row{Key: b.Key, Rule: i == 3, Excluded: b.Missing, Failed: b.Failed, Cells: []Cell{{Value: fmt.Sprint(i + 1)},
			{Value: b.Name, Small: "Go"}, {Value: b.Value, Side: b.Side}, {Value: "one\ntwo", Style: Good}}}
		table.Rows = append(table.Rows, row)
	}
	ticks := []Tick{{.1, "10"}, {.9, "100"}}
	line := LineChart{ID: "line", Title: "Memory", Unit: "MB", Per: 1e6, Way: "less is better", Foot: "memory by level",
		Series: []Series{{Name: "fasthttp", Key: "go"}, {Name: "Kestrel", Key: "dotnet"}},
		Plots: []Plot{{Title: "0 ms", Ticks: ticks, Points: [][]Point{
			{{At: .1, Value: 9e6, Lo: 8e6, Hi: 11e6, Text: "9 MB"}, {At: .9, Value: 22e6, Lo: 20e6, Hi: 25e6, Open: true}},
			{{At: .1, Value: 40e6, Lo: 40e6, Hi: 40e6, Beyond: true}, {At: .9, Absent: true}}}}},
		Excluded: []Item{{Label: "Gin", Style: Bad, Text: Plain("failed")}}}
	d.Front = []Block{charts}
	d.Sections = append(d.Sections, Section{ID: "ranking", Title: "Ranking", Blocks: []Block{table}},
		Section{Title: "Charts", Folded: true, Blocks: []Block{Legend{[]LegendItem{{"go", "Go"}}}, line,
			Paragraph{Label: "Rate", Text: Plain("labelled")}, Paragraph{Style: Warn, Text: Plain("all of it")},
			Picture{"a.svg", "left out"}, List{Items: []Item{{Code: "dyno load URL"}}}}})
	return d
}

// TestHTML: each block on a page, and the frame around them. The texts on pages are tested where
// they are written, as documents.
func TestHTML(t *testing.T) {
	var b strings.Builder
	if err := HTML(&b, frame()); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if strings.Contains(got, "a host") || strings.Contains(got, "\x1b") {
		t.Error("the page has what it is to leave out")
	}
	const path = "testdata/page.html"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); if that is right, run with -update:\n%s", path, diff)
	}
}

// A page folds a large section, and leaves a small one open.
func TestLargeSectionsAreFolded(t *testing.T) {
	row := Row{Cells: []Cell{{Value: "a"}}, Notes: []string{"note"}}
	d := Document{Sections: []Section{
		{Title: "Small", Blocks: []Block{Table{Columns: []Column{{Head: "x"}}, Rows: slices.Repeat([]Row{row}, 20)}}},
		{Title: "Large", Blocks: []Block{Table{Columns: []Column{{Head: "x"}}, Rows: slices.Repeat([]Row{row}, 21)}}},
	}}
	var b strings.Builder
	if err := HTML(&b, &d); err != nil {
		t.Fatal(err)
	}
	if page := b.String(); !strings.Contains(page, "<summary><h2>Large") || strings.Contains(page, "<summary><h2>Small") {
		t.Error("want the large section folded alone")
	}
}
