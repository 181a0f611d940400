package study

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// Variant declares a contestant that differs from another only in What; the page shows the effect.
type Variant struct {
	Is     string   `toml:"is"`
	Of     string   `toml:"of"`
	What   string   `toml:"what"`   // the difference: what Is does or has
	Levels []string `toml:"levels"` // levels that load both
}

// variants checks the study's variants.
func (r *reader) variants() {
	for i := range r.s.Variants {
		v, at := &r.s.Variants[i], fmt.Sprintf("variant[%d]", i)
		if v.Is == "" || v.Of == "" || v.Is == v.Of || v.What == "" || len(v.Levels) == 0 {
			r.errorf(at, `a variant needs "is" and "of", two contestants, "what" is different, and "levels"`)
			continue
		}
		for j, name := range v.Levels {
			key := fmt.Sprintf("%s.levels[%d]", at, j)
			l := r.level(key, name)
			if l == nil {
				continue
			}
			for _, c := range []string{v.Is, v.Of} {
				if !slices.Contains(r.s.at(l), c) {
					r.errorf(key, "the level %q does not load %s", name, c)
				}
			}
		}
	}
}

// variants returns the ratio of rates between each variant and its original, at each level that the
// run loaded.
func (e *evidence) variants() (out []worth) {
	if e.run.Plan.Processes == record.PerLoad {
		return nil
	}
	for _, v := range e.study.Variants {
		for _, level := range v.Levels {
			is, of := Cell{Contestant: v.Is, Level: level}, Cell{Contestant: v.Of, Level: level}
			one := worth{Is: v.Is, Of: v.Of, What: v.What, Level: level}
			for _, c := range []Cell{is, of} {
				if why := e.unsettled(c, "throughput"); why != "" {
					one.Absent = c.Contestant + ": " + why
				}
			}
			if one.Absent == "" {
				one.Times = e.Compare(is, of, "throughput").Ratio
			}
			out = append(out, one)
		}
	}
	return out
}

// worth is a variant's effect at a level: its rate over its original's.
type worth struct {
	Is, Of, What, Level string
	Times               judge.Estimate
	Absent              string // why there is no figure
}

// variants returns the section about the variants' effects.
func (v *page) variants() document.Section {
	if len(v.Claims.Variants) == 0 {
		return document.Section{}
	}
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "compared with"},
		{Head: "level"}, {Head: "throughput, times", Number: true}, {Head: "epochs", Number: true},
		{Head: "what is different"}},
		After: "Ratios within rounds; the interval, of at least 95 %, is between epochs. There are no verdicts."}
	for _, x := range v.Claims.Variants {
		times, epochs := document.Cell{Absent: cmp.Or(x.Absent, "unknown")}, document.Cell{}
		if x.Absent == "" && x.Times.N > 0 {
			times.Absent, epochs.Value = "", strconv.Itoa(x.Times.N)
			times.Value, times.Side = report.RatioParts(x.Times.Value, x.Times.Lo, x.Times.Hi)
		}
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{{Value: v.Title(x.Is)}, {Value: v.Title(x.Of)},
			{Value: x.Level}, times, epochs, {Value: x.What}}})
	}
	return document.Section{ID: "variants", Title: "What variants are worth", Blocks: []document.Block{t}}
}
