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
		if c := v.run.Contestant(s.Name); c != nil {
			if about := NonEmpty(c.Framework, known(c.Version)); len(about) > 0 {
				text += " (" + strings.Join(about, " ") + ")"
			}
			if c.URL != "" {
				text += ", which already ran at " + c.URL
			}
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
	case len(h.ServiceCPUs) > 0:
		text += " on CPUs of their own (" + list(h.ServiceCPUs) + ")"
	case h.Service != nil:
		text += fmt.Sprintf(" on %s (%s)", document.Clean(h.Service.Name), list(h.Service.ServerCPUs))
		if !h.ServiceApart() {
			text += ", beside the generator there"
		}
	default:
		text += " on the generator's CPUs"
		if h.Pinned && len(h.GeneratorCPUs) > 0 {
			text += " (" + list(h.GeneratorCPUs) + ")"
		}
	}
	them := "it"
	if len(all) > 1 {
		them = "them"
	}
	text += ", frozen with the contestant that calls " + them
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

// known returns a version; "" if it is not known.
func known(version string) string {
	if version == "unknown" {
		return ""
	}
	return version
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

// Services returns a table of what each service did for each server.
func (v *View) Services() document.Section {
	out := document.Section{ID: "services", Title: "Services", Folded: true}
	t := document.Table{Columns: []document.Column{{Head: "server", Lead: true}, {Head: "service"},
		{Head: "CPU", Unit: "µs per response", Number: true}, {Head: "share of its CPUs", Number: true},
		{Head: "its CPUs bear", Unit: "responses per second", Number: true}, {Head: "memory", Unit: "MiB", Number: true}},
		After: "CPU: of the service, per right response of the server. Its CPUs bear: a bound by arithmetic, these CPUs " +
			"over CPU per response, as if nothing else used them."}
	trials := judge.ByLevel(v.run, v.Trials)
	for i := range v.levels {
		for _, c := range judge.CalledIn(v.run, trials[i]) {
			server := v.Title(c.Contestant)
			if len(v.levels) > 1 {
				server += ", " + v.names[i]
			}
			memory := document.Cell{Absent: "it is not known"}
			if c.Memory > 0 {
				memory = document.Cell{Value: Sig3(c.Memory / (1 << 20))}
			}
			t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{{Value: server}, {Value: c.Service},
				{Value: Sig3(c.CPU / 1e3)}, {Value: PerCent(c.Share)}, {Value: Sig3(c.Bears)}, memory}})
		}
	}
	if len(t.Rows) > 0 {
		out.Blocks = []document.Block{t}
	}
	return out
}
