package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// condition is one --fail-if: a change in a side against the first that makes the command fail.
type condition struct {
	text   string // the condition without spaces
	metric judge.Metric
	below  bool    // it fails below the limit, else above
	limit  float64 // limit for the ratio to the first side, minus 1
}

// conditionMetrics names the metrics that every comparison has, including open-loop metrics if
// open.
func conditionMetrics(open bool) (names []string) {
	for _, m := range judge.Metrics {
		if !m.Rare && !m.Unranked && (open || !m.Open()) {
			names = append(names, m.Name)
		}
	}
	return names
}

// parseConditions reads the --fail-if texts for a closed or an open loop. Errors name the column,
// which counts from 1.
func parseConditions(texts []string, open bool) ([]condition, error) {
	var out []condition
	for _, text := range texts {
		c, err := parseCondition(text, open)
		if err != nil {
			return nil, usagef("--fail-if %q: %w", text, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// conditionForm splits a condition into five words, any of which may be missing or wrong.
var conditionForm = conf.Regexp(`(?s)^ *([a-zA-Z0-9_]*) *([<>=]*) *([-+0-9.]*) *(%*) *(.*)$`)

// parseCondition reads METRIC<-N% or METRIC>N%; spaces are allowed between the parts.
func parseCondition(text string, open bool) (condition, error) {
	word, from := conditionForm().FindStringSubmatch(text), conditionForm().FindStringSubmatchIndex(text)
	at := func(i int, format string, args ...any) (condition, error) {
		return condition{}, fmt.Errorf("column %d: %s", from[2*i]+1, fmt.Sprintf(format, args...))
	}
	m, ok := judge.MetricNamed(word[1])
	if names := conditionMetrics(open); !slices.Contains(names, word[1]) {
		if slices.Contains(conditionMetrics(true), word[1]) {
			return at(1, "%s is measured in an open loop: give --rate", m.Name)
		}
		if near := conf.Nearest(word[1], names); near != "" && !ok {
			return at(1, "no metric %q; did you mean %q?", word[1], near)
		}
		return at(1, "want a metric: %s", strings.Join(names, ", "))
	}
	limit, err := strconv.ParseFloat(word[3], 64)
	switch {
	case word[2] != "<" && word[2] != ">":
		return at(2, "want < or >")
	case err != nil:
		return at(3, "want a percentage, such as 3%% or -3%%")
	case limit <= -100:
		return at(3, "%s%%: no metric can change by that much", word[3])
	case word[4] != "%":
		return at(4, "want %% after the number")
	case word[5] != "":
		return at(5, "unexpected text after %%; repeat --fail-if for another condition")
	}
	return condition{text: word[1] + word[2] + word[3] + "%", metric: m, below: word[2] == "<", limit: limit / 100}, nil
}

// state is a condition's outcome.
type state string

const (
	passed state = "passed" // the whole interval is on the allowed side of the limit
	failed state = "failed" // the whole interval lies beyond it
	// inconclusive, but the estimate is beyond the limit and the 80 % interval excludes 1
	unshown      state = "not shown"
	inconclusive state = "inconclusive" // the interval contains the limit, or the run cannot decide
	unmeasured   state = "not measured" // one of the two has no figure
)

// judgement is a condition's state, and the change that it rests on.
type judgement struct {
	condition
	of     string // the side, and on how many CPUs, if on several numbers
	side   string // name of the side
	state  state
	change judge.Estimate // ratio to the first side; N is 0 if there is none
	note   string         // why it is inconclusive, if the interval does not show it
	open   bool           // inconclusive, but more epochs may decide it
}

// judge compares the interval with the limit. Its confidence is 1 − alpha ÷ the number of analyses,
// so all analyses together report a condition that holds as failed with a probability of at most
// alpha ÷ 2. Before the first analysis the interval covers the epochs so far.
func (c condition) judge(a *judge.Analysis, head, base record.Cell) judgement {
	j := judgement{condition: c, of: head.Contestant, side: head.Contestant, state: inconclusive}
	p, ok := a.Compared(head, base, c.metric.Name)
	if ok && p.Ratio.N == 0 && p.Note != "" {
		j.open, j.note = true, p.Note
		return j
	}
	if !ok || p.Ratio.N == 0 {
		j.state, j.note = unmeasured, "one of the two has no figure"
		return j
	}
	j.change = p.Ratio
	limited := func(c record.Cell) bool { return j.metric.Wall() && a.ShareOf(c) > judge.CeilingLimit }
	open, leaning := "the limit lies within the interval", "not shown to be within the limit, which lies within "+
		"the interval"
	if a.Interim == 0 {
		open, leaning = "no interim analysis was reached", "not shown to be within the limit: too few epochs"
	}
	switch beyond, kept := c.sides(p.Ratio); {
	case limited(head), limited(base) && !beyond:
		j.note = "at the load generator's limit, which could hide a change"
	case beyond:
		j.state = failed
	case kept && a.Interim > 0:
		j.state = passed
	case c.leans(p):
		j.open, j.state, j.note = true, unshown, leaning
	default:
		j.open, j.note = true, open
	}
	return j
}

// leans reports whether an inconclusive pair counts against the limit: its estimate lies beyond the
// limit, and its 80 % interval excludes no change.
func (c condition) leans(p judge.Pair) bool {
	if c.below {
		return p.Likely.N > 0 && p.Ratio.Value-1 < c.limit && p.Likely.Hi < 1
	}
	return p.Likely.N > 0 && p.Ratio.Value-1 > c.limit && p.Likely.Lo > 1
}

// sides reports whether the ratio's whole interval is beyond the limit, and whether it is within.
func (c condition) sides(e judge.Estimate) (beyond, within bool) {
	if c.below {
		return e.Hi-1 < c.limit, e.Lo-1 >= c.limit
	}
	return e.Lo-1 > c.limit, e.Hi-1 <= c.limit
}

// fails reports whether conditions make the command fail: all but those that passed do, and an
// inconclusive one only if strict. An unmeasured condition fails, because more time would not measure
// it either, and the gate would never close.
func fails(all []judgement, strict bool) bool {
	return slices.ContainsFunc(all, func(j judgement) bool {
		return j.state != passed &&
			(strict || j.state != inconclusive)
	})
}

// withdrawn withdraws states that the findings rule out: every change no larger than a difference
// that the run found between two copies of one server, and passes by a side that works outside its
// loads or leaves requests without an answer.
func withdrawn(js []judgement, a *judge.Analysis, findings []judge.Finding) []judgement {
	twins, _ := judge.StateOf(findings, judge.Twins)
	for i := range js {
		j := &js[i]
		if twins == judge.Fail && (a.AACheck == nil || nearest(j.change) <= furthest(a.AACheck.Ratio)) {
			j.state, j.note = inconclusive, "the A/A check fails: the reference differs from its own copy"
		}
		for _, f := range findings {
			if (f.ID == judge.Deferred || f.ID == judge.Errors) && f.State == judge.Fail && f.Contestant == j.side &&
				j.state == passed && f.Concerns(j.metric.Kind) {
				j.state, j.note = unshown, "not shown to be within the limit: "+f.Text
			}
		}
	}
	return js
}

// nearest returns the distance on the log scale from 1 to the nearer end of a ratio's interval; 0
// if the interval includes 1. furthest is for the other end.
func nearest(e judge.Estimate) float64 { return max(0, math.Log(e.Lo), -math.Log(e.Hi)) }

func furthest(e judge.Estimate) float64 { return max(-math.Log(e.Lo), math.Log(e.Hi)) }

// identical returns a note about sides that are the same program; "" if there are none.
func identical(r *record.Run, sides []*contestant.Side) string {
	for i, s := range sides {
		one := r.Contestant(s.Name)
		for _, t := range sides[i+1:] {
			two := r.Contestant(t.Name)
			switch {
			case one == nil || two == nil:
			case s.Kind == contestant.CommandSide && t.Kind == contestant.CommandSide && !oneFolder(s.Text, t.Text):
			case one.BinaryHash != "" && one.BinaryHash == two.BinaryHash:
				return fmt.Sprintf("%s and %s are the same program, byte for byte: an A/A run", s.Name, t.Name)
			case one.SameServer(two):
				return fmt.Sprintf("%s and %s are one process, %s: an A/A run", s.Name, t.Name, one.Processes)
			}
		}
	}
	return ""
}

// oneFolder reports whether two command lines whose BinaryHash is equal can start only one program: they are equal,
// or each is one command, of which the hash covers all words, and their files lie in the same folder, since a
// program may read other files in its own.
func oneFolder(a, b string) bool {
	x, y := (&contestant.Command{Line: a}).Start().Words, (&contestant.Command{Line: b}).Start().Words
	return a == b || strings.Join(x, " ") == a && strings.Join(y, " ") == b &&
		slices.EqualFunc(x, y, func(v, w string) bool { return filepath.Dir(v) == filepath.Dir(w) })
}

// answered reports whether every decidable condition is decided.
func answered(js []judgement) bool {
	return !slices.ContainsFunc(js, func(j judgement) bool { return j.open })
}

// gateDecided reports whether the exit code is decided: one condition has failed, or none is open.
func gateDecided(js []judgement) bool {
	return answered(js) || slices.ContainsFunc(js, func(j judgement) bool { return j.state == failed })
}

// judged judges the conditions for each side against the first, at each level where they are
// compared.
func judged(p *record.Plan, a *judge.Analysis, conditions []condition) (all []judgement) {
	for _, c := range conditions {
		for _, head := range heads(p) {
			for _, level := range comparedAt(p) {
				j := c.judge(a, record.Cell{Contestant: head, Level: level},
					record.Cell{Contestant: p.Contestants[0], Level: level})
				j.of += onCPUs(p, level)
				all = append(all, j)
			}
		}
	}
	return all
}

// heads returns the sides that are compared with the first.
func heads(p *record.Plan) []string { return p.Contestants[min(1, len(p.Contestants)):] }

// comparedAt returns the levels where a comparison's sides are compared.
func comparedAt(p *record.Plan) (levels []int) {
	for _, f := range p.Family {
		levels = report.AddNew(levels, f.A.Level)
	}
	if len(levels) == 0 {
		return []int{0}
	}
	return levels
}

// onCPUs says on how many CPUs a level's servers run, with a leading space; "" if they have all that
// are theirs.
func onCPUs(p *record.Plan, level int) string {
	if p.Levels[level].AsPublished {
		return " on shared CPUs"
	}
	if n := p.Levels[level].CPUs; n > 0 {
		return " on " + document.Count(n, "CPU")
	}
	return ""
}
