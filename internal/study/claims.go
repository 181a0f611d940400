package study

import (
	"dyno/internal/document"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// Judged is a study's run with the outcomes for the study's claims.
type Judged struct {
	*report.Data
	*Claims
	Classics []classicRun // the article's own runs, for committed trials
}

// JudgeClaims judges the study's claims by a run, puts the published figures beside the measured
// ones, and adds both to the run's report. file is the name of the trials.
func (s *Study) JudgeClaims(d *report.Data, file string) (*Judged, error) {
	if d.Run.Plan.Study.Slug != s.Slug || d.Run.Plan.Scenario != s.Scenario {
		return nil, fmt.Errorf("the trials of %s belong to the study %q and the scenario %q, not to %q "+
			"and %q", file, d.Run.Plan.Study.Slug, d.Run.Plan.Scenario, s.Slug, s.Scenario)
	}
	e := &evidence{study: s, run: d.Run, data: d, valid: d.Trials}
	if d.Run.Plan.Processes == record.PerLoad {
		e.valid = d.Loads
	}
	free := &evidence{study: s, run: e.run, data: e.data, valid: e.valid, free: true}
	c := &Claims{
		Slug: s.Slug, Title: s.Title, Question: s.Question, Source: s.Source, PublishedOn: s.PublishedOn, Notes: s.Notes,
		LeftOut: slices.DeleteFunc(slices.Clone(s.Contestants), func(name string) bool {
			return slices.Contains(d.Run.Plan.Contestants, name)
		}),
		File: file, Outcomes: Judge(Current(s.Claims), e), Published: e.published(), Unavailable: s.Unavailable,
		Costs: e.costs(),
	}
	if planned := d.Run.Plan.Study.ClaimsHash; planned != "" && planned != Hash(s.Claims) {
		before := Before(s.Claims)
		if c.Changed = planned != Hash(before); !c.Changed {
			now := 0 // the next outcome: before includes withdrawn claims
			for i, o := range Judge(before, e) {
				switch one := &s.Claims[i]; {
				case one.Withdrawn != "":
					c.Withdrawn = append(c.Withdrawn, *one)
					continue
				case one.Was != nil:
					c.Outcomes[now].Before = o.Verdict
				}
				now++
			}
		}
	}
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		if cells := o.Claim.All(); len(cells) > 0 && !o.Metric.Static {
			x := outcomeOf(&o.Claim, free)
			o.Place, x.Place, x.Before = e.place(cells[0]), free.place(cells[0]), o.Before
			o.Elsewhere, x.Elsewhere = e.elsewhere(o), free.elsewhere(&x)
			switch {
			case x.Place == o.Place || !x.judged():
			case o.judged():
				o.Elsewhere = append(o.Elsewhere, Elsewhere{Where: "With nothing pinned, as published", Outcome: x})
			default: // as of a server in several processes that has too few CPUs of its own
				*o = x
			}
		}
	}
	j := &Judged{Data: d, Claims: c}
	d.Added = newPage(j).added()
	return j, nil
}

// evidence gives access to a run's results by the study's names.
type evidence struct {
	study *Study
	run   *record.Run
	data  *report.Data
	valid []*record.Trial
	free  bool // cells are at the levels that are as published, and otherwise as the study says

	found map[int][]judge.Finding // findings by level
	cells *judge.Table
}

// table returns the table of valid trials.
func (e *evidence) table() *judge.Table {
	if e.cells == nil {
		e.cells = judge.Tabulate(e.data.Trials, e.run.Plan.At)
	}
	return e.cells
}

// cell converts a study's cell to a cell in the run's plan.
func (e *evidence) cell(c Cell) (record.Cell, bool) {
	l := e.study.level(c.Level)
	if l == nil {
		return record.Cell{}, false
	}
	at := l.At
	at.AsPublished = at.AsPublished || e.free
	i := slices.Index(e.run.Plan.Levels, at)
	return record.Cell{Contestant: c.Contestant, Level: i}, i >= 0
}

// place says on which CPUs a cell's server runs, as judge.OnCPUs does; "" if the run has no such level.
func (e *evidence) place(c Cell) string {
	at, _ := e.cell(c)
	return judge.OnCPUs(e.run, at.Level)
}

// wholeLoad lists metrics that depend on how long a load is, and on how it begins.
var wholeLoad = []string{"rate_sd", "rate_max", "service_sd", "service_max"}

