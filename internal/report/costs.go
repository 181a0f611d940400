package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"dyno/internal/analysis"
)

// Cost is what a level costs a contestant more than the base, ns of CPU per request.
type Cost struct {
	Contestant, Level string
	More              analysis.Estimate // the difference, paired within rounds
	Of                analysis.Estimate // what the base takes
	Absent            string            // why there is none
}

// costTable is one of costs: the rows by the level at which the most is paid, the least first.
type costTable struct {
	scale       Scale
	levels      []string
	contestants []string
	at          map[[2]string]Cost // by contestant and level
}

func (c *Claims) costTable() *costTable {
	t := &costTable{at: map[[2]string]Cost{}}
	dearest, most := "", math.Inf(-1)
	var values []float64
	for _, cost := range c.Costs {
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
	t.scale = ScaleOf("ns", values...)
	slices.SortStableFunc(t.contestants, func(a, b string) int {
		x, y := t.at[[2]string{a, dearest}], t.at[[2]string{b, dearest}]
		return cmp.Or(cmp.Compare(min(1, len(x.Absent)), min(1, len(y.Absent))), cmp.Compare(x.More.Value, y.More.Value))
	})
	return t
}

// more is a cost with its interval: "+1.23 (1.10 to 1.36)".
func (t *costTable) more(contestant, level string) string {
	c := t.at[[2]string{contestant, level}]
	if c.Absent != "" || c.More.N == 0 {
		return Missing
	}
	text := fmt.Sprintf("%+.2f", c.More.Value/t.scale.Per)
	if math.IsInf(c.More.Lo, 0) || math.IsInf(c.More.Hi, 0) {
		return text + " (interval open)"
	}
	return text + fmt.Sprintf(" (%.2f to %.2f)", c.More.Lo/t.scale.Per, c.More.Hi/t.scale.Per)
}

// of is what the base takes.
func (t *costTable) of(contestant string) string {
	for _, l := range t.levels {
		if c := t.at[[2]string{contestant, l}]; c.Of.N > 0 {
			return Sig3(c.Of.Value / t.scale.Per)
		}
	}
	return Missing
}

func (t *costTable) title(base string) string {
	return fmt.Sprintf("CPU per request beyond the level %s, %s", base, t.scale.Name)
}

// costsNote says what the differences are.
const costsNote = "Differences within rounds, the middle one of each epoch; the interval, at 95 %, is between epochs. Nothing is decided here."

// costs are the lines of the costs, in text.
func (t *text) costs() {
	c := t.Claims
	if len(c.Costs) == 0 {
		return
	}
	table := c.costTable()
	t.line("")
	t.line(t.paint(bold, Clean(table.title(c.Base))))
	lead := column{head: contestantHead, cells: table.contestants}
	cols := []column{{head: Clean(c.Base), right: true}}
	for _, name := range table.contestants {
		cols[0].cells = append(cols[0].cells, table.of(name))
	}
	for _, l := range table.levels {
		col := column{head: Clean(l), right: true}
		for _, name := range table.contestants {
			col.cells = append(col.cells, table.more(name, l))
		}
		cols = append(cols, col)
	}
	for _, part := range stack([]column{lead}, cols, t.width) {
		t.line(t.paint(dim, line(part, -1, nil)))
		for i := range table.contestants {
			t.line(line(part, i, nil))
		}
	}
	t.para("", "", costsNote, "", "")
}

// costMarkdown is the same in the page of a study.
func (c *Claims) costMarkdown(out io.Writer) {
	if len(c.Costs) == 0 {
		return
	}
	table := c.costTable()
	fmt.Fprintf(out, "## %s\n\n%s\n\n", escapeMarkdown(Clean(table.title(c.Base))), costsNote)
	fmt.Fprintf(out, "| contestant | %s | %s |\n| --- | --: |%s\n", escapeMarkdown(Clean(c.Base)), strings.Join(escaped(slices.Clone(table.levels)), " | "), strings.Repeat(" --: |", len(table.levels)))
	for _, name := range table.contestants {
		fields := []string{name, table.of(name)}
		for _, l := range table.levels {
			fields = append(fields, table.more(name, l))
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(escaped(fields), " | "))
	}
	fmt.Fprintln(out)
}

// costsJSON are the costs of claims in run.json.
func (c *Claims) costsJSON() []object {
	list := []object{}
	for _, x := range c.Costs {
		list = append(list, object{{"contestant", x.Contestant}, {"level", x.Level}, {"base", c.Base}, {"value_ns", finite(x.More, x.More.Value)}, {"lo_ns", finite(x.More, x.More.Lo)},
			{"hi_ns", finite(x.More, x.More.Hi)}, {"epochs", x.More.N}, {"absent", orNull(x.Absent)}})
	}
	return list
}
