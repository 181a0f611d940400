// Package study is a question, its plan and its trials: it reads what people ask, and says what the recorded trials answer.
package study

import (
	"io/fs"
	"path"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/conf"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
	"dyno/internal/validity"
)

// Folder is where studies lie within a project.
const Folder = "studies"

// Study is a question as it stands in studies/<slug>/study.toml.
type Study struct {
	Slug        string            `toml:"-"`
	Title       string            `toml:"title"`
	Question    string            `toml:"question"`
	Source      string            `toml:"source"`
	PublishedOn map[string]string `toml:"published_on"`
	Scenario    string            `toml:"scenario"`
	Contestants []string          `toml:"contestants"`
	Primary     string            `toml:"primary"`
	Levels      []Level           `toml:"level"`
}

// Level is one operating point of a study.
type Level struct {
	Launch struct {
		Delay string `toml:"delay"`
	} `toml:"launch"`
	Load struct {
		Connections int `toml:"connections"`
		Pipeline    int `toml:"pipeline"`
	} `toml:"load"`
}

// Read reads the study of that slug. Errors carry file:line:column.
func Read(fsys fs.FS, slug string) (*Study, error) {
	s := &Study{Slug: slug}
	file, err := conf.Read(fsys, path.Join(Folder, slug, "study.toml"), s)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Title == "":
		return nil, file.Errorf("title", "a study needs a title")
	case s.Scenario == "":
		return nil, file.Errorf("scenario", "a study needs a scenario")
	case len(s.Contestants) == 0:
		return nil, file.Errorf("contestants", "a study needs contestants")
	case len(s.Levels) != 1:
		return nil, file.Errorf("level", "%d levels; this version runs studies of one", len(s.Levels))
	}
	if s.Primary == "" {
		s.Primary = "throughput"
	}
	if _, ok := analysis.MetricNamed(s.Primary); !ok {
		return nil, file.Errorf("primary", "no metric %q; there are throughput, cpu_per_request, p50, memory", s.Primary)
	}
	return s, nil
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

// Judge says all that a run's trials say: what counts, what it means, and whether it can mean that.
func Judge(run *result.Run) *report.Data {
	switch run.Plan.Protocol {
	case plan.Sweep:
		return judgeSweep(run)
	case plan.Classic:
		return judgeClassic(run)
	case plan.Search:
		return judgeSearch(run)
	}
	if len(run.Plan.Family) > 0 {
		return judgeFamily(run)
	}
	a := Analyse(run)
	valid := plan.Valid(run)
	void, all := plan.Voided(run)
	d := &report.Data{
		Run: run, Analysis: a, Valid: len(valid), Void: void,
		Findings: validity.Check(&validity.Evidence{Run: run, Valid: byLevel(run, valid)[0], Void: void, All: all, Analysis: a}),
	}
	if len(run.Plan.Levels) > 1 {
		d.Levels = Levels(run)[1:]
		d.Findings = byContestant(run, d.Findings, worst(run, beside, d.Levels, void, all))
	}
	return d
}

// Analyse analyses the trials that count: where the plan names a family, at all levels; else at the first, at which all pairs are decided.
func Analyse(run *result.Run) *analysis.Analysis {
	p := &run.Plan
	void, all := plan.Voided(run)
	in := analysis.Input{
		Trials: plan.Valid(run), Pilot: plan.Pilot(run), Contestants: p.Contestants, Controls: p.Controls, Ceiling: p.Ceiling,
		Failed: failed(run), Looks: plan.Looks(run), Primary: p.Primary, Alpha: p.Alpha, Margin: p.Margin,
		VoidShare: float64(void) / float64(max(1, all)),
	}
	if len(p.Family) > 0 {
		in.Family, in.At = p.Family, p.At
	} else {
		in.Trials, in.Pilot = byLevel(run, in.Trials)[0], byLevel(run, in.Pilot)[0]
	}
	return analysis.Analyse(in)
}

// Cells are the trials that count, by cell: what any of them does, and how any two of one delay compare, decided or not.
func Cells(run *result.Run) *analysis.Table { return analysis.Tabulate(plan.Valid(run), run.Plan.At) }

// AllDecided reports whether every pair of contestants is decided on the primary metric. A pair whose verdict was taken back for the generator's
// ceiling is: more epochs would not decide it. A machine that is too busy may yet calm down.
func AllDecided(a *analysis.Analysis) bool {
	return !slices.ContainsFunc(a.Pairs, func(p analysis.Pair) bool {
		return p.Metric == a.Primary && p.Verdict == analysis.Undecided && (p.Note == "" || a.TooBusy)
	})
}
