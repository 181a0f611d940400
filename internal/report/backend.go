package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// backendText names the backend that the contestants call, where it ran, and its own capacity. It
// returns "" if they call none.
func (v *View) backendText() string {
	name := v.run.Plan.Backend
	if name == "" {
		return ""
	}
	text := name
	if c := v.run.Contestant(name); c != nil {
		text += " (" + strings.Join(NonEmpty(c.Framework, c.Version), " ") + ")"
	}
	h := &v.run.Host
	switch {
	case h.Backend != nil:
		text += fmt.Sprintf(" on %s (%s)", document.Clean(h.Backend.Name), list(h.Backend.ServerCPUs))
		if !h.BackendApart() {
			text += ", beside the generator there"
		}
	default:
		text += " on the generator's CPUs"
		if h.Pinned && len(h.GeneratorCPUs) > 0 {
			text += " (" + list(h.GeneratorCPUs) + ")"
		}
	}
	text += ", frozen with the contestant that calls it"
	var rates []string
	for _, a := range v.Alone {
		rates = append(rates, fmt.Sprintf("%s (%s)", Rate(a.PerSec), judge.LevelName(a.At)))
	}
	if len(rates) == 0 {
		return text + "; its own capacity is unknown: the pilots have no valid round"
	}
	return text + "; loaded directly by the generator, it serves " + And(rates) +
		", which is an upper bound for contestants that call it"
}

// BackendAlone returns a table of the backend's own throughput at each level, and the share of it
// that each contestant reaches there.
func (v *View) BackendAlone() document.Section {
	out := document.Section{ID: "alone", Title: "The backend alone", Folded: true}
	if len(v.Alone) == 0 {
		return out
	}
	t := document.Table{Columns: []document.Column{{Head: "level", Lead: true},
		{Head: "backend alone", Unit: "requests per second", Number: true}},
		After: "In brackets: the range of its loads. The other columns: the share of this ceiling that a server " +
			"reaches.\nAbove " + PerCent(judge.CeilingLimit) + ", marked, a rate is only a lower bound: the " +
			"server may do more."}
	rows := slices.DeleteFunc(slices.Clone(v.rows), func(r Row) bool { return r.Excluded != "" })
	for _, r := range rows {
		t.Columns = append(t.Columns, document.Column{Head: r.Title, Number: true})
	}
	for i := range v.levels {
		l := &v.levels[i]
		line := document.Row{Cells: []document.Cell{{Value: v.names[i]}, {Absent: "it was not loaded alone"}}}
		for _, a := range v.Alone {
			if a.Serves(l.At) {
				line.Cells[1] = document.Cell{Value: Sig3(a.PerSec),
					Side: "(" + Sig3(a.Least) + "–" + Sig3(a.Most) + ")"}
			}
		}
		for _, r := range rows {
			c := document.Cell{Absent: "it is not known"}
			if x, ok := l.Analysis.Shares[r.Name]; ok {
				c = document.Cell{Value: PerCent(x)}
				if x > judge.CeilingLimit {
					c.Style = document.Bad
				}
			}
			line.Cells = append(line.Cells, c)
		}
		t.Rows = append(t.Rows, line)
	}
	if len(t.Rows) > 0 {
		cpus := "those of the generator"
		if at := v.run.Host.Backend; at != nil {
			cpus = "those of " + document.Clean(at.Name)
		}
		out.Blocks = []document.Block{document.Paragraph{Text: document.Plain("First the ceiling: in the pilots, " +
			"before any load that counts, the generator loads the backend itself. The backend has the same CPUs " +
			"then as later, " + cpus + ", so no server that calls it for each request can serve more.")}, t}
	}
	return out
}
