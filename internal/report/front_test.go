package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dyno/internal/document"
)

// many is a run of more contestants than a chart shows: copies of Iris, each a little slower.
func many(n int) *Data {
	d := fixture()
	d.Run.Failures = nil
	a := d.Analysis
	for i := range n {
		name := fmt.Sprintf("copy-%02d", i)
		c := *d.Run.Contestant("iris")
		c.Name, c.Title = name, "Copy "+name
		d.Run.Contestants = append(d.Run.Contestants, c)
		d.Run.Plan.Contestants = append(d.Run.Plan.Contestants, name)
		for _, cell := range slices.Clone(a.Cells) {
			if cell.Contestant == "iris" {
				cell.Contestant = name
				cell.Level.Value *= 1 - 0.01*float64(i+1)
				a.Cells = append(a.Cells, cell)
			}
		}
		for _, p := range slices.Clone(a.Pairs) {
			if p.A == "fasthttp" && p.B == "iris" {
				p.B = name
				a.Pairs = append(a.Pairs, p)
			}
		}
		place := a.Places[2]
		place.Contestant = name
		a.Order, a.Places = append(a.Order, name), append(a.Places, place)
	}
	return d
}

func TestChartOfMany(t *testing.T) {
	d := many(10)
	p := NewView(d)
	front := p.front()[0].(document.Choice).Options[0].Block.(document.BarChart)
	if len(front.Bars) != MostBars || !strings.Contains(front.Note, "best 12 of ") {
		t.Errorf("%d bars, %q", len(front.Bars), front.Note)
	}
}

// A chart's ratios have the direction of the table's, whose columns stand beside it.
func TestChartHasTheTablesRatios(t *testing.T) {
	p := NewView(fixture())
	table, ratio := p.levelTable(0, p.shown()), 3
	for _, o := range p.front()[0].(document.Choice).Options {
		c := o.Block.(document.BarChart)
		if c.Beside != ToBest || table.Columns[ratio].Head != ToBest {
			t.Errorf("%s: %q beside %q", o.Name, c.Beside, table.Columns[ratio].Head)
		}
		for i, r := range p.ranked() {
			cell := table.Rows[i].Cells[ratio]
			if want := strings.TrimSpace(cell.Value + " " + cell.Side); o.Name == p.primary().Title && c.Bars[i].Side != want {
				t.Errorf("%s: %q in the chart, %q in the table", r.Title, c.Bars[i].Side, want)
			}
		}
	}
}

// Where too few epochs leave an interval open on both sides, none is shown.
func TestChartTooEarly(t *testing.T) {
	p := NewView(early())
	c := p.front()[0].(document.Choice).Options[0].Block.(document.BarChart)
	if side := c.Bars[1].Side; strings.Contains(side, "∞") || !strings.Contains(c.Foot, "fewer than six have none") {
		t.Errorf("%q, %q", side, c.Foot)
	}
}
