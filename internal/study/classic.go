package study

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// OwnRun is an article's own run: one long load after another.
type OwnRun struct {
	Name        string   `toml:"name"`        // name for its record and for --classic; one run may have none
	Contestants []string `toml:"contestants"` // the study's if empty
	Level       string   `toml:"level"`       // the first if empty
	Requests    int64    `toml:"requests"`    // number per load; the study's if neither requests nor duration is given
	Duration    string   `toml:"duration"`
}

// classics checks the article's own runs and fills in the study's values.
func (r *reader) classics() {
	s := r.s
	for i := range s.Classics {
		c, at := &s.Classics[i], fmt.Sprintf("classic[%d]", i)
		if slices.ContainsFunc(s.Classics[:i], func(o OwnRun) bool { return o.Name == c.Name }) {
			r.errorf(at+".name", "%q is the name of an earlier classic run; give each its own", c.Name)
		}
		c.Level = cmp.Or(c.Level, s.Levels[0].Name)
		l := r.level(at+".level", c.Level)
		if l == nil {
			continue
		}
		if len(c.Contestants) == 0 {
			c.Contestants = s.at(l)
		}
		for j, name := range c.Contestants {
			if !slices.Contains(s.at(l), name) {
				r.errorf(fmt.Sprintf("%s.contestants[%d]", at, j), "no contestant %q at the level %q", name, c.Level)
			}
		}
		if c.Requests == 0 && c.Duration == "" {
			c.Requests, c.Duration = s.Requests, s.Duration
		}
		if c.Requests == 0 && c.Duration == "" {
			r.errorf(at+".duration", "want a time such as 30s, or requests")
		}
		r.length(at+".", c.Requests, c.Duration)
	}
}

// classics returns the article's own runs for a plan.
func (s *Study) classics() (runs []plan.ClassicRun) {
	for _, c := range s.Classics {
		d, _ := time.ParseDuration(c.Duration) // Read has checked it
		runs = append(runs, plan.ClassicRun{Name: c.Name, Contestants: c.Contestants,
			Level: s.level(c.Level).At, Requests: c.Requests, Duration: d})
	}
	return runs
}

// classicRuns returns the study's records of long loads in a folder, each with the published
// figures for loads of that length.
func (s *Study) classicRuns(dir string) (runs []classicRun, err error) {
	known := s.Classics
	if len(known) == 0 {
		known = []OwnRun{{}}
	}
	for _, c := range known {
		name := classicFile(c.Name)
		data, err := s.classicRun(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		runs = append(runs, classicRun{File: name, Data: data, Published: s.publishedOf(data.Run)})
	}
	return runs, nil
}

// classicRun reads a record of long loads.
func (s *Study) classicRun(file string) (*report.Data, error) {
	run, err := Open(file)
	switch {
	case err != nil:
		return nil, err
	case run.Plan.Study.Slug != s.Slug || run.Plan.Processes != record.PerLoad:
		return nil, fmt.Errorf("%s is a run of %q; want single loads of %q (dyno run %s --protocol classic)",
			file, run.Plan.Study.Slug, s.Slug, s.Slug)
	}
	if err := judge.Assert(run); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return Evaluate(run), nil
}

// publishedOf returns the published figures at a classic run's level. If a contestant and date have
// a time for a number of requests, it must be the run's number.
func (s *Study) publishedOf(run *record.Run) (figures []Figure) {
	p := &run.Plan
	for _, f := range s.Figures {
		l := s.level(f.Level)
		if l == nil || l.At != p.First() || !slices.Contains(p.Contestants, f.Contestant) {
			continue
		}
		another := slices.ContainsFunc(s.Figures, func(o Figure) bool {
			return o.Cell == f.Cell && o.Date == f.Date && o.N > 0 && o.N != p.Load.Requests
		})
		if !another {
			figures = append(figures, f)
		}
	}
	return figures
}
