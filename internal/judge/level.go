package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// Title returns the level's name, or its values if it has no name.
func (l *Level) Title() string {
	if l.Name != "" {
		return document.Clean(l.Name)
	}
	return LevelName(l.At)
}

// LevelName returns a level's values, those for the start of servers first: "5 ms, c=100".
func LevelName(l record.Level) string { return strings.Join(LevelWords(l, false), ", ") }

// LevelWords describes a level: short, "5 ms" and "c=100", or in words, "delay 5 ms" and "100
// connections". Words omit the scenario and the rate, which the sentence states elsewhere.
func LevelWords(l record.Level, words bool) (parts []string) {
	add := func(known bool, name, word string) {
		if words {
			name = word
		}
		if known && name != "" {
			parts = append(parts, name)
		}
	}
	connections, streams := document.Count(l.Connections, "connection"), document.Count(l.Pipeline, "stream")
	if l.HTTP != wire.Clear {
		connections += " of " + l.HTTP.Words()
	}
	work := document.Clean(l.Work)
	if l.Work == record.CPUBound {
		work = "CPU-bound"
	}
	add(true, document.Clean(l.Scenario), "")
	add(l.HTTP != wire.Clear, l.HTTP.Words(), "")
	add(l.Records > 0, document.Count(l.Records, "record"), "")
	add(l.DelayNS > 0, document.Given(l.DelayNS), "delay "+document.Given(l.DelayNS))
	add(true, work, work)
	add(l.CPUs > 0, document.Count(l.CPUs, "CPU"), "servers on "+document.Count(l.CPUs, "CPU"))
	add(l.AsPublished, "shared CPUs", "servers and load generator on all CPUs")
	add(l.Connections > 0 || !words, fmt.Sprintf("c=%d", l.Connections), connections)
	add(l.Pipeline > 1 && l.HTTP.Two(), streams, streams+" on each")
	add(l.Pipeline > 1 && !l.HTTP.Two(), fmt.Sprintf("p=%d", l.Pipeline), fmt.Sprintf("%d requests in flight on "+
		"each", l.Pipeline))
	add(l.PerConnection > 0, fmt.Sprintf("%d per connection", l.PerConnection), "")
	add(l.Step > 0, fmt.Sprintf("load %d", l.Step+1), "")
	add(l.Open(), document.Grouped(l.RatePerSec, 0)+"/s", "")
	return parts
}

// OnOneCPU begins OnCPUs where servers have one CPU.
const OnOneCPU = " on one CPU"

// OnCPUs says on how many CPUs servers run at a level, with a leading space: " on one CPU"; "" if they are not pinned,
// and the level is not as published.
func OnCPUs(run *record.Run, level int) string {
	if level < 0 || level >= len(run.Plan.Levels) {
		return ""
	}
	h, shared := &run.Host, ""
	n, all := len(h.ServerCPUs), cmp.Or(len(slices.Concat(h.Cores...)), h.CPUs)
	switch at := run.Plan.Levels[level]; {
	case at.AsPublished:
		n, shared = all, " shared with the load generator"
	case at.CPUs > 0:
		n = at.CPUs
	case !h.Pinned && all != 1 || anyAttached(run):
		return ""
	}
	if n == 1 {
		return OnOneCPU + shared
	}
	return " on " + document.Count(n, "CPU") + shared
}
