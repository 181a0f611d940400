package study

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"dyno/internal/conf"
	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/stats"
	"dyno/internal/wire"
)

// figuresFile is the file of published figures in a study's folder.
const figuresFile = "figures.csv"

// Read reads the study with that slug. Errors include file:line:column. Read reports all errors at
// once, except those that an earlier error hides.
func Read(fsys fs.FS, slug string) (*Study, error) {
	s, dir := new(Study), path.Join(Folder, slug)
	file, err := conf.Read(fsys, path.Join(dir, "study.toml"), s)
	if err != nil {
		return nil, err
	}
	s.Slug, s.Primary = slug, cmp.Or(s.Primary, "throughput")
	s.everywhere = s.Contestants
	for i := range s.Levels {
		for _, name := range s.Levels[i].Contestants {
			s.Contestants = report.AddNew(slices.Clip(s.Contestants), name)
		}
	}
	r := &reader{fsys: fsys, file: file, s: s}
	if r.head(); len(r.errs) == 0 {
		r.levels()
		r.base()
		r.classics()
	}
	if len(r.errs) > 0 { // the names that claims may use are uncertain
		return nil, errors.Join(r.errs...)
	}
	if r.claims(); len(r.errs) == 0 {
		r.pairs()
		r.idle()
	}
	s.Figures, err = ReadFigures(fsys, path.Join(dir, figuresFile), s)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.errs = append(r.errs, err)
	}
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	return s, nil
}

type reader struct {
	fsys fs.FS
	file *conf.File
	s    *Study
	errs []error
}

func (r *reader) errorf(key, format string, args ...any) {
	r.errs = append(r.errs, r.file.Errorf(key, format, args...))
}

// head checks a study's keys outside levels and claims.
func (r *reader) head() {
	s := r.s
	for _, required := range []struct {
		key   string
		there bool
	}{{"title", s.Title != ""}, {"scenario", s.Scenario != ""}, {"contestants", len(s.everywhere) > 0},
		{"level", len(s.Levels) > 0}} {
		if !required.there {
			r.errorf(required.key, "a study needs %q", required.key)
		}
	}
	if _, ok := judge.MetricNamed(s.Primary); !ok {
		names := make([]string, len(judge.Metrics))
		for i, m := range judge.Metrics {
			names[i] = m.Name
		}
		r.errorf("primary", "no metric %q; want one of %s", s.Primary, strings.Join(names, ", "))
	}
	r.time("budget", s.Budget)
	r.time("quick_budget", s.QuickBudget)
	r.length("", s.Requests, s.Duration)
	r.ranges("", []numberRange{{"rounds", s.Rounds, 0, 100}, {"quick_rounds", s.QuickRounds, 0, 100},
		{"extra_epochs", s.ExtraEpochs, 0, 100}})
	switch {
	case s.Fresh && s.Requests == 0:
		r.errorf("fresh", "fresh processes need a number of requests; set \"requests\"")
	case s.Fresh && s.Rounds > 0:
		r.errorf("rounds", "fresh processes are loaded once an epoch; remove the rounds")
	case s.Fresh && s.Base != "":
		r.errorf("base", "fresh processes share no round with those of other levels, so a difference to a base "+
			"cannot be measured; remove the base")
	case s.Epochs != 0 && s.Epochs < stats.Least:
		r.errorf("epochs", "epochs = %d: want %d or more", s.Epochs, stats.Least)
	}
	for i, name := range s.everywhere {
		key := fmt.Sprintf("contestants[%d]", i)
		if slices.Index(s.everywhere, name) < i {
			r.errorf(key, "%q is named twice", name)
		}
		r.contestant(key, name)
	}
	for i, name := range s.QuickContestants {
		r.member(fmt.Sprintf("quick_contestants[%d]", i), name)
	}
	r.scenario("scenario", s.Scenario)
}

// numberRange is a number at a key, with its limits.
type numberRange struct {
	key       string
	value     int
	least, to int
}

func (r *reader) ranges(at string, list []numberRange) {
	for _, n := range list {
		if n.value < n.least || n.value > n.to {
			r.errorf(at+n.key, "%s = %d: want %d to %d", n.key, n.value, n.least, n.to)
		}
	}
}