// untestable says why runs like this one judge no figure of a cell under a metric; "" if they do.
func (e *evidence) untestable(c Cell, metric string) string {
	switch p := &e.run.Plan; {
	case slices.Contains(wholeLoad, metric) && !p.Fresh() && p.Load.NS > 0:
		return fmt.Sprintf("it describes a whole load with its cold start, but this run has trials of %s on warm "+
			"servers; it needs repeated cold loads", document.Duration(float64(p.Load.NS)))
	case metric == "threads" && strings.HasPrefix(e.place(c), judge.OnOneCPU):
		return "the servers have one CPU, and how many threads they start depends on the number of CPUs"
	}
	return ""
}

// Missing implements Evidence.
func (e *evidence) Missing(c Cell, metric string) (Verdict, string) {
	if why := e.untestable(c, metric); why != "" {
		return NotTestable, why
	}
	v, why := e.lacks(c, metric)
	if f := e.run.FailureOf(c.Contestant); v == NotRun && f != nil && f.Unavailable() {
		v = Unavailable
	}
	if v != "" && v != Inconclusive {
		return v, why
	}
	p := &e.run.Plan
	if m, _ := MetricNamed(metric); !m.Static && !p.InRounds() {
		return NotRun, "the run compares no pairs, so it has no verdicts"
	}
	if v != "" {
		return v, why
	}
	for _, f := range e.findings(c, metric) {
		if f.Excludes() {
			return Inconclusive, "excluded: " + f.Title + ": " + f.Text
		}
	}
	return "", ""
}

// Moves implements Evidence.
func (e *evidence) Moves(c Cell, metric string) string {
	if at, ok := e.cell(c); ok && e.data.Analysis != nil {
		if x := e.data.Analysis.Moves(at, rateOf(metric)); x != nil {
			return x.Words()
		}
	}
	return ""
}

// unsettled says why a cell has no figure that can stand alone; "" if it has one.
func (e *evidence) unsettled(c Cell, metric string) string {
	if verdict, why := e.Missing(c, metric); verdict == Unavailable {
		return why
	} else if verdict != "" {
		return string(verdict) + ": " + why
	}
	if moves := e.Moves(c, metric); moves != "" {
		return string(Inconclusive) + ": " + moves
	}
	return ""
}

// lacks says why the record has no figure for a cell.
func (e *evidence) lacks(c Cell, metric string) (Verdict, string) {
	p := &e.run.Plan
	if why, gone := e.study.Unavailable[c.Contestant]; gone {
		return NotTestable, "it is not available: " + why
	}
	if !slices.Contains(p.Contestants, c.Contestant) {
		return NotRun, "it was not in this run"
	}
	at, ok := e.cell(c)
	if c.Level != idle && (!ok || !p.Has(at)) {
		return NotRun, "it was not loaded there in this run"
	}
	if f := e.run.FailureOf(c.Contestant); f != nil {
		if f.Unavailable() {
			return NotRun, report.FailureText(f)
		}
		return Inconclusive, report.FailureText(f)
	}
	if e.measured(c, metric).N > 0 {
		return "", ""
	}
	if c.Level == idle || e.measured(c, "throughput").N > 0 {
		return NotRun, "this run did not record it"
	}
	return Inconclusive, "it has no valid trials"
}

// findings returns the findings that concern the metric and did not pass: on the whole run, the
// contestant and its level.
func (e *evidence) findings(c Cell, metric string) []judge.Finding {
	if m, _ := MetricNamed(metric); m.Static || c.Level == idle { // no trial
		return nil
	}
	at, _ := e.cell(c)
	m, _ := trialMetric(rateOf(metric))
	var out []judge.Finding
	for _, f := range e.level(at.Level) {
		if f.State >= judge.Warn && (f.Contestant == "" || f.Contestant == c.Contestant) && f.Concerns(m.Kind) {
			out = append(out, f)
		}
	}
	return out
}

// index returns the level's index in the run's Levels, or −1 if Analysis and Findings cover the
// level: in a run without a named family.
func (e *evidence) index(level int) int { return level - (len(e.run.Plan.Levels) - len(e.data.Levels)) }

