// Package study reads studies, which are questions with published claims, makes a plan.Question of
// one, and evaluates the recorded trials of a run: its verdicts, its checks, the outcomes of the
// claims.
package study

import (
	"io/fs"
	"path"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/claim"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
)

// Folder is the folder of a project that holds its studies.
const Folder = "studies"

// Study is a question as defined in studies/<slug>/study.toml, with the figures of figures.csv.
type Study struct {
	Slug             string            `toml:"-"`
	Title            string            `toml:"title"`
	Question         string            `toml:"question"`
	Source           string            `toml:"source"`
	PublishedOn      map[string]string `toml:"published_on"`
	Scenario         string            `toml:"scenario"`
	Contestants      []string          `toml:"contestants"` // after Read those of all levels
	Primary          string            `toml:"primary"`
	Budget           string            `toml:"budget"`            // for measuring every level; the profile's where it is empty
	QuickBudget      string            `toml:"quick_budget"`      // with --quick
	QuickContestants []string          `toml:"quick_contestants"` // with --quick, all where it is empty
	Rounds           int               `toml:"rounds"`            // of an epoch of a paired comparison; those of the profile where it is 0
	QuickRounds      int               `toml:"quick_rounds"`      // with --quick
	ExtraEpochs      int               `toml:"extra_epochs"`      // in how many epochs a cell that no claim names is loaded; six where it is 0
	Heap             bool              `toml:"heap"`              // read heaps of Go and .NET around each window
	Epochs           int               `toml:"epochs"`            // valid ones of a paired comparison, at most; those of the profile where it is 0
	Fresh            bool              `toml:"fresh"`             // each level has processes of its own, loaded once with Requests
	Requests         int64             `toml:"requests"`          // of the article's own command: what a classic run makes, unless asked otherwise
	Duration         string            `toml:"duration"`          // the same, of those that run for a time
	Base             string            `toml:"base"`              // the level to which all others are differences in CPU per request
	Levels           []Level           `toml:"level"`
	Classics         []OwnRun          `toml:"classic"` // the article's own runs
	Claims           []claim.Claim     `toml:"claim"`   // withdrawn ones among them
	Charts           []Chart           `toml:"chart"`
	Variants         []Variant         `toml:"variant"`
	Notes            []string          `toml:"notes"`       // what differs from the article, and why
	Unavailable      map[string]string `toml:"unavailable"` // contestants of the article that are not available, and why
	Figures          []claim.Figure    `toml:"-"`

	everywhere []string // the contestants of levels that name none
}

// Level is one operating point of a study.
type Level struct {
	Name        string   `toml:"name"`         // made of its values where it is empty
	Given       string   `toml:"-"`            // the name as the file has it
	Quick       bool     `toml:"quick"`        // is among those of --quick
	Extra       bool     `toml:"extra"`        // loaded beside the others, once an epoch; no pair is decided there
	Scenario    string   `toml:"scenario"`     // the study's where it is empty
	Records     int      `toml:"records"`      // that the backend answers with
	HTTP        string   `toml:"protocol"`     // how the generator talks to them; HTTP/1.1 in the clear where it is empty
	Contestants []string `toml:"contestants"`  // the study's where it is empty; others may be among them
	Controls    *bool    `toml:"controls"`     // false: none rides along, where a load takes many seconds
	ExtraEpochs int      `toml:"extra_epochs"` // the study's where it is 0
	Continues   bool     `toml:"continues"`    // of a fresh study: loads the processes of the level before on
	Base        string   `toml:"base"`         // the level that its cost is beyond; the study's where it is empty
	Launch      struct {
		Delay string `toml:"delay"`
		Work  string `toml:"work"` // "cpu": the handlers hash
	} `toml:"launch"`
	Load struct {
		Connections   int `toml:"connections"`
		Pipeline      int `toml:"pipeline"`
		Streams       int `toml:"streams"` // of HTTP/2: what pipeline is of HTTP/1.1
		PerConnection int `toml:"per_connection"`
	} `toml:"load"`
	At result.Level `toml:"-"` // as a plan has it

	part int // of a fresh study: levels of one part have the same processes
}

