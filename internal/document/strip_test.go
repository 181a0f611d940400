package document

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var circle = regexp.MustCompile(`<circle cx="([0-9.]+)" cy="([0-9.]+)"`)

// A long name is wrapped, by the width of its letters, in its own row.
func TestStripNames(t *testing.T) {
	plot := StripPlot{Title: "first", Per: 1, Dots: [][]Dot{{{At: 1}}, {{At: 2}}}}
	c := StripChart{ID: "s", Plots: []StripPlot{plot}, Names: []StripName{
		{"A framework whose name has many words (and more)", "go"}, {"b", "go"}}}
	picture := drawStrips(&c, false, false)
	if strings.Contains(picture, "textLength") || !strings.Contains(picture, ">A framework<") ||
		!strings.Contains(picture, "more)<") {
		t.Error(picture)
	}
	y := regexp.MustCompile(`y="([0-9.-]+)" class="label"`).FindAllStringSubmatch(picture, -1)
	for i := range len(y) - 1 {
		a, _ := strconv.ParseFloat(y[i][1], 64)
		if b, _ := strconv.ParseFloat(y[i+1][1], 64); b-a < stripName {
			t.Errorf("lines %d and %d are %g px apart", i, i+1, b-a)
		}
	}
}

// Each value is a dot on its line, at its place on the axis; dots that would cover each other are
// in lanes, and a wide chart has both plots side by side.
func TestStripChart(t *testing.T) {
	c := StripChart{ID: "s", Foot: "what <is> shown", Names: []StripName{{"a<b", "go"}, {"b", "dotnet"}}, Plots: []StripPlot{
		{Title: "first", Unit: "ms", Per: 1e6, Dots: [][]Dot{{{At: 5e6, Text: "x"}, {At: 5e6}, {At: 5e6}}, {{At: 9e6}}}},
		{Title: "level", Per: 1, Ratio: true, Dots: [][]Dot{{{At: .8}, {At: 1}}, nil}}}}
	for _, wide := range []bool{true, false} {
		picture := drawStrips(&c, wide, false)
		dots := circle.FindAllStringSubmatch(picture, -1)
		if len(dots) != 6 {
			t.Fatalf("%d dots of 6", len(dots))
		}
		at := func(i, k int) float64 {
			v, err := strconv.ParseFloat(dots[i][k], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if at(0, 1) != at(1, 1) || at(0, 2) == at(1, 2) || at(1, 2) == at(2, 2) || at(0, 2) == at(2, 2) {
			t.Errorf("equal values: %v", dots[:3])
		}
		if at(3, 1) <= at(0, 1) || at(3, 2) <= at(2, 2) {
			t.Errorf("the second line: %v", dots[3])
		}
		if at(4, 1) >= at(5, 1) {
			t.Errorf("0.8 is right of 1: %v", dots[4:])
		}
		if strings.Contains(picture, "a<b") || !strings.Contains(picture, "a&lt;b") ||
			!strings.Contains(picture, "what &lt;is&gt; shown") {
			t.Error("names are not escaped")
		}
		if n := strings.Count(picture, "a&lt;b"); wide && n != 1 || !wide && n != 2 {
			t.Errorf("wide %t: the name stands %d times", wide, n)
		}
	}
}
