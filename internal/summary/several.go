package summary

import (
	"fmt"

	"dyno/internal/document"
	"dyno/internal/report"
)

// OneOfSeveral is what one of several generators adds to the summary of a load.
type OneOfSeveral struct {
	Name      string   `json:"name"`
	Started   int64    `json:"started"`             // requests
	Succeeded int64    `json:"succeeded"`           // likewise
	CPUShare  *float64 `json:"cpu_share,omitempty"` // of its event loops' time
	GapNS     int64    `json:"gap_ns,omitempty"`
	// BeganNS is when its window began, from the time at which all were to begin, by the controller's
	// clock; that of the generator is known to ± BoundNS.
	BeganNS int64 `json:"began_ns"`
	BoundNS int64 `json:"bound_ns"`

	Warnings []Warning `json:"-"` // of the generator itself, not of the server
}

// As returns what s, of one generator of that name alone, adds to the summary of all.
func (s *Summary) As(name string) OneOfSeveral {
	g := OneOfSeveral{Name: name, Started: s.Load.Started, Succeeded: s.Load.Succeeded, GapNS: s.Load.GapNS}
	if u := s.usage(); u.known {
		g.CPUShare = pointer(share(u.cpu))
	}
	for _, w := range s.Warnings() {
		if w.ID == Generator || w.ID == Paused {
			g.Warnings = append(g.Warnings, Warning{w.ID, name + ": " + w.Text})
		}
	}
	return g
}

// several returns a line for each of several generators.
func (s *Summary) several() (lines []string) {
	for _, g := range s.Generators {
		text := fmt.Sprintf("%s: %s", g.Name, document.Count(g.Started, "request"))
		if g.CPUShare != nil {
			text += ", event loops busy for " + report.PerCent(*g.CPUShare)
		}
		lines = append(lines, text+fmt.Sprintf(", began at %+.3f ms ± %.3f ms", float64(g.BeganNS)/1e6,
			float64(g.BoundNS)/1e6))
	}
	return lines
}

// Add adds the counts of o, of another generator, to s. Percentiles do not add up, and are left out.
func (s *Second) Add(o Second) {
	*s = Second{StartNS: s.StartNS, LengthNS: s.LengthNS, Started: s.Started + o.Started,
		Succeeded: s.Succeeded + o.Succeeded, Failed: s.Failed + o.Failed, Errored: s.Errored + o.Errored,
		SentAgain: s.SentAgain + o.SentAgain, BytesRead: s.BytesRead + o.BytesRead, RunQueueNS: s.RunQueueNS + o.RunQueueNS}
}
