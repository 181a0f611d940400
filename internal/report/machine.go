package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/record"
)

// hosts describes the run's machine or, if there are several, each with its role.
func (v *View) hosts() (facts []document.Fact) {
	h := &v.run.Host
	switch {
	case len(h.Generators) > 0 && h.Name == "":
		facts = []document.Fact{{Name: "Servers", Value: "unknown: they were running already"}}
	case h.CPU == "" && h.CPUs == 0:
		return []document.Fact{{Name: "Machine", Value: "unknown: the record has no host"}}
	case len(h.Generators) == 0:
		one := *h
		text, all := v.unpinned()
		if all {
			one.ServerCPUs = nil // the division of the CPUs is not used
		}
		return []document.Fact{{Name: "Machine", Value: machine(&one, "") + text}}
	default:
		facts = []document.Fact{{Name: "Servers", Value: document.Clean(h.Name) + ": " + machine(h, "servers")}}
	}
	return append(facts, document.Fact{Name: "Generators", Value: generators(h)})
}

// unpinned says at how many levels nothing is pinned, with a leading semicolon; "" if there are none. all says
// that these are all levels.
func (v *View) unpinned() (text string, all bool) {
	levels := v.run.Plan.Levels
	n := len(slices.DeleteFunc(slices.Clone(levels), func(l record.Level) bool { return !l.AsPublished }))
	if n > 0 {
		text = fmt.Sprintf("; nothing is pinned at %d of %s", n, document.Count(len(levels), "level"))
	}
	return text, n > 0 && n == len(levels)
}

// generators describes the machines that loaded the servers. Equal machines share a description.
func generators(h *record.Host) string {
	var all []string
	names := map[string][]string{}
	for i := range h.Generators {
		what := machine(&h.Generators[i], "generator")
		if names[what] == nil {
			all = append(all, what)
		}
		names[what] = append(names[what], document.Clean(h.Generators[i].Name))
	}
	for i, what := range all {
		all[i] = And(names[what]) + ": " + what
	}
	return strings.Join(all, "; ")
}

// machine describes a host on one line, without its name. role says what runs there if there are
// several machines; "" if everything does.
func machine(h *record.Host, role string) string {
	cpus := document.Count(h.CPUs, "CPU")
	switch own := slices.Concat(h.ServerCPUs, h.GeneratorCPUs); {
	case role != "" && len(own) > 0:
		slices.Sort(own)
		cpus += fmt.Sprintf(" (%s on %s)", role, document.Numbers(slices.Compact(own)))
	case len(h.ServerCPUs) > 0:
		how := "not pinned"
		if h.Pinned {
			how = "pinned"
		}
		cpus += fmt.Sprintf(" (server on %s, generator on %s, %s)", document.Numbers(h.ServerCPUs),
			document.Numbers(h.GeneratorCPUs), how)
	}
	parts := []string{cmp.Or(h.CPU, "CPU unknown"), cpus}
	add := func(known bool, fact string) {
		if known {
			parts = append(parts, fact)
		}
	}
	add(h.MemoryBytes > 0, Bytes(float64(h.MemoryBytes)))
	add(true, strings.TrimSpace(h.OS+" "+h.Kernel))
	add(true, "governor "+cmp.Or(h.Governor, "unknown"))
	add(h.Hypervisor != "", "a virtual machine ("+h.Hypervisor+")")
	add(h.Quota != "", "CPU quota "+h.Quota)
	add(h.FileLimit > 0, "at most "+document.Whole(h.FileLimit)+" open files")
	return document.Clean(strings.Join(parts, ", "))
}

// where names a run's machines, if there were several: "on srv1, loaded by gen1 and gen2".
func where(h *record.Host) string {
	const named = 4
	var names []string
	for i := range h.Generators {
		names = append(names, h.Generators[i].Name)
	}
	by := And(names)
	switch n := len(names); {
	case n == 0:
		return ""
	case n > named:
		by = fmt.Sprintf("%d machines", n)
	}
	text := "loaded by " + by
	if h.Name != "" {
		text = "on " + h.Name + ", " + text
	}
	return document.Clean(text)
}

