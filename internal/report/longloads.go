package report

import (
	"strings"

	"dyno/internal/document"
)

// LongLoads are the loads of a classic run, for a page that shows other figures beside them.
type LongLoads struct {
	Each, Started string
	Rows          []Row
	By            []LoadsBy        // those of rows that have figures
	Excluded      []string         // who has none, and why
	Differ        []string         // why the generators differ, by contestant
	Apart         []document.Block // what sets each generator apart; none where dyno made all loads
	Growth        document.Section // of memory
}

// LongLoadsOf returns the loads of a classic run whose record is in a file.
func LongLoadsOf(d *Data, file string) *LongLoads {
	c := viewOf(d)
	l := &LongLoads{Each: strings.Join(append([]string{c.each()}, levelText(c.run.Plan.First(), true)...), ", "), Started: c.started(), Rows: c.rows,
		Growth: c.growthTable(file)}
	tools := c.external()
	if tools != nil {
		l.By, l.Differ, l.Apart = tools.rows, tools.said(), tools.apart()
	}
	for _, r := range c.rows {
		switch {
		case r.Excluded != "":
			l.Excluded = append(l.Excluded, r.Title+": "+r.Excluded)
		case tools == nil:
			l.By = append(l.By, LoadsBy{Contestant: r.Name, Title: r.Title, Loads: c.loads(r.Name)})
		}
	}
	return l
}
