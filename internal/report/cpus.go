package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/document"
)

// processors says which CPUs servers were given at levels with a number of CPUs, and how they
// learnt the number. It returns no fact for other runs.
func (v *View) processors() []document.Fact {
	given := map[int]string{}
	told := map[string]bool{}
	var own []string
	shared := map[int]bool{}
	for _, l := range v.run.Launches {
		if l.Processors == nil {
			continue
		}
		n := len(l.Processors.CPUs)
		given[n], shared[n] = document.Numbers(l.Processors.CPUs), l.Processors.Threads
		for variable, value := range l.Processors.Variables {
			told[variable] = true
			text := v.Title(l.Contestant) + " has " + variable + "=" + document.Clean(value)
			if value != strconv.Itoa(n) && !slices.Contains(own, text) {
				own = append(own, text)
			}
		}
	}
	if len(given) == 0 {
		return nil
	}
	var parts []string
	for _, n := range slices.Sorted(maps.Keys(given)) {
		text := fmt.Sprintf("%s (%s", document.Count(n, "CPU"), given[n])
		if shared[n] {
			text += "; two or more are threads of one core"
		}
		parts = append(parts, text+")")
	}
	value := "pinned to " + strings.Join(parts, ", ")
	if len(told) > 0 {
		value += "; the number is set in " + And(slices.Sorted(maps.Keys(told)))
	}
	if len(own) > 0 {
		value += ", but " + And(own) + " of its own"
	}
	return []document.Fact{{Name: "Servers", Value: value}}
}
