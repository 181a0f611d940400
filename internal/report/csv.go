package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/document"
	"dyno/internal/result"
)

// csv has a row for each contestant and metric, controls last:
//
//	contestant,metric,unit,value,lo,hi,ratio_to_reference,ratio_lo,ratio_hi,epochs,tier,rank_lo,rank_hi,verdict,notes
//
// Values are in the base unit that the row names (1/s, ns, bytes). A field is empty where there is
// no value or a bound is not finite. first_answer and warm_up have rows
// where they were measured, without ratio and place; the notes of warm_up are its classes. The
// verdict is ranked, lower bound, control, or excluded; a row of the last has no values, for they are
// not figures. Where a comparison shows further levels, rows of them follow, the level in brackets
// after the metric, their verdict "not compared".
func (p *paired) csv() [][]string {
	rows := [][]string{{"contestant", "metric", "unit", "value", "lo", "hi", "ratio_to_reference", "ratio_lo", "ratio_hi",
		"epochs",
		"tier", "rank_lo", "rank_hi", "verdict", "notes"}}
	for _, r := range p.all() {
		for _, m := range p.metrics {
			rows = append(rows, p.csvRow(r, m))
		}
		for _, c := range startColumns {
			if e := c.Of(r.Starts); r.Excluded == "" && e.N > 0 {
				notes := ""
				if c.Name == "warm_up" {
					notes = classesText(r.Starts)
				}
				rows = append(rows, slices.Concat([]string{r.Name, c.Name, c.Unit}, csvNumbers(e),
					[]string{"", "", "", strconv.Itoa(e.N), "", "", "", "", notes}))
			}
		}
	}
	s := newLevels(p.View)
	for _, r := range p.rows {
		for i := range s.Levels {
			for _, m := range s.extraMetrics(i) {
				f := s.figure(r, m, i)
				numbers, epochs, notes := []string{"", "", ""}, "", "absent: "+f.Absent
				if f.Absent == "" {
					numbers, epochs, notes = csvNumbers(f.Estimate), strconv.Itoa(f.N), ""
				}
				rows = append(rows, slices.Concat([]string{r.Name, m.Name + " (" + s.names[i] + ")", m.Unit}, numbers,
					[]string{"", "", "", epochs, "", "", "", "not compared", notes}))
			}
		}
	}
	return rows
}

func (p *paired) csvRow(r Row, m analysis.Metric) []string {
	c := p.cell(r.Name, m.Name)
	notes := r.Data
	fields := []string{r.Name, m.Name, m.Unit}
	if r.Excluded == "" && c.Absent == "" {
		fields = slices.Concat(fields, csvNumbers(c.Level), csvRatio(c.Ratio), []string{strconv.Itoa(c.Level.N)})
	} else {
		fields = append(fields, make([]string, 7)...)
		if r.Excluded == "" {
			notes = append([]string{"absent: " + document.Clean(c.Absent)}, notes...)
		}
	}
	if r.Excluded != "" || r.Place.Lo == 0 {
		fields = append(fields, "", "", "")
	} else {
		fields = append(fields, strconv.Itoa(r.Place.Tier), strconv.Itoa(r.Place.Lo), strconv.Itoa(r.Place.Hi))
	}
	verdict := "ranked"
	switch {
	case r.Excluded != "":
		verdict, notes = "excluded", append([]string{r.Excluded}, notes...)
	case r.Control:
		verdict = "control"
	case r.Place.LowerBound:
		verdict = "lower bound"
	}
	return append(fields, verdict, strings.Join(notes, "; "))
}

// csv has a row for each contestant, level and metric, controls last:
//
//	protocol,contestant,level,delay_ns,connections,pipeline,metric,unit,value,lo,hi,least,most,ratio_to_reference,ratio_lo,ratio_hi,epochs,state,notes
//
// protocol says in words what the figures are. lo and hi are the interval, empty where it is open;
// least and most are of the epochs. state is measured, lower bound, control, absent or excluded; the
// last two have no values. A comparison of named pairs has the columns pairHeads besides, and below
// a row of each pair and metric, whose state is pair.
func (s *sweep) csv() [][]string {
	rows := [][]string{{"protocol", "contestant", "level", "delay_ns", "connections", "pipeline", "metric", "unit",
		"value", "lo", "hi", "least", "most",
		"ratio_to_reference", "ratio_lo", "ratio_hi", "epochs", "state", "notes"}}
	var empty []string
	if s.namesPairs() {
		rows[0], empty = append(rows[0], pairHeads...), make([]string, len(pairHeads))
	}
	for _, r := range s.all() {
		for i := range s.Levels {
			for _, m := range s.metrics {
				rows = append(rows, append(s.csvRow(r, m, i), empty...))
			}
		}
	}
	if !s.namesPairs() {
		return rows
	}
	for _, p := range s.a.Pairs {
		m, _ := analysis.MetricNamed(p.Metric)
		at := s.Levels[min(p.AtA, len(s.Levels)-1)].At
		rows = append(rows, slices.Concat([]string{s.label(), p.A, s.levelAt(p.CellA())}, levelFields(at),
			[]string{p.Metric, m.Unit}, make([]string, 8),
			[]string{fmt.Sprint(p.Ratio.N), "pair", document.Clean(p.Note), p.B, s.levelAt(p.CellB())}, csvNumbers(p.Ratio),
			[]string{fmt.Sprint(p.P), string(p.Verdict)}))
	}
	return rows
}

