package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// servicesText names the services that the contestants call, where they ran, and the source's own
// capacity. It returns "" if they call none.
func (v *View) servicesText() string {
	var all []string
	for _, s := range v.run.Plan.Services {
		text := s.Name
		if c := v.run.Contestant(s.Name); c != nil && c.Framework != "" {
			text += " (" + strings.Join(NonEmpty(c.Framework, c.Version), " ") + ")"
		}
		if s.Each {
			text += ", one for each server"
		}
		if s.PerRun {
			text += ", the same throughout the run"
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return ""
	}
	h, text := &v.run.Host, And(all)
	switch {
	case h.Service != nil:
		text += fmt.Sprintf(" on %s (%s)", document.Clean(h.Service.Name), list(h.ServicesOn()))
		if !h.ServiceApart() {
			text += ", beside the generator there"
		}
	case h.ServiceCPUs != nil:
		text += " on CPUs of their own (" + list(h.ServiceCPUs) + ")"
	default:
		text += " on the generator's CPUs"
		if h.Pinned && len(h.GeneratorCPUs) > 0 {
			text += " (" + list(h.GeneratorCPUs) + ")"
		}
	}
	text += ", frozen with the contestant that calls " + map[bool]string{true: "it", false: "them"}[len(all) == 1]
	var rates []string
	for _, a := range v.Alone {
		rates = append(rates, fmt.Sprintf("%s (%s)", Rate(a.PerSec), judge.LevelName(a.At)))
	}
	switch {
	case v.run.Plan.Source() == "":
		return text
	case len(rates) == 0:
		return text + "; its own capacity is unknown: the pilots have no valid round"
	}
	return text + "; loaded directly by the generator, it serves " + And(rates) +
		", which is an upper bound for contestants that call it"
}

// ServiceAlone returns a table of the service's own throughput at each level, and the share of it
// that each contestant reaches there.
func (v *View) ServiceAlone() document.Section {
	out := document.Section{ID: "alone", Title: "The service alone", Folded: true}
	if len(v.Alone) == 0 {
		return out
	}
	t := document.Table{Columns: []document.Column{{Head: "level", Lead: true},
		{Head: "service alone", Unit: "requests per second", Number: true}},
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
		if at := v.run.Host.Service; at != nil {
			cpus = "those of " + document.Clean(at.Name)
		}
		out.Blocks = []document.Block{document.Paragraph{Text: document.Plain("First the ceiling: in the pilots, " +
			"before any load that counts, the generator loads the service itself. The service has the same CPUs " +
			"then as later, " + cpus + ", so no server that calls it for each request can serve more.")}, t}
	}
	return out
}
