package plan

import (
	"time"

	"dyno/internal/result"
)

// Lab is the profile for machines that have LabCPUs or more: one keeps house, and the generator beside the server has one to spare.
const (
	Lab     = "lab"
	LabCPUs = 4
	Tail    = "response_p99" // the primary metric that only the lab ranks
)

// LabMargin is the margin of a tie in the lab.
func LabMargin(p *result.Plan) float64 {
	if p.Primary == Tail {
		return 0.05
	}
	return 0.02
}

// WarmLab and WarmLabManaged are the least of the profile lab.
const (
	WarmLab        = 3 * time.Second
	WarmLabManaged = 15 * time.Second
)

// WarmLeast is for how long the plan warms a fresh process up at the least.
func WarmLeast(p *result.Plan, managed bool) time.Duration {
	switch {
	case p.Profile == Lab && managed:
		return WarmLabManaged
	case p.Profile == Lab:
		return WarmLab
	case managed:
		return WarmManaged
	}
	return WarmNative
}