// unmeasured says what the machine cannot measure, and why; "" if no such limit was found.
func (v *View) unmeasured() string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(v.run.Host.Absent)) {
		parts = append(parts, fmt.Sprintf("%s (%s)", document.Clean(what), document.Clean(v.run.Host.Absent[what])))
	}
	return strings.Join(parts, ", ")
}

// Machines describes the run's machine beside the published one, by key.
func (v *View) Machines(published map[string]string) document.Section {
	h, p := &v.run.Host, &v.run.Plan
	var versions []string
	for _, r := range v.rows {
		if b := r.Built; b != nil && b.Version != "" {
			versions = append(versions, b.Name+" "+b.Version)
		}
	}
	ours := map[string]string{
		"cpu":    fmt.Sprintf("%s, %s", cmp.Or(strings.Join(v.cpus(), "; "), "unknown"), document.Count(h.CPUs, "CPU")),
		"memory": Bytes(float64(h.MemoryBytes)),
		"os":     strings.TrimSpace(h.OS + " " + h.Kernel), "power": "governor " + cmp.Or(h.Governor, "unknown"),
		"tool": "dyno " + p.Origin.Dyno, "versions": strings.Join(versions, ", "), "command": p.Origin.Command,
		"date": v.Started(),
	}
	if h.Hypervisor != "" {
		ours["machine"] = "a virtual machine (" + h.Hypervisor + ")"
	}
	t := document.Table{Columns: []document.Column{{Lead: true}, {Head: "here"}}}
	if len(published) > 0 {
		t.Columns = slices.Insert(t.Columns, 1, document.Column{Head: "published on"})
	}
	keys := []string{"date", "machine", "cpu", "memory", "os", "power", "tool", "versions", "command"}
	for _, k := range slices.Sorted(maps.Keys(published)) {
		keys = AddNew(keys, k)
	}
	for _, k := range keys {
		if theirs := published[k]; theirs+ours[k] != "" {
			row := document.Row{Cells: []document.Cell{{Value: k}, {Value: cmp.Or(ours[k], document.Missing)}}}
			if len(published) > 0 {
				row.Cells = slices.Insert(row.Cells, 1, document.Cell{Value: cmp.Or(theirs, document.Missing)})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	free, all := v.unpinned()
	place := fmt.Sprintf("Server on CPU %s, generator on CPU %s%s.", document.Numbers(h.ServerCPUs),
		document.Numbers(h.GeneratorCPUs), free)
	if all {
		place = "Servers and generator on all CPUs, not pinned."
	}
	if len(h.Generators) > 0 {
		place = "Servers " + where(h) + ". Generators: " + generators(h) + "."
	}
	text := fmt.Sprintf("%s %d valid epochs of %d rounds, %d of %d trials discarded. Equivalent: within %s; the "+
		"chance of any false difference is at most %s.", place,
		v.a.Epochs, p.Rounds, v.Discarded, v.Valid+v.Discarded, PerCent(v.margin()), PerCent(p.Alpha))
	if parts := v.parts(); parts != "" {
		text += " The run was " + parts + "."
	}
	if e := v.encryption(); e != "" {
		text += " Encryption: " + e + "."
	}
	return document.Section{Title: "The machines", Blocks: []document.Block{t,
		document.Paragraph{Text: document.Plain(text)}}}
}

// Here returns the run's machine and date, in short.
func (v *View) Here() string {
	h := &v.run.Host
	return "Here: " + strings.Join(NonEmpty(document.Clean(strings.Join(v.cpus(), "; ")),
		document.Count(h.CPUs, "CPU"), document.Clean(h.OS), where(h)), ", ") + "; " + v.Started() + "."
}