// Slugs lists the studies of a project, sorted.
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

// Has reports whether the study or one of its levels has the scenario.
func (s *Study) Has(scenario string) bool {
	return s.Scenario == scenario || slices.ContainsFunc(s.Levels, func(l Level) bool { return l.Scenario == scenario })
}

// Evaluate returns everything that a run's trials show: which trials count, the results, and how
// far they can be trusted. Pairs are decided by one analysis; beside it each level has an analysis of its own, without
// verdicts.
func Evaluate(run *result.Run) *report.Data {
	p := &run.Plan
	if p.Processes == result.PerLoad {
		return loadsOf(run)
	}
	valid := plan.Valid(run)
	levels, first := byLevel(run, valid), 0
	d := &report.Data{Run: run, Parts: parts(run), Alone: alone(run), Valid: len(valid), Reached: analysis.Reached(levels)}
	discarded, all := plan.Discarded(run)
	d.Discarded = discarded
	e := &checks.Evidence{Run: run, Valid: valid, Discarded: discarded, All: all,
		Analysis: &analysis.Analysis{Primary: p.Primary, Margin: p.Margin}}
	switch {
	case p.SLO != nil:
		d.Found = capacities(run)
		first = len(p.Levels)
	case p.Ranks():
		first, e.Valid, d.Analysis = 1, levels[0], analyse(run, levels[0])
		mergeTails(d.Analysis, analysis.InQuiet(levels[0]))
	default:
		d.Analysis = analyse(run, valid)
	}
	if d.Analysis != nil {
		e.Analysis = d.Analysis
		if _, d.NoLong = plan.Long(run); d.NoLong == "" {
			d.NoLong = d.Analysis.NoLong
		}
	}
	d.Levels = levelsFrom(run, first, levels)
	for _, l := range d.Levels {
		if l.Compared {
			e.Levels = append(e.Levels, l.Trials)
		}
	}
	d.Findings = byContestant(run, checks.Make(e, checks.Once), worst(run, d.Levels, checks.OneOfMany),
		worst(run, d.Levels, checks.NotCompared))
	return d
}

// Analyse analyses the valid trials of a run that decides pairs: where the plan names a family,
// those of all levels; else those of the first level, at which all pairs are decided.
func Analyse(run *result.Run) *analysis.Analysis {
	valid := plan.Valid(run)
	if run.Plan.Ranks() {
		valid = byLevel(run, valid)[0]
	}
	return analyse(run, valid)
}

// analyse does the same with the valid trials of these levels.
func analyse(run *result.Run, valid []*result.Trial) *analysis.Analysis {
	p := &run.Plan
	long, _ := plan.Long(run)
	in := analysis.Input{
		Long: long, Trials: valid, Pilot: plan.Pilot(run), Contestants: p.Contestants, Controls: p.Controls, Ceiling: p.Ceiling,
		Failed: failed(run), Analyses: plan.Analyses(run), Primary: p.Primary, Alpha: p.Alpha, Margin: p.Margin,
		Fresh: p.Fresh(),
	}
	if !p.Ranks() {
		in.Family, in.At = p.Family, p.At
	} else {
		in.Pilot = byLevel(run, in.Pilot)[0]
	}
	return analysis.Analyse(in)
}

// AllDecided reports whether every pair of contestants is decided on the primary metric. A verdict
// that was withdrawn because of the generator's ceiling counts as decided, because more epochs
// would not change it.
func AllDecided(a *analysis.Analysis) bool {
	return !slices.ContainsFunc(a.Pairs, func(p analysis.Pair) bool {
		return p.Metric == a.Primary && p.Verdict == analysis.Inconclusive && p.Note == ""
	})
}