// length checks a load's length, in requests or as a time.
func (r *reader) length(at string, requests int64, duration string) {
	switch r.time(at+"duration", duration); {
	case requests < 0:
		r.errorf(at+"requests", "requests = %d: want 1 or more", requests)
	case requests > 0 && duration != "":
		r.errorf(at+"duration", "requests and duration exclude each other; remove one")
	}
}

// time checks a time that may be absent.
func (r *reader) time(key, value string) {
	if d, err := time.ParseDuration(value); value != "" && (err != nil || d <= 0) {
		r.errorf(key, "%q: want a time such as 30m", value)
	}
}

// member checks that a contestant is one of the study's.
func (r *reader) member(key, name string) {
	if !slices.Contains(r.s.Contestants, name) {
		r.errorf(key, "no contestant %q in this study; it has %s", name, strings.Join(r.s.Contestants, ", "))
	}
}

// level returns the level with that name; it reports an error if there is none.
func (r *reader) level(key, name string) *Level {
	l := r.s.level(name)
	if l == nil {
		r.errorf(key, "no level %q in this study; it has %s", name, strings.Join(r.s.levelNames(), ", "))
	}
	return l
}

// contestant checks a name in a list of contestants at key.
func (r *reader) contestant(key, name string) {
	if _, gone := r.s.Unavailable[name]; gone {
		r.errorf(key, "%q is also listed as unavailable; remove one of the entries", name)
	}
	if !r.exists("contestants/*/"+name+"/contestant.toml") && !strings.HasPrefix(name, "ref") &&
		!strings.HasPrefix(name, "null") {
		r.errorf(key, "no contestant %q in this project%s", name, r.nearest(name, "contestants/*/*/contestant.toml"))
	}
}

func (r *reader) exists(pattern string) bool {
	found, err := fs.Glob(r.fsys, pattern)
	return err == nil && len(found) > 0
}

func (r *reader) scenario(key, name string) {
	if name != "" && !r.exists("scenarios/"+name+".toml") {
		r.errorf(key, "no scenario %q in this project%s", name, r.nearest(name, "scenarios/*.toml"))
	}
}

// nearest suggests the most similar name among the files that match pattern; a contestant.toml is
// named by its folder.
func (r *reader) nearest(name, pattern string) string {
	files, _ := fs.Glob(r.fsys, pattern)
	for i, f := range files {
		if files[i] = strings.TrimSuffix(path.Base(f), ".toml"); files[i] == "contestant" {
			files[i] = path.Base(path.Dir(f))
		}
	}
	if near := conf.Nearest(name, files); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return " (dyno list shows all)"
}

