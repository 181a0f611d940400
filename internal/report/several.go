package report

import (
	"fmt"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// OneOfSeveral is one generator's line in the summary of a load that several made.
type OneOfSeveral struct {
	Name      string   `json:"name"`
	Started   int64    `json:"started"`             // number of started requests
	Succeeded int64    `json:"succeeded"`           // number of succeeded requests
	CPUShare  *float64 `json:"cpu_share,omitempty"` // event loops' CPU
	GapNS     int64    `json:"gap_ns,omitempty"`
	// BeganNS is the time from the common start to the beginning of its window, by the controller's
	// clock; the generator's clock is known to ± BoundNS.
	BeganNS int64 `json:"began_ns"`
	BoundNS int64 `json:"bound_ns"`

	Findings []judge.Finding `json:"-"` // about the generator itself, not the server
}

// As returns the line that s, one generator's own summary, adds to the summary of all.
func (s *Summary) As(name string) OneOfSeveral {
	g := OneOfSeveral{Name: name, Started: s.Load.Started, Succeeded: s.Load.Succeeded, GapNS: s.Load.GapNS}
	if u := s.Usage(); u.Known {
		g.CPUShare = pointer(share(u.CPU))
	}
	for _, f := range s.OneLoad.Findings() {
		if f.ID == judge.GeneratorShare || f.ID == judge.Pauses {
			f.Text = name + ": " + f.Text
			g.Findings = append(g.Findings, f)
		}
	}
	return g
}

// several returns a line per generator.
func (s *Summary) several() (lines []string) {
	for _, g := range s.Generators {
		text := fmt.Sprintf("%s: %s", g.Name, document.Count(g.Started, "request"))
		if g.CPUShare != nil {
			text += ", event loops busy for " + PerCent(*g.CPUShare)
		}
		lines = append(lines, text+fmt.Sprintf(", began at %+.3f ms ± %.3f ms", float64(g.BeganNS)/1e6,
			float64(g.BoundNS)/1e6))
	}
	return lines
}

// Add adds o's counts, from another generator, to s. Percentiles do not add up, and are dropped.
func (s *Second) Add(o Second) {
	*s = Second{StartNS: s.StartNS, LengthNS: s.LengthNS, Started: s.Started + o.Started,
		Succeeded: s.Succeeded + o.Succeeded, Failed: s.Failed + o.Failed, Errored: s.Errored + o.Errored,
		SentAgain: s.SentAgain + o.SentAgain, BytesRead: s.BytesRead + o.BytesRead, RunQueueNS: s.RunQueueNS + o.RunQueueNS}
}

// Findings returns the checks that the load did not pass, and those that one of its generators did not.
func (s *Summary) Findings() []judge.Finding {
	all := s.OneLoad.Findings()
	for _, g := range s.Generators {
		all = append(all, g.Findings...)
	}
	return all
}
