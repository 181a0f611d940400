package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
)

// parts says which machine measured which epochs in a run that was resumed on another machine; ""
// if there was one machine.
func (v *View) parts() string {
	if len(v.Parts) < 2 {
		return ""
	}
	text, cpus := make([]string, len(v.Parts)), v.cpus()
	for i, p := range v.Parts {
		epochs := "no epoch"
		switch {
		case p.First == p.Last:
			epochs = fmt.Sprint(p.First)
		case p.First < p.Last:
			epochs = fmt.Sprintf("%d–%d", p.First, p.Last)
		}
		facts := []string{cmp.Or(p.Host.Kernel, "kernel unknown"), Bytes(float64(p.Host.MemoryBytes))}
		if len(cpus) > 1 {
			facts = slices.Insert(facts, 0, p.Host.CPU)
		}
		if p.Dyno != v.Parts[0].Dyno {
			facts = append(facts, "dyno "+p.Dyno+", whose reference servers may differ")
		}
		text[i] = fmt.Sprintf("%s (%s)", epochs, document.Clean(strings.Join(facts, ", ")))
	}
	kind := "of the same kind"
	if len(cpus) > 1 {
		kind = "with different CPUs"
	}
	return fmt.Sprintf("measured on %d machines %s, or after that many starts of one: valid epochs %s; no epoch spans two",
		len(v.Parts), kind, strings.Join(text, ", "))
}

// cpus names the CPU models on which a run was measured; none if they are not known.
func (v *View) cpus() (all []string) {
	if len(v.Parts) == 0 {
		return NonEmpty(v.run.Host.CPU)
	}
	for _, p := range v.Parts {
		if p.First <= p.Last && !slices.Contains(all, p.Host.CPU) {
			all = append(all, p.Host.CPU)
		}
	}
	return all
}

// ofCPUs says that ratios come from several CPU models; "" if they come from one.
func (v *View) ofCPUs() string {
	cpus := v.cpus()
	if len(cpus) < 2 {
		return ""
	}
	return "figures are means over epochs on different CPUs (" + document.Clean(strings.Join(cpus, "; ")) + ")"
}