// levels checks the levels and makes their names.
func (r *reader) levels() {
	for i := range r.s.Levels {
		l := &r.s.Levels[i]
		at := fmt.Sprintf("level[%d]", i)
		r.scenario(at+".scenario", l.Scenario)
		delay, err := time.ParseDuration(l.Launch.Delay)
		if l.Launch.Delay != "" && (err != nil || delay < 0 || delay > time.Minute) {
			r.errorf(at+".launch.delay", "%q: want a time from 0 to 1m, such as 30ms", l.Launch.Delay)
		}
		if l.Launch.Work != "" && l.Launch.Work != record.CPUBound {
			r.errorf(at+".launch.work", "no work %q; want %s", l.Launch.Work, record.CPUBound)
		}
		if l.Launch.Placement != "" && l.Launch.Placement != plan.Apart && l.Launch.Placement != plan.AsPublished {
			r.errorf(at+".launch.placement", "no placement %q; want %s or %s", l.Launch.Placement, plan.Apart,
				plan.AsPublished)
		}
		r.ranges(at+".", []numberRange{{"extra_epochs", l.ExtraEpochs, 0, 100},
			{"load.connections", l.Load.Connections, 1, 60_000}, {"load.pipeline", l.Load.Pipeline, 0, 1 << 10},
			{"load.streams", l.Load.Streams, 0, 1 << 10}, {"load.per_connection", l.Load.PerConnection, 0, 1 << 30},
			{"records", l.Records, 0, 1 << 20}})
		for j, name := range l.Contestants {
			if !slices.Contains(r.s.everywhere, name) {
				r.contestant(fmt.Sprintf("%s.contestants[%d]", at, j), name)
			}
		}
		form := r.protocol(l, at)
		l.At = record.Level{DelayNS: int64(delay), Work: l.Launch.Work, Connections: l.Load.Connections,
			Pipeline: max(1, l.Load.Pipeline, l.Load.Streams), HTTP: form, PerConnection: l.Load.PerConnection,
			Scenario: l.Scenario, Records: l.Records, AsPublished: l.Launch.Placement == plan.AsPublished}
		if l.At.Scenario == r.s.Scenario {
			l.At.Scenario = ""
		}
		r.process(i)
		if l.Given = l.Name; l.Name == "" {
			l.Name = levelName(l)
		}
		if l.Extra && i == 0 {
			r.errorf(at+".extra", "the first level cannot be an extra one, for its pairs are those that are decided")
		}
		if l.Name == idle {
			r.errorf(at+".name", "%q: the name stands for processes before their first load", l.Name)
		}
		if strings.Contains(l.Name, "@") {
			r.errorf(at+".name", "%q: the name of a level cannot contain @", l.Name)
		}
		for j, other := range r.s.Levels[:i] {
			if other.At == l.At {
				r.errorf(at, "level %q is the same as level %d, %q", l.Name, j+1, other.Name)
			} else if other.Name == l.Name {
				r.errorf(at+".name", "the name %q is already used by level %d", l.Name, j+1)
			}
		}
	}
}

// protocol reads the HTTP form for the level at key at.
func (r *reader) protocol(l *Level, at string) wire.HTTP {
	l.HTTP = cmp.Or(l.HTTP, wire.Clear.String())
	form, err := wire.ParseHTTP(l.HTTP)
	switch {
	case err != nil:
		r.errorf(at+".protocol", "%v", err)
	case form.Two() && l.Load.Pipeline > 1:
		r.errorf(at+".load.pipeline", "pipelining needs HTTP/1.1; for HTTP/2 set streams (per connection)")
	case !form.Two() && l.Load.Streams > 0:
		r.errorf(at+".load.streams", "streams need HTTP/2; set protocol to h2 or h2c, or pipeline in place of streams")
	}
	return form
}

// process sets which processes the i-th level loads in a study with fresh ones. A level that
// continues the previous one must have the same launch and contestants.
func (r *reader) process(i int) {
	l, key := &r.s.Levels[i], fmt.Sprintf("level[%d].continues", i)
	l.part = i
	switch {
	case !l.Continues:
		return
	case !r.s.Fresh || i == 0:
		r.errorf(key, "a level can continue the previous one only in a study with fresh = true")
		return
	}
	before := &r.s.Levels[i-1]
	if l.At.Launch() != before.At.Launch() || !slices.Equal(r.s.at(l), r.s.at(before)) {
		r.errorf(key, "it continues the level %q, so it needs the same launch and contestants", before.Name)
	}
	l.part, l.At.Step = before.part, before.At.Step+1
}

// base checks the levels that costs are compared with.
func (r *reader) base() {
	for i := range r.s.Levels {
		l, key := &r.s.Levels[i], "base"
		name := r.s.Base
		if l.Base != "" {
			name, key = l.Base, fmt.Sprintf("level[%d].base", i)
			if r.s.Base == "" {
				r.errorf(key, "the base of a level needs one of the study, too: base = \"LEVEL\" at the top")
				return
			}
		}
		if name == "" {
			continue
		}
		base := r.level(key, name)
		if base == nil {
			return
		}
		if l.At.Launch() != base.At.Launch() {
			r.errorf(key, "the levels %q and %q have different delays, work or placements and share no round, so "+
				"their difference cannot be measured", l.Name, name)
		}
	}
}

