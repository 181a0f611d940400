package scenario

import (
	"io/fs"
	"reflect"
	"slices"
)

// SQL is what a database must have executed for each right answer, at least.
type SQL struct {
	Table   string `toml:"table"`
	Selects int64  `toml:"selects"` // statements on the table that begin with SELECT
	Rows    int64  `toml:"rows"`    // rows that these read
	Writes  int64  `toml:"writes"`  // rows that other statements on the table wrote
}

// Change changes rows that the pages of loaded requests show.
type Change struct {
	SQL  string `toml:"sql"`
	Undo string `toml:"undo"`
	File string `toml:"body_file"`
	Body string `toml:"-"` // the page after SQL
}

// Database is the service that SQL and Change are for.
const Database = "postgres"

// Executes returns what the answers to loaded requests demand of the database; nil: nothing.
func (s *Scenario) Executes() *SQL {
	for i := range s.Requests {
		if s.Requests[i].Weight > 0 {
			return s.Requests[i].Expect.SQL
		}
	}
	return nil
}

// Changed returns s as it is after its Change.
func (s *Scenario) Changed() *Scenario {
	return s.each(func(_ int, r *Request) {
		if r.Expect.Collapse && r.Weight > 0 {
			r.Expect.Body = &s.Change.Body
		}
	})
}

// checkDatabase reports a mistake in what s demands of the database, and reads the page after a change.
func (s *Scenario) checkDatabase(fsys fs.FS) error {
	known := slices.ContainsFunc(s.Services, func(d Service) bool { return d.Known() && d.Name == Database })
	for i := range s.Requests {
		r := &s.Requests[i]
		switch e := r.Expect.SQL; {
		case r.Weight > 0 && !reflect.DeepEqual(e, s.Executes()):
			return wrong("request", "all requests with a weight need the same sql, because executed statements are "+
				"counted for all of them together")
		case e != nil && !identifier().MatchString(e.Table):
			return wrong("request", "sql: %q is not a name of a table", e.Table)
		case e != nil && !known:
			return wrong("request", "sql: there is no [[service]] with the name %q, whose statements are counted", Database)
		}
	}
	if s.Change == nil {
		return nil
	}
	if !known || s.Change.SQL == "" || s.Change.Undo == "" {
		return wrong("change", "want sql, undo and body_file, and a [[service]] with the name %q", Database)
	}
	text, err := readText(fsys, s.Change.File)
	if err != nil {
		return wrong("change.body_file", "%w", err)
	}
	s.Change.Body = *text
	return nil
}