// level returns the findings at a level; in a run at several levels, this level's own instead of
// the worst.
func (e *evidence) level(level int) []judge.Finding {
	i := e.index(level)
	if i < 0 || i >= len(e.data.Levels) {
		return e.data.Findings
	}
	if found, ok := e.found[i]; ok {
		return found
	}
	found := e.data.At(i)
	if e.found == nil {
		e.found = map[int][]judge.Finding{}
	}
	e.found[i] = found
	return found
}

// Warnings implements Evidence.
func (e *evidence) Warnings(c Cell, metric string) (out []Warning) {
	for _, f := range e.findings(c, metric) {
		out = append(out, Warning{ID: f.ID, Contestant: f.Contestant, Text: f.Text})
	}
	return out
}

// Margin implements Evidence.
func (e *evidence) Margin() float64 { return e.run.Plan.Margin }

// analysisOf returns the analysis with a level's cells.
func (e *evidence) analysisOf(level int) *judge.Analysis {
	if i := e.index(level); i >= 0 && i < len(e.data.Levels) {
		return e.data.Levels[i].Analysis
	}
	return e.data.Analysis
}

// Level implements Evidence.
func (e *evidence) Level(c Cell, metric string) judge.Estimate {
	l := e.measured(c, metric)
	l.Lo, l.Hi = e.opened(c, metric, l.Lo, l.Hi)
	return l
}

// opened returns a cell's interval, open on one side if the cell is at the generator's ceiling: its
// rate is at least, its service time at most the measured one.
func (e *evidence) opened(c Cell, metric string, lo, hi float64) (float64, float64) {
	m, _ := trialMetric(rateOf(metric))
	at, ok := e.cell(c)
	switch {
	case !ok || !m.AtCeiling || !e.atCeiling(at):
		return lo, hi
	case m.More:
		return lo, math.Inf(1)
	}
	return math.Inf(-1), hi
}

// atCeiling reports whether a cell's rate is a lower bound, because it is too near the generator's
// ceiling or the generator was too busy.
func (e *evidence) atCeiling(c record.Cell) bool {
	if a := e.analysisOf(c.Level); a != nil && a.Shares[c.Contestant] > judge.CeilingLimit {
		return true
	}
	return slices.ContainsFunc(e.level(c.Level), func(f judge.Finding) bool {
		return f.Bounds() && f.Contestant == c.Contestant
	})
}

// measured returns a cell's recorded value.
func (e *evidence) measured(c Cell, metric string) judge.Estimate {
	at, ok := e.cell(c)
	a := e.analysisOf(at.Level)
	switch {
	case c.Level == idle:
		m, _ := judge.MetricNamed(metric)
		l, _, _ := judge.Unloaded(e.run, c.Contestant, m)
		return l
	case !ok:
		return judge.Estimate{}
	case metric == "response_bytes":
		return e.perAnswer(at, func(l *record.Load) int64 { return l.BytesRead })
	case metric == "wrong_answers":
		return e.wrong(at)
	case rateOf(metric) != metric:
		return times(e.measured(c, rateOf(metric)), e.exchange(at, metric))
	case e.run.Plan.Processes == record.PerLoad:
		m, ok := judge.MetricNamed(metric)
		return e.ofLoads(c, func(t *record.Trial) (float64, bool) {
			if !ok {
				return 0, false
			}
			return m.Of(t)
		})
	case metric == Tail:
		m, _ := trialMetric(metric)
		return e.table().Level(m, at)
	case a == nil:
		return judge.Estimate{}
	}
	cell := a.Cell(c.Contestant, metric)
	if cell == nil || cell.Absent != "" {
		return judge.Estimate{}
	}
	return cell.Level
}

// ofLoads returns the middle value over a classic run's loads, without an interval.
func (e *evidence) ofLoads(c Cell, of func(*record.Trial) (float64, bool)) judge.Estimate {
	own := slices.DeleteFunc(slices.Clone(e.data.Loads),
		func(t *record.Trial) bool { return t.Contestant != c.Contestant })
	x := judge.MiddleOf(own, judge.Metric{Of: of, More: true})
	if x.N == 0 {
		return judge.Estimate{}
	}
	return judge.Estimate{Value: x.Value, Lo: math.Inf(-1), Hi: math.Inf(1), N: x.N}
}