// pairHeads are the columns that only the rows of pairs fill.
var pairHeads = []string{"against", "against_level", "pair_ratio", "pair_lo", "pair_hi", "p", "verdict"}

func (s *sweep) csvRow(r Row, m analysis.Metric, i int) []string {
	f := s.figure(r, m, i)
	state, notes, numbers := "measured", r.Data, make([]string, 9)
	switch {
	case r.Excluded != "":
		state, notes = "excluded", append([]string{r.Excluded}, notes...)
	case f.Absent != "":
		state, notes = "absent", append([]string{f.Absent}, notes...)
	case f.Bound:
		state = "lower bound"
	case r.Control:
		state = "control"
	}
	if f.Absent == "" {
		numbers = slices.Concat(csvNumbers(f.Estimate), []string{decimal(f.Least), decimal(f.Most)}, csvRatio(f.Ratio),
			[]string{strconv.Itoa(f.N)})
	}
	return slices.Concat([]string{s.label(), r.Name, s.names[i]}, levelFields(s.Levels[i].At), []string{m.Name, m.Unit},
		numbers,
		[]string{state, strings.Join(notes, "; ")})
}

// csv has a row for each contestant and metric:
//
//	protocol,contestant,delay_ns,connections,pipeline,metric,unit,value,least,most,loads,requests,errors,state,notes,load_generator
//
// protocol says in words what the figures are. value is of one load, or the middle one of several,
// least and most their range; requests are those of all loads that were answered right, errors the
// others by kind. state is measured, absent or excluded; these have no values.
// load_generator is who made the
// load: dyno, or an external load generator, whose requests are those that it says were answered.
func (c *classic) csv() [][]string {
	rows := [][]string{{"protocol", "contestant", "delay_ns", "connections", "pipeline", "metric", "unit", "value",
		"least", "most", "loads", "requests",
		"errors", "state", "notes", "load_generator"}}
	at := levelFields(c.run.Plan.Level)
	for _, r := range c.rows {
		n, errs := c.totals(r)
		for _, m := range c.metrics {
			f := c.figure(r, m)
			state, notes, numbers := "measured", r.Data, []string{"", "", ""}
			switch {
			case r.Excluded != "":
				state, notes = "excluded", append([]string{r.Excluded}, notes...)
			case f.Absent != "":
				state, notes = "absent", append([]string{f.Absent}, notes...)
			default:
				numbers = []string{decimal(f.Value), decimal(f.Least), decimal(f.Most)}
			}
			rows = append(rows, slices.Concat([]string{classicLabel, r.Name}, at, []string{m.Name, m.Unit}, numbers,
				[]string{strconv.Itoa(f.N), strconv.FormatInt(n, 10), errorsText(errs), state, strings.Join(notes, "; "), "dyno"}))
		}
	}
	return append(rows, newExternal(c).csv(at)...)
}

// csv returns the rows of the external load generator, and of both at the ceiling's server.
func (d *external) csv(at []string) (rows [][]string) {
	if d == nil {
		return nil
	}
	for i := range d.rows {
		r := &d.rows[i]
		if r.External == "" && r.Contestant != d.run.Plan.Ceiling {
			continue // it stands above
		}
		answers, errs := r.counts()
		for _, m := range analysis.ExternalMetrics {
			v, state := r.value(m), "measured"
			if math.IsNaN(v) {
				state = "absent"
			}
			rows = append(rows, slices.Concat([]string{classicLabel, r.Contestant}, at, []string{m.Name, m.Unit, decimal(v),
				decimal(v), decimal(v),
				strconv.Itoa(len(r.Loads)), strings.ReplaceAll(answers, ",", ""), errs, state, "", r.By()}))
		}
	}
	return rows
}

// levelFields returns the columns that say where a figure was taken.
func levelFields(at result.Level) []string {
	return []string{strconv.FormatInt(at.DelayNS, 10), strconv.Itoa(at.Connections), strconv.Itoa(at.Pipeline)}
}

func csvNumbers(e analysis.Estimate) []string {
	return []string{decimal(e.Value), decimal(e.Lo), decimal(e.Hi)}
}

func csvRatio(e analysis.Estimate) []string {
	if e.N == 0 {
		return []string{"", "", ""}
	}
	return csvNumbers(e)
}

// decimal formats a number with all its digits; "" if it is not finite.
func decimal(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
