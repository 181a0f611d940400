package report

import (
	"dyno/internal/document"
	"fmt"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// timeText formats a latency.
func timeText(f judge.Figure) string {
	switch {
	case !f.Known:
		return "-"
	case f.AtLeast:
		return ">= " + document.Duration(f.NS)
	case f.NS < record.LowestTime: // the histogram cannot tell such times apart
		return fmt.Sprintf("< %d µs", record.LowestTime/1000)
	}
	return document.Duration(f.NS)
}

// objectiveText says whether a load kept an objective.
func objectiveText(v *judge.ObjectiveResult) string {
	value := v.Why
	switch {
	case v.Share != nil && *v.Share == 0:
		value = "none"
	case v.Share != nil:
		value = document.Sig3(100**v.Share) + " %"
	case v.Kept != nil:
		value = document.Duration(*v.ValueNS)
	}
	switch {
	case v.Kept == nil:
		return v.Objective + ": cannot tell (" + value + ")"
	case *v.Kept:
		return v.Objective + ": kept (" + value + ")"
	}
	return v.Objective + ": MISSED (" + value + ")"
}