// Range implements Evidence.
func (e *evidence) Range(c Cell, metric string) (least, most float64, ok bool) {
	m, known := trialMetric(metric) // unknown for bytes per second
	at, there := e.cell(c)
	if c.Level == idle {
		l, least, most := judge.Unloaded(e.run, c.Contestant, m)
		return least, most, l.N >= FewEpochs
	}
	if !known || !there {
		return 0, 0, false
	}
	least, most, epochs := e.table().Range(m, at)
	least, most = e.opened(c, metric, least, most)
	return least, most, epochs >= FewEpochs
}

// RatioRange implements Evidence.
func (e *evidence) RatioRange(a, b Cell, metric string) (least, most float64, ok bool) {
	m, known := trialMetric(metric)
	x, there := e.cell(a)
	y, there2 := e.cell(b)
	if !known || !there || !there2 {
		return 0, 0, false
	}
	least, most, epochs := e.table().RatioRange(m, x, y)
	return least, most, epochs >= FewEpochs
}

// Compare implements Evidence.
func (e *evidence) Compare(a, b Cell, metric string) Comparison {
	if m, _ := MetricNamed(metric); m.Static {
		return exact(e.Level(a, metric), e.Level(b, metric))
	}
	x, ok := e.cell(a)
	y, ok2 := e.cell(b)
	switch {
	case e.data.Analysis == nil:
		return Comparison{}
	case a.Level == idle && b.Level == idle:
		return e.unloaded(a, b, metric)
	case !ok || !ok2:
		return Comparison{}
	}
	if rate := rateOf(metric); rate != metric {
		c := e.Compare(a, b, rate)
		c.Ratio = times(c.Ratio, exact(e.exchange(x, metric), e.exchange(y, metric)).Ratio)
		c.Verdict = judge.Inconclusive // the run tested only the rates
		return c
	}
	m, _ := trialMetric(metric)
	p, planned := e.data.Analysis.Compared(x, y, metric)
	c := Comparison{Ratio: p.Ratio, Verdict: p.Verdict, Note: p.Note, Unplanned: !planned}
	if m.Name == Tail { // no run compares it: the pair counts as planned if the primary metric compares it
		_, primary := e.data.Analysis.Compared(x, y, e.run.Plan.Primary)
		c.Unplanned = !primary
	}
	if !planned { // the interval has the same confidence, but the pair was not chosen before the run
		c.Ratio, c.Note = e.table().Compare(m, x, y, 1-e.data.Analysis.AlphaAt), e.table().Mixed(m, x, y)
		p = judge.Pair{A: x.Contestant, AtA: x.Level, B: y.Contestant, AtB: y.Level}
	}
	if e.data.Analysis.Interim == 0 {
		c.Note = "the run ended before its first interim analysis"
	}
	if !planned || p.Verdict != judge.Different { // else its interval allows for the movement
		for _, cell := range []Cell{a, b} {
			if moves := e.Moves(cell, metric); moves != "" && c.Note == "" {
				c.Note = cell.String() + ": " + moves
			}
		}
	}
	e.bound(&c, p, metric)
	return c
}

// bound opens a ratio's interval on the side where a cell at the generator's ceiling may do more.
// Such an interval shows no equality, and no factor by which that cell leads.
func (e *evidence) bound(c *Comparison, p judge.Pair, metric string) {
	m, _ := trialMetric(metric)
	if !m.AtCeiling {
		return
	}
	a, b := e.atCeiling(p.CellA()), e.atCeiling(p.CellB())
	if !m.More { // it would be smaller
		a, b = b, a
	}
	if a {
		c.Ratio.Hi = math.Inf(1)
	}
	if b {
		c.Ratio.Lo = 0
	}
	if a || b {
		c.Bound, c.Verdict = true, judge.Inconclusive
	}
}

// exact compares two values without an interval, or with a tiny one.
func exact(a, b judge.Estimate) Comparison {
	if a.N == 0 || b.N == 0 || b.Lo <= 0 {
		return Comparison{Note: "the record lacks one of the two"}
	}
	return Comparison{Ratio: judge.Estimate{
		Value: a.Value / b.Value, Lo: a.Lo / b.Hi, Hi: a.Hi / b.Lo, N: min(a.N, b.N),
	}}
}

// trialMetric returns the trial metric with that name, including the service time's tail.
func trialMetric(name string) (judge.Metric, bool) {
	if name == Tail {
		return judge.ClassicNamed(name), true
	}
	return judge.MetricNamed(name)
}

// Trials returns the path of a study's committed trials within the project.
func (s *Study) Trials() string { return path.Join(Folder, s.Slug) }
