package report

import (
	"strconv"

	"dyno/internal/analysis"
	"dyno/internal/document"
)

// Variant is what a single choice is worth at a level: the rate of a contestant over that of the one which it is but
// for the choice.
type Variant struct {
	Is, Of, What, Level string
	Times               analysis.Estimate
	Absent              string // why there is none
}

// variants returns the section about what single choices are worth.
func (v *view) variants() document.Section {
	if v.Claims == nil || len(v.Claims.Variants) == 0 {
		return document.Section{}
	}
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "is, but for", Lead: true},
		{Head: "what is different"}, {Head: "level"}, {Head: "throughput, times", Number: true},
		{Head: "epochs", Number: true}},
		After: "Ratios within rounds; the 95 % interval is between epochs. There are no verdicts."}
	before := ""
	for _, x := range v.Claims.Variants {
		row := []document.Cell{{Value: v.title(x.Is)}, {Value: v.title(x.Of)}, {Value: x.What}, {Value: x.Level}}
		if before == x.Is+x.Of {
			row[0].Value, row[1].Value, row[2].Value = "", "", ""
		}
		before = x.Is + x.Of
		if x.Absent != "" || x.Times.N == 0 {
			row = append(row, document.Cell{Absent: orElse(x.Absent, "unknown")}, document.Cell{})
		} else {
			value, interval := ratioParts(x.Times.Value, x.Times.Lo, x.Times.Hi)
			row = append(row, document.Cell{Value: value, Side: interval},
				document.Cell{Value: strconv.Itoa(x.Times.N)})
		}
		t.Rows = append(t.Rows, document.Row{Cells: row})
	}
	return document.Section{ID: "variants", Title: "What single choices are worth", Blocks: []document.Block{t}}
}
