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

// costTable holds the costs beyond one base. The rows ascend by the level with the highest cost.
type costTable struct {
	scale       judge.Scale
	levels      []string
	contestants []string
	at          map[[2]string]cost // by contestant and level
}

func (c *Claims) costTable(base string) *costTable {
	t := &costTable{at: map[[2]string]cost{}}
	dearest, most := "", math.Inf(-1)
	var values []float64
	for _, cost := range c.Costs {
		if cost.Base != base {
			continue
		}
		if !slices.Contains(t.levels, cost.Level) {
			t.levels = append(t.levels, cost.Level)
		}
		if !slices.Contains(t.contestants, cost.Contestant) {
			t.contestants = append(t.contestants, cost.Contestant)
		}
		t.at[[2]string{cost.Contestant, cost.Level}] = cost
		if cost.Absent == "" {
			values = append(values, cost.Of.Value)
			if cost.More.Value > most {
				dearest, most = cost.Level, cost.More.Value
			}
		}
	}
	t.scale = report.ScaleOf("ns", values...)
	slices.SortStableFunc(t.contestants, func(a, b string) int {
		x, y := t.at[[2]string{a, dearest}], t.at[[2]string{b, dearest}]
		return cmp.Or(cmp.Compare(min(1, len(x.Absent)), min(1, len(y.Absent))),
			cmp.Compare(x.More.Value, y.More.Value))
	})
	return t
}

// more formats a cost with its interval: "+1.23", "(1.10 to 1.36)".
func (t *costTable) more(contestant, level string) document.Cell {
	c := t.at[[2]string{contestant, level}]
	if c.Absent != "" || c.More.N == 0 {
		return document.Cell{Absent: cmp.Or(c.Absent, "unknown")}
	}
	cell := document.Cell{Value: fmt.Sprintf("%+.2f", c.More.Value/t.scale.Per), Side: "(interval open)"}
	if !math.IsInf(c.More.Lo, 0) && !math.IsInf(c.More.Hi, 0) {
		cell.Side = fmt.Sprintf("(%.2f to %.2f)", c.More.Lo/t.scale.Per, c.More.Hi/t.scale.Per)
	}
	return cell
}

// of formats the base's cost.
func (t *costTable) of(contestant string) document.Cell {
	for _, l := range t.levels {
		if c := t.at[[2]string{contestant, l}]; c.Of.N > 0 {
			return document.Cell{Value: report.Sig3(c.Of.Value / t.scale.Per)}
		}
	}
	return document.Cell{Absent: "unknown"}
}

// dearness says how much the levels cost beyond the first base, from the cheapest contestant to the
// dearest; nil if there are no bases.
func (v *page) dearness() []string {
	bases := v.bases()
	if len(bases) == 0 {
		return nil
	}
	t := v.Claims.costTable(bases[0])
	figure := func(c cost) string {
		return fmt.Sprintf("%+.2f (%s)", c.More.Value/t.scale.Per, v.Title(c.Contestant))
	}
	var parts []string
	for _, level := range t.levels {
		var costs []cost
		for _, name := range t.contestants {
			if c := t.at[[2]string{name, level}]; c.Absent == "" && c.More.N > 0 {
				costs = append(costs, c)
			}
		}
		slices.SortStableFunc(costs, func(a, b cost) int { return cmp.Compare(a.More.Value, b.More.Value) })
		switch n := len(costs); n {
		case 0:
		case 1:
			parts = append(parts, level+" "+figure(costs[0]))
		default:
			parts = append(parts, level+" "+figure(costs[0])+" to "+figure(costs[n-1]))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Beyond %s, in %s of CPU per request: %s.", bases[0], t.scale.Name,
		strings.Join(parts, "; "))}
}

// bases returns the levels that costs are compared with.
func (v *page) bases() (all []string) {
	for _, c := range v.Claims.Costs {
		if !slices.Contains(all, c.Base) {
			all = append(all, c.Base)
		}
	}
	return all
}

// costs returns the section about the levels' costs beyond their bases.
func (v *page) costs() document.Section {
	bases := v.bases()
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

// costsBeyond returns the table of costs beyond one base.
func (v *page) costsBeyond(base string) document.Table {
	costs := v.Claims.costTable(base)
	t := document.Table{Title: fmt.Sprintf("CPU per request beyond the level %s, %s", base, costs.scale.Name),
		Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: base, Number: true}}}
	for _, l := range costs.levels {
		t.Columns = append(t.Columns, document.Column{Head: l, Number: true})
	}
	for _, name := range costs.contestants {
		row := document.Row{Cells: []document.Cell{{Value: v.Title(name)}, costs.of(name)}}
		for _, l := range costs.levels {
			row.Cells = append(row.Cells, costs.more(name, l))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
