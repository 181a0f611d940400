package report

import (
	"strconv"

	"dyno/internal/analysis"
	"dyno/internal/document"
)

// Variant is what a difference is worth at a level: the rate of a contestant over that of the one which it is but for
// this.
type Variant struct {
	Is, Of, What, Level string
	Times               analysis.Estimate
	Absent              string // why there is none
}

// variants returns the section about what variants are worth.
func (v *view) variants() document.Section {
	if v.Claims == nil || len(v.Claims.Variants) == 0 {
		return document.Section{}
	}
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "compared with"},
		{Head: "level"}, {Head: "throughput, times", Number: true}, {Head: "epochs", Number: true},
		{Head: "what is different"}},
		After: "Ratios within rounds; the interval, of at least 95 %, is between epochs. There are no verdicts."}
	for _, x := range v.Claims.Variants {
		times, epochs := document.Cell{Absent: orElse(x.Absent, "unknown")}, document.Cell{}
		if x.Absent == "" && x.Times.N > 0 {
			times.Absent, epochs.Value = "", strconv.Itoa(x.Times.N)
			times.Value, times.Side = ratioParts(x.Times.Value, x.Times.Lo, x.Times.Hi)
		}
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{{Value: v.title(x.Is)}, {Value: v.title(x.Of)},
			{Value: x.Level}, times, epochs, {Value: x.What}}})
	}
	return document.Section{ID: "variants", Title: "What variants are worth", Blocks: []document.Block{t}}
}
