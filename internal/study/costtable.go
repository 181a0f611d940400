package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/report"
)

// cost is a level's extra cost for a contestant compared with the base, in ns of CPU per request.
type cost struct {
	Contestant, Level string
	Base              string         // the level that it is compared with
	More              judge.Estimate // the difference, paired within rounds
	Of                judge.Estimate // the base's cost
	Absent            string         // why there is no figure
}

// beyond returns the costs beyond one base, and their scale.
func (c *Claims) beyond(base string) (costs []cost, s judge.Scale) {
	var values []float64
	for _, x := range c.Costs {
		if x.Base != base {
			continue
		}
		if costs = append(costs, x); x.Absent == "" {
			values = append(values, x.Of.Value)
		}
	}
	return costs, report.ScaleOf("ns", values...)
}

// cell formats a cost with its interval: "+1.23", "(1.10 to 1.36)".
func (c *cost) cell(s judge.Scale) document.Cell {
	if c.Absent != "" || c.More.N == 0 {
		return document.Cell{Absent: cmp.Or(c.Absent, "unknown")}
	}
	cell := document.Cell{Value: fmt.Sprintf("%+.2f", c.More.Value/s.Per), Side: "(interval open)"}
	if !math.IsInf(c.More.Lo, 0) && !math.IsInf(c.More.Hi, 0) {
		cell.Side = fmt.Sprintf("(%.2f to %.2f)", c.More.Lo/s.Per, c.More.Hi/s.Per)
	}
	return cell
}

// dearness says how much the levels cost beyond the first base, from the cheapest contestant to the
// dearest; nil if there are no bases.
func (v *page) dearness() []string {
	if len(v.Claims.Costs) == 0 {
		return nil
	}
	base := v.Claims.Costs[0].Base
	costs, scale := v.Claims.beyond(base)
	ends, levels := map[string][2]cost{}, []string{}
	for _, c := range costs {
		if c.Absent != "" || c.More.N == 0 {
			continue
		}
		at, known := ends[c.Level]
		if !known {
			at, levels = [2]cost{c, c}, append(levels, c.Level)
		}
		if c.More.Value < at[0].More.Value {
			at[0] = c
		}
		if c.More.Value >= at[1].More.Value {
			at[1] = c
		}
		ends[c.Level] = at
	}
	figure := func(c cost) string {
		return fmt.Sprintf("%+.2f (%s)", c.More.Value/scale.Per, v.Title(c.Contestant))
	}
	var parts []string
	for _, level := range levels {
		text := level + " " + figure(ends[level][0])
		if ends[level][1].Contestant != ends[level][0].Contestant {
			text += " to " + figure(ends[level][1])
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Beyond %s, in %s of CPU per request: %s.", base, scale.Name, strings.Join(parts, "; "))}
}

// costs returns the section about the levels' costs beyond their bases.
func (v *page) costs() document.Section {
	var bases []string
	for _, c := range v.Claims.Costs {
		bases = report.AddNew(bases, c.Base)
	}
	if len(bases) == 0 {
		return document.Section{}
	}
	s := document.Section{ID: "costs", Title: "What the levels cost"}
	for i, base := range bases {
		t := v.costsBeyond(base)
		if i == len(bases)-1 {
			t.Note = "Differences within rounds, the median of each epoch; the 95 % interval is between epochs. " +
				"There are no verdicts."
		}
		s.Blocks = append(s.Blocks, t)
	}
	return s
}

// costsBeyond returns the table of costs beyond one base. Its rows ascend by the level with the
// highest cost.
func (v *page) costsBeyond(base string) document.Table {
	costs, scale := v.Claims.beyond(base)
	var g grid[string]
	dearest, of, at := cost{}, map[string]document.Cell{}, map[string]cost{}
	for _, c := range costs {
		g.heads = report.AddNew(g.heads, c.Level)
		if c.Absent == "" && (dearest.Level == "" || c.More.Value > dearest.More.Value) {
			dearest = c
		}
		if of[c.Contestant].Value == "" {
			of[c.Contestant] = document.Cell{Absent: "unknown"}
			if c.Of.N > 0 {
				of[c.Contestant] = document.Cell{Value: document.Sig3(c.Of.Value / scale.Per)}
			}
		}
	}
	for _, c := range costs {
		if c.Level == dearest.Level {
			at[c.Contestant] = c
		}
	}
	slices.SortStableFunc(costs, func(a, b cost) int {
		x, y := at[a.Contestant], at[b.Contestant]
		return cmp.Or(cmp.Compare(min(1, len(x.Absent)), min(1, len(y.Absent))),
			cmp.Compare(x.More.Value, y.More.Value))
	})
	for _, c := range costs {
		g.set(c.Contestant, c.Level, c.cell(scale))
	}
	t := document.Table{Title: fmt.Sprintf("CPU per request beyond the level %s, %s", base, scale.Name),
		Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: base, Number: true}}}
	return g.table(t, true, "unknown", func(name string) document.Row {
		return document.Row{Cells: []document.Cell{{Value: v.Title(name)}, of[name]}}
	})
}
