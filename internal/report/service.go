package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// servicesText names the services that the contestants call, where they ran, and the source's own
// capacity. It returns "" if they call none.
func (v *View) servicesText() string {
	var all, running []string
	for _, s := range v.run.Plan.Services {
		text, c := s.Name, v.run.Contestant(s.Name)
		if c != nil && c.URL != "" {
			running = append(running, text+" ("+document.Clean(c.URL)+")")
			continue
		}
		if c != nil && c.Framework != "" {
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
	attached := ""
	if len(running) > 0 {
		attached = And(running) + " ran before the run, which neither stops nor freezes " + it(len(running))
	}
	if len(all) == 0 {
		return attached
	}
	h, text := &v.run.Host, And(all)
	switch {
	case h.ServiceCPUs != nil:
		text += " on CPUs of their own (" + document.Numbers(h.ServiceCPUs) + ")"
	default:
		text += " on the generator's CPUs"
		if h.Pinned && len(h.GeneratorCPUs) > 0 {
			text += " (" + document.Numbers(h.GeneratorCPUs) + ")"
		}
	}
	text += ", frozen with the contestant that calls " + it(len(all))
	if attached != "" {
		text += "; " + attached
	}
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

// it returns the pronoun for n things.
func it(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// sharedCPUs says whether services that dyno started ran on the load generator's CPUs; "" if none did.
func (v *View) sharedCPUs() string {
	var names []string
	for _, s := range v.run.Plan.Services {
		if c := v.run.Contestant(s.Name); c != nil && c.URL == "" {
			names = append(names, s.Name)
		}
	}
	known := func(t *record.Trial) bool { return t.ServiceCPU() != nil }
	if len(names) == 0 || v.run.Host.ServiceApart() || !slices.ContainsFunc(v.run.Trials, known) {
		return ""
	}
	return And(names) + " and the load generator shared CPUs: what both used of them is checked together"
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
				line.Cells[1] = document.Cell{Value: document.Sig3(a.PerSec),
					Side: "(" + document.Sig3(a.Least) + "–" + document.Sig3(a.Most) + ")"}
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
		if v.run.Host.ServiceApart() {
			cpus = "its own"
		}
		out.Blocks = []document.Block{document.Paragraph{Text: document.Plain("First the ceiling: in the pilots, " +
			"before any load that counts, the generator loads the service itself. The service has the same CPUs " +
			"then as later, " + cpus + ", so no server that calls it for each request can serve more.")}, t}
	}
	return out
}

// Limits says which servers were the limit at a ranking's level, and where something else was; "" without services.
func (v *View) Limits() string {
	by := map[string][]string{}
	for _, r := range v.rows {
		if r.Excluded == "" {
			by[v.limit(r.Name)] = append(by[v.limit(r.Name)], r.Title)
		}
	}
	var parts []string
	for _, limit := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, limit+" with "+And(by[limit]))
	}
	if !v.ranks || len(parts) == 0 || len(v.run.Plan.Services) == 0 {
		return ""
	}
	return fmt.Sprintf("Limit: %s. The server is one if it used %s of its CPUs' time; services and load generator are "+
		"if they used %s of theirs, which they may share.", strings.Join(parts, "; "), PerCent(judge.Saturated), PerCent(judge.Roomy))
}

// limit names what used nearly all of its CPUs' time while a server was loaded at a ranking's level.
func (v *View) limit(name string) string {
	state := func(id string) judge.State {
		for _, f := range v.Findings {
			if f.ID == id && f.Contestant == name {
				return f.State
			}
		}
		return judge.CannotTell
	}
	share := v.cell(name, "server_cpu_share")
	service, generator := state(judge.ServiceRoom), state(judge.GeneratorShare)
	var full []string
	if share.Level.N > 0 && share.Level.Value >= judge.Saturated {
		full = append(full, "the server")
	}
	switch {
	case service >= judge.Warn:
		full = append(full, "a service")
		if all := v.run.Plan.Services; len(all) == 1 {
			full[len(full)-1] = all[0].Name
		}
	case generator >= judge.Warn:
		full = append(full, "the load generator")
	}
	switch {
	case len(full) > 0:
		return And(full)
	case share.Level.N == 0 || service == judge.CannotTell || generator == judge.CannotTell,
		judge.Summary(v.Findings)[judge.MachineQuiet].State >= judge.Warn: // others may have used the rest
		return "cannot tell"
	}
	return "no CPU"
}
