package report

import (
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
			line += "; after its first tenth " + signed(g.PerMinute) + " a minute"
		}
		if !math.IsNaN(g.PerThousand) {
			line += ", " + signed(g.PerThousand) + " per 1,000 requests"
		}
		lines = append(lines, line+".")
	}
	return lines
}

// leastGrowth is the shortest load, in ns, that shows how memory grows.
const leastGrowth = 10e9

// Growth returns the section on memory under long loads for a study's page.
func (v *View) Growth() document.Section {
	out := document.Section{Title: "Growth of memory"}
	_, loads := v.growing()
	if slices.ContainsFunc(loads, func(t *record.Trial) bool { return t.Memory[len(t.Memory)-1].AtNS >= leastGrowth }) {
		out.Blocks = []document.Block{document.Items(v.growth()...)}
	}
	return out
}
