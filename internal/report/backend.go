package report

import (
	"fmt"
	"strings"

	"dyno/internal/result"
)

// Alone is the backend's throughput in the pilots, when the generator loaded it directly. It is an
// upper bound for contestants that call it.
type Alone struct {
	At     result.Level // what was asked of it, and how; without a scenario
	PerSec float64
}

// backendText names the backend that the contestants call, where it ran, and its own capacity. It
// is "" if they call none.
func (v *view) backendText() string {
	name := v.run.Plan.Backend
	if name == "" {
		return ""
	}
	text := name
	if c := v.run.Contestant(name); c != nil {
		text += " (" + strings.Join(nonEmpty(c.Framework, c.Version), " ") + ")"
	}
	text += " on the generator's CPUs"
	if cpus := v.run.Host.GeneratorCPUs; v.run.Host.Pinned && len(cpus) > 0 {
		text += " (" + list(cpus) + ")"
	}
	text += ", frozen with the contestant that calls it"
	var rates []string
	for _, a := range v.Alone {
		rates = append(rates, fmt.Sprintf("%s (%s)", Rate(a.PerSec), levelName(a.At)))
	}
	if len(rates) == 0 {
		return text + "; its own capacity is unknown: the pilots have no valid round"
	}
	return text + "; loaded directly by the generator, it serves " + and(rates) +
		", which is an upper bound for contestants that call it"
}
