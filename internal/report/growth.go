package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// leastReadings is the smallest number of readings for a line: the start, the end, and one in
// between.
const leastReadings = 3

// growing returns the rows whose memory was read under load, with their last load.
func (v *View) growing() (rows []Row, loads []*record.Trial) {
	for _, r := range v.rows {
		all := v.loads(r.Name)
		if r.Excluded == "" && len(all) > 0 && len(all[len(all)-1].Memory) >= leastReadings {
			rows, loads = append(rows, r), append(loads, all[len(all)-1])
		}
	}
	return rows, loads
}

// signed formats a number of bytes that was added or given back: "+12.3 MiB".
func signed(b float64) string {
	switch {
	case math.IsNaN(b):
		return Missing
	case b >= 0:
		return "+" + Bytes(b)
	}
	return Bytes(b) // with its minus
}

// growth describes the memory under each load in words.
func (v *View) growth() (lines []string) {
	rows, loads := v.growing()
	for i, r := range rows {
		g := judge.GrowthOf(loads[i])
		line := fmt.Sprintf("Memory of %s under load: %s at the start, %s after %s s, at most %s", r.Title, Bytes(g.Start),
			Bytes(g.End), Sig3(float64(g.NS)/1e9), Bytes(g.Most))
		if !math.IsNaN(g.PerMinute) {
			line += "; once settled " + signed(g.PerMinute) + " a minute"
		}
		if !math.IsNaN(g.PerThousand) {
			line += ", " + signed(g.PerThousand) + " per 1,000 requests"
		}
		lines = append(lines, line+".")
	}
	return lines
}

// growthPoints is the number of points in time in the table of memory growth, including both ends.
const growthPoints = 7

// leastGrowth is the shortest load, in ns, that shows how memory grows.
const leastGrowth = 10e9

// growthTable returns the section on memory under long loads for a study's page.
func (v *View) growthTable(file string) document.Section {
	out := document.Section{Title: "Growth of memory"}
	rows, loads := v.growing()
	if len(rows) == 0 {
		return out
	}
	until := int64(0)
	for i := range loads {
		until = max(until, loads[i].Memory[len(loads[i].Memory)-1].AtNS)
	}
	if until < leastGrowth {
		return out
	}
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}}}
	for k := range growthPoints {
		t.Columns = append(t.Columns, document.Column{Head: Sig3(float64(until)/1e9*float64(k)/(growthPoints-1)) + " s",
			Number: true})
	}
	grown := make([]judge.Growth, len(loads))
	paced := false
	for i := range loads {
		grown[i] = judge.GrowthOf(loads[i])
		paced = paced || !math.IsNaN(grown[i].PerMinute)
	}
	heads, note := []string{"requests"}, ""
	if paced {
		heads = append([]string{"a minute", "per 1,000 requests"}, heads...)
		note = " Growth counts from the first reading after a tenth of the load."
	}
	for _, head := range heads {
		t.Columns = append(t.Columns, document.Column{Head: head, Number: true})
	}
	for i, r := range rows {
		row := v.TableRow(r)
		for k := range growthPoints {
			row.Cells = append(row.Cells, document.Cell{Value: memoryAt(loads[i].Memory,
				until*int64(k)/(growthPoints-1))})
		}
		if paced {
			row.Cells = append(row.Cells, document.Cell{Value: signed(grown[i].PerMinute)},
				document.Cell{Value: signed(grown[i].PerThousand)})
		}
		row.Cells = append(row.Cells, document.Cell{Value: document.Whole(loads[i].Load.Succeeded)})
		t.Rows = append(t.Rows, row)
	}
	out.Blocks = []document.Block{document.Paragraph{Text: document.Prose{{Text: "One long load of each, one after " +
		"another, " + v.started() + ": " + v.run.Plan.Origin.Command +
		". Columns: " + v.memoryWords() + " after this number of seconds of the load; "}, {Text: "the record", Link: file},
		{Text: " has a reading every two seconds." + note}}}, t}
	return out
}

// memoryAt returns the reading nearest to a time, or Missing if the load was over by then.
func memoryAt(m []record.MemoryAt, ns int64) string {
	if last := m[len(m)-1].AtNS; ns-last > last/growthPoints {
		return Missing
	}
	nearest := slices.MinFunc(m, func(a, b record.MemoryAt) int {
		return cmp.Compare(max(a.AtNS-ns, ns-a.AtNS), max(b.AtNS-ns, ns-b.AtNS))
	})
	return Bytes(nearest.Bytes())
}
