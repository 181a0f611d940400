package judge

import (
	"fmt"
	"slices"

	"dyno/internal/document"
	"dyno/internal/record"
)

// attached reports whether a contestant was running before the run, which then neither freezes nor
// restarts it.
func attached(run *record.Run, name string) bool {
	c := run.Contestant(name)
	return c != nil && c.URL != ""
}

func anyAttached(run *record.Run) bool {
	return slices.ContainsFunc(run.Contestants, func(c record.Contestant) bool { return c.URL != "" })
}

// otherSides checks how busy never-frozen contestants were while another one was loaded. A run that
// freezes every contestant has no such finding.
func otherSides(c *Check, e *Evidence) []Finding {
	if !anyAttached(e.Run) {
		return nil
	}
	x := sharesOf(e.watched()).sides
	return []Finding{{State: c.Limits[0].Grade(x),
		Text: fmt.Sprintf("while one server was loaded, the others, which are not frozen, used %s of the "+
			"server's CPUs", document.Percent(x))}}
}

// unknownBackground says why background CPU is unknown in some trial; "" if it is known.
func unknownBackground(e *Evidence) string {
	for i := range e.watched() {
		if t := e.watched()[i]; t.Causes.BackgroundUnknown {
			return fmt.Sprintf(
				"while %s was loaded, its own CPU use cannot be separated from that of other programs: %s",
				t.Contestant, unread(e.Run, t.Contestant))
		}
	}
	return ""
}

// unread says why dyno cannot read a contestant's CPU time.
func unread(run *record.Run, name string) string {
	for _, l := range run.Launches {
		if why := l.Absent["cpu"]; l.Contestant == name && why != "" {
			return why
		}
	}
	return "its CPU time cannot be read"
}
