package report

import (
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// LongLoads holds a classic run's loads, for a page that shows other figures beside them.
type LongLoads struct {
	Each, Started string
	Rows          []Row
	Loads         []LoadsOf        // of the contestants that have figures
	Excluded      []string         // contestants without figures, and why
	Growth        document.Section // section on memory growth
}

// LoadsOf are the loads on one server.
type LoadsOf struct {
	Contestant, Title string
	Loads             []*record.Trial
}

// LongLoadsOf returns a classic run's loads; file is the record's name.
func LongLoadsOf(d *Data, file string) *LongLoads {
	c := viewOf(d)
	l := &LongLoads{Each: strings.Join(append([]string{c.each()}, judge.LevelWords(c.run.Plan.First(), true)...),
		", "), Started: c.started(), Rows: c.rows,
		Growth: c.growthTable(file)}
	for _, r := range c.rows {
		if r.Excluded != "" {
			l.Excluded = append(l.Excluded, r.Title+": "+r.Excluded)
			continue
		}
		l.Loads = append(l.Loads, LoadsOf{Contestant: r.Name, Title: r.Title, Loads: c.loads(r.Name)})
	}
	return l
}