// levelName makes a name from a level's values: "30ms, 10 records, c125".
func levelName(l *Level) string {
	var parts []string
	add := func(given bool, format string, value any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	add(l.Scenario != "", "%s", l.Scenario)
	add(l.At.HTTP != wire.Clear, "%s", l.At.HTTP)
	add(l.At.DelayNS > 0, "%v", time.Duration(l.At.DelayNS))
	add(l.At.Work != "", "%s", l.At.Work)
	add(l.At.AsPublished, "%s", "shared CPUs")
	add(l.Records > 0, "%d records", l.Records)
	add(true, "c%d", l.At.Connections)
	add(l.At.Pipeline > 1 && !l.At.HTTP.Two(), "p%d", l.At.Pipeline)
	add(l.At.Pipeline > 1 && l.At.HTTP.Two(), "m%d", l.At.Pipeline)
	add(l.At.PerConnection == 1, "%s", "close")
	add(l.At.PerConnection > 1, "%d per connection", l.At.PerConnection)
	add(l.At.Step > 0, "load %d", l.At.Step+1)
	return strings.Join(parts, ", ")
}

// pairs rejects comparisons between levels with different launch parts. A contestant gets these
// when it is launched, so the two levels never share a round.
func (r *reader) pairs() {
	for i := range r.s.Claims {
		c := &r.s.Claims[i]
		if m, ok := MetricNamed(c.Metric); !ok || m.Static {
			continue
		}
		for _, p := range c.Pairs() {
			a, b := r.s.level(p.A.Level), r.s.level(p.B.Level)
			switch {
			case a == nil || b == nil:
			case r.s.Fresh && a.part != b.part:
				r.errorf(fmt.Sprintf("claim[%d].kind", i),
					"%s and %s cannot be compared: they load different processes and share no round", p.A,
					p.B)
			case a.At.Launch() != b.At.Launch():
				r.errorf(fmt.Sprintf("claim[%d].kind", i),
					"%s and %s cannot be compared: they have different delays, work or placements, which are set "+
						"when a contestant starts, and share no round", p.A, p.B)
			}
		}
	}
}

// named returns the contestants that claims and figures may name.
func (s *Study) named() []string {
	return slices.Concat(s.Contestants, slices.Sorted(maps.Keys(s.Unavailable)))
}

// loaded returns the available contestants at a level that claims may name; nil if there is no such
// level.
func (s *Study) loaded(level string) []string {
	switch l := s.level(level); {
	case level == idle && s.Fresh:
		return s.Contestants
	case l != nil && level != "":
		return s.at(l)
	}
	return nil
}

// levelNames returns the levels that claims and figures may name.
func (s *Study) levelNames() (names []string) {
	for i := range s.Levels {
		names = append(names, s.Levels[i].Name)
	}
	if s.Fresh {
		names = append(names, idle)
	}
	return names
}

// refuse says why a cell's names are wrong, or returns "".
func (s *Study) refuse(c Cell) string {
	switch names, levels := s.named(), s.levelNames(); {
	case !slices.Contains(names, c.Contestant):
		return fmt.Sprintf("no contestant %q in this study%s", c.Contestant, suggest(c.Contestant, names))
	case c.Level == "" && !s.single():
		return fmt.Sprintf("%q does not name a level; want one of %s", c.Contestant, strings.Join(levels, ", "))
	case c.Level != "" && !slices.Contains(levels, c.Level):
		return fmt.Sprintf("no level %q in this study%s", c.Level, suggest(c.Level, levels))
	}
	return ""
}

// short removes the level from a cell if cells need not name it.
func (s *Study) short(c Cell) Cell {
	if s.single() && c.Level == s.Levels[0].Name {
		c.Level = ""
	}
	return c
}

// at returns a level's contestants.
func (s *Study) at(l *Level) []string {
	if len(l.Contestants) > 0 {
		return l.Contestants
	}
	return s.everywhere
}

// single reports whether all levels but the first are extra ones.
func (s *Study) single() bool {
	return !slices.ContainsFunc(s.Levels[1:], func(l Level) bool { return !l.Extra })
}

// level returns the level with that name, or nil. "" means the first level if all others are extra
// ones.
func (s *Study) level(name string) *Level {
	for i := range s.Levels {
		if l := &s.Levels[i]; l.Name == name || name == "" && i == 0 && s.single() {
			return l
		}
	}
	return nil
}
