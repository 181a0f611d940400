// Package study reads studies, which are questions with published claims, makes a plan.Question
// from a study, and judges the claims by a run's results.
package study

import (
	"io/fs"
	"path"
	"slices"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// Folder is the folder in a project that holds its studies.
const Folder = "studies"

// Study is a question as defined in studies/<slug>/study.toml, with the figures in figures.csv.
type Study struct {
	Slug        string            `toml:"-"`
	Title       string            `toml:"title"`
	Question    string            `toml:"question"`
	Source      string            `toml:"source"`
	PublishedOn map[string]string `toml:"published_on"`
	Scenario    string            `toml:"scenario"`
	Contestants []string          `toml:"contestants"` // after Read those at all levels
	Primary     string            `toml:"primary"`
	// budget for measuring every level; the profile's if empty
	Budget           string   `toml:"budget"`
	QuickBudget      string   `toml:"quick_budget"`      // budget with --quick
	QuickContestants []string `toml:"quick_contestants"` // contestants with --quick; all if empty
	// rounds per epoch in a paired comparison; 0: the profile's
	Rounds      int `toml:"rounds"`
	QuickRounds int `toml:"quick_rounds"` // rounds with --quick
	// number of epochs that load a cell outside all claims; 0: six
	ExtraEpochs int  `toml:"extra_epochs"`
	Heap        bool `toml:"heap"`   // read Go and .NET heaps around each window
	Epochs      int  `toml:"epochs"` // most valid epochs in a comparison; 0: the profile's
	Fresh       bool `toml:"fresh"`  // each level has its own processes, loaded once
	// number in the article's own command, and the default for a classic run
	Requests    int64             `toml:"requests"`
	Duration    string            `toml:"duration"` // time in place of requests, for articles that load for a time
	Base        string            `toml:"base"`     // the level to compare the others' CPU per request with
	Levels      []Level           `toml:"level"`
	Classics    []OwnRun          `toml:"classic"`     // the article's own runs
	Claims      []Claim           `toml:"claim"`       // including withdrawn ones
	Notes       []string          `toml:"notes"`       // differences from the article, and why
	Unavailable map[string]string `toml:"unavailable"` // the article's contestants that are not available, and why
	Services    []any             `toml:"service"`     // read by those who start them
	Figures     []Figure          `toml:"-"`

	everywhere []string // contestants at levels that do not list any
}

// Level is one operating point in a study.
type Level struct {
	Name     string `toml:"name"`     // made from its values if empty
	Given    string `toml:"-"`        // the name in the file
	Quick    bool   `toml:"quick"`    // loaded with --quick
	Extra    bool   `toml:"extra"`    // loaded beside the others, once an epoch; no pair is decided there
	Scenario string `toml:"scenario"` // the study's if empty
	Records  int    `toml:"records"`  // number of records in each service answer
	// protocol between generator and contestants; HTTP/1.1 in the clear if empty
	HTTP        string   `toml:"protocol"`
	Contestants []string `toml:"contestants"`  // the study's if empty; may name others
	Controls    *bool    `toml:"controls"`     // false: no controls, if a load takes many seconds
	ExtraEpochs int      `toml:"extra_epochs"` // the study's if 0
	Continues   bool     `toml:"continues"`    // in a fresh study: loads the previous level's processes further
	Base        string   `toml:"base"`         // the level that its cost is compared with; the study's if empty
	Launch      struct {
		Delay string `toml:"delay"`
		Work  string `toml:"work"` // "cpu": the handlers hash
		// "as-published": nothing is pinned; empty or "apart": servers have CPUs of their own
		Placement string `toml:"placement"`
	} `toml:"launch"`
	Load struct {
		Connections   int `toml:"connections"`
		Pipeline      int `toml:"pipeline"`
		Streams       int `toml:"streams"` // HTTP/2 in place of pipeline
		PerConnection int `toml:"per_connection"`
	} `toml:"load"`
	At record.Level `toml:"-"` // the level in the plan

	part int // part in a fresh study: levels with one part share processes
}

// Slugs lists a project's studies, sorted.
func Slugs(fsys fs.FS) ([]string, error) {
	files, err := fs.Glob(fsys, Folder+"/*/study.toml")
	if err != nil {
		return nil, err
	}
	slugs := make([]string, len(files))
	for i, f := range files {
		slugs[i] = path.Base(path.Dir(f))
	}
	slices.Sort(slugs)
	return slugs, nil
}

// Evaluate returns everything that a run's trials show, for a report.
func Evaluate(run *record.Run) *report.Data {
	return &report.Data{Results: *judge.Judge(run, plan.Count(run))}
}

// Analyse analyses the valid trials of a run that decides pairs.
func Analyse(run *record.Run) *judge.Analysis { return judge.AnalyseRun(run, plan.Count(run)) }
