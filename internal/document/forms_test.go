package document

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// page is a document with a block of each kind; some of their texts try to escape their place.
func page() *Document {
	return &Document{
		Title: "a | <title>", Label: "a label", Byline: []string{"2 things", "12 ms"}, Comment: "--> not out",
		Lead: []Prose{Plain("First."), {{Text: "Second", Style: Bad}, {Text: "."}}},
		Sections: []Section{
			{ID: "table", Title: "Table", Blocks: []Block{Table{
				Columns: []Column{{Head: "name", Lead: true}, {Head: "rate", Unit: "1/s", Number: true}},
				Rows: []Row{
					{Cells: []Cell{{Value: "alpha", Small: "Go"}, {Value: "1,200", Side: "±3 %", Absent: "of no use"}},
						Key:   "go",
						Notes: []string{"a|b"}},
					{Cells: []Cell{{Value: "beta"}}, Excluded: "failed: *no* port", Failed: true},
					{Group: "reference", Style: Quiet, Cells: []Cell{{Value: "ref"}, {Absent: "unreadable"}}},
				},
			}}},
			{On: OnPage, Title: "Only here", Blocks: []Block{
				List{Items: []Item{{Label: "Rate", Text: Plain("What it is.")}}},
				BarChart{ID: "c", Bars: []Bar{{Name: "alpha", Key: "go", At: 2, Lo: 1.8, Hi: 2.2, Value: "1,200",
					Side: "2 (1.8–2.2)"}}},
			}},
			{On: OffPage, Blocks: []Block{Paragraph{Label: "Machine", Text: Plain("a host")}}},
			{Blocks: []Block{
				List{Items: []Item{{Label: "warn", Style: Warn, Text: Plain("see"), More: Texts("below")}}},
				Paragraph{Label: "Seed", Text: Plain("7")}, Code{Text: "dyno run ```"}, Log{Title: "its " +
					"log", Lines: []string{"\x1b[1mend"}},
			}},
		},
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := Markdown(&b, page(), 2); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(`## a \| &lt;title&gt;

<!--  not out -->

*a label*

First. **Second**.

*2 things, 12 ms.*

### Table

| name | rate 1/s | notes |
| --- | --: | --- |
| alpha | 1,200 ±3 % | a\|b |
| ~~beta~~ | – | failed: \*no\* port |
| **reference** |  |  |
| *ref* | – |  |

**Machine:** a host

- **warn** see<br>below

**Seed:** 7

''''sh
dyno run '''
''''

its log:

'''text
end
'''
`, "'", "`")
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSVGNeedsAChart(t *testing.T) {
	var b strings.Builder
	if err := SVG(&b, page()); err != nil || !strings.Contains(b.String(), `xmlns="http://www.w3.org/2000/svg"`) {
		t.Errorf("%v, %s", err, b.String())
	}
	if err := SVG(&b, &Document{NoChart: "figures that cannot be " +
		"compared"}); err == nil || !strings.Contains(err.Error(), "cannot be compared") {
		t.Errorf("a document that has no chart: %v", err)
	}
}

// Plots with a common axis show equal values at equal heights.
func TestCommonAxis(t *testing.T) {
	plot := func(values ...float64) Plot {
		p := Plot{Title: "a plot", Points: [][]Point{nil}}
		for i, v := range values {
			p.Points[0] = append(p.Points[0], Point{At: float64(i), Value: v, Lo: v, Hi: v})
		}
		return p
	}
	c := &LineChart{Unit: "ms", Per: 1, Series: []Series{{Name: "alpha", Key: "go"}},
		Plots: []Plot{plot(5, 9), plot(5, 4)}}
	marks := regexp.MustCompile(`<circle cx="[0-9.]+" cy="([0-9.]+)" r="3.5"`)
	height := func() (at []string) {
		for _, m := range marks.FindAllStringSubmatch(drawLines(c, false), -1) {
			at = append(at, m[1])
		}
		return at
	}
	// for each plot the two points, then its label's mark
	if at := height(); len(at) != 6 || at[0] == at[3] {
		t.Errorf("axes of their own: 5 ms at %v", at)
	}
	c.Common = true
	if at := height(); len(at) != 6 || at[0] != at[3] {
		t.Errorf("a common axis: 5 ms at %v", at)
	}
	if got := drawLines(c, false); strings.Count(got, ">ms<") != 1 {
		t.Errorf("in %s\nwant the unit once", got)
	}
}

// The longest bar's value ends within the chart, however long its text is.
func TestBarValuesFit(t *testing.T) {
	for _, value := range []string{"151,000", "1,151,000,000 req/s"} {
		c := &BarChart{Bars: []Bar{{Name: "alpha", At: 2, Hi: 2, Value: value, Beyond: true}}}
		svg := drawBars(c, false)
		m := regexp.MustCompile(`viewBox="-0 -0 (\d+) .*x="([\d.]+)" y="[\d.]+" class="value"`).FindStringSubmatch(svg)
		if m == nil {
			t.Fatalf("no value in %s", svg)
		}
		width, _ := strconv.ParseFloat(m[1], 64)
		x, _ := strconv.ParseFloat(m[2], 64)
		if end := x + boldWidth("≥ "+value, 14); end > width+.1 {
			t.Errorf("%s: ends at %.0f px of %.0f", value, end, width)
		}
	}
}
