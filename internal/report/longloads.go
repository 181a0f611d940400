package report

import (
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// LongLoads holds a classic run's loads, for a page that shows other figures beside them.
type LongLoads struct {
	Each, Started string
	Rows          []Row
	By            []LoadsBy        // loads on contestants that have figures
	Excluded      []string         // contestants without figures, and why
	Differ        []string         // why the generators' figures differ, by contestant
	Apart         []document.Block // what distinguishes each generator; none if dyno made all loads
	Growth        document.Section // section on memory growth
}

// LongLoadsOf returns a classic run's loads; file is the record's name.
func LongLoadsOf(d *Data, file string) *LongLoads {
	c := viewOf(d)
	l := &LongLoads{Each: strings.Join(append([]string{c.each()}, judge.LevelWords(c.run.Plan.First(), true)...),
		", "), Started: c.started(), Rows: c.rows,
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
