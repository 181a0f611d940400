package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/result"
)

// sweepMarkdown is Markdown for a sweep: a table for each metric.
func sweepMarkdown(w io.Writer, d *Data) error {
	s := newSweep(d)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "### %s\n\n%s\n\n", escapeMarkdown(s.heading()), escapeMarkdown(strings.Join(s.sentences(), " ")))
	s.familyMarkdown(out)
	s.heldMarkdown(out)
	for _, m := range s.shownMetrics() {
		s.showing(m).markdownTable(out, m)
	}
	for _, list := range [][]string{s.marks(), s.gaps(), s.rowNotes()} {
		for _, l := range list {
			fmt.Fprintf(out, "- %s\n", escapeMarkdown(l))
		}
	}
	fmt.Fprintf(out, "\n%s.\n\n", escapeMarkdown(strings.Join(s.head(), ", ")))
	s.markdownEnd(out)
	return out.Flush()
}

func (s *sweep) markdownTable(out io.Writer, m analysis.Metric) {
	rows := slices.Concat(s.rows, s.controls)
	if len(rows) == 0 || len(s.Levels) == 0 {
		return
	}
	scale := s.sweepScale(m)
	fmt.Fprintf(out, "**%s**, %s\n\n", escapeMarkdown(m.Title), unitWords(scale))
	line := func(fields []string) { fmt.Fprintf(out, "| %s |\n", strings.Join(fields, " | ")) }
	line(append([]string{"contestant"}, escaped(slices.Clone(s.names))...))
	line(append([]string{"---"}, slices.Repeat([]string{"--:"}, len(s.names))...))
	for i, r := range rows {
		s.engineMarkdown(line, rows, i, len(s.Levels))
		fields := []string{markdownTitle(r)}
		for i := range s.Levels {
			value := Missing
			if f := s.figure(r, m, i); f.absent == "" {
				value = Sig3(f.Value/scale.Per) + " " + f.side()
				if f.bound {
					value = "≥ " + value
				}
			} else if r.Struck != "" && i == 0 {
				value = r.Struck
			}
			fields = append(fields, escapeMarkdown(value))
		}
		line(fields)
	}
	fmt.Fprintln(out)
}

// markdownTitle is that of a row: struck out if it failed, slanting if it is a control.
func markdownTitle(r row) string {
	title := escapeMarkdown(r.Title)
	switch {
	case r.Struck != "":
		return "~~" + title + "~~"
	case r.Control:
		return "*" + title + "*"
	}
	return title
}

// sweepCSV writes one row per contestant, level and metric, controls last, with a head row:
//
//	protocol,contestant,level,delay_ns,connections,pipeline,metric,unit,value,lo,hi,least,most,ratio_to_ref,ratio_lo,ratio_hi,epochs,state,notes
//
// protocol says in words what the figures are. lo and hi are the interval, empty where it is open; least and most are of the epochs.
// state is measured, lower bound, control, absent or struck; the last two have no values. A duel with named pairs has the columns familyHeads besides,
// and below a row of each pair and metric, whose state is pair.
func sweepCSV(w io.Writer, d *Data) error {
	s := newSweep(d)
	out := csv.NewWriter(w)
	heads := []string{"protocol", "contestant", "level", "delay_ns", "connections", "pipeline", "metric", "unit", "value", "lo", "hi", "least", "most",
		"ratio_to_ref", "ratio_lo", "ratio_hi", "epochs", "state", "notes"}
	var empty []string
	if s.isFamily() {
		heads, empty = append(heads, familyHeads...), make([]string, len(familyHeads))
	}
	out.Write(heads)
	for _, r := range slices.Concat(s.rows, s.controls) {
		for i := range s.Levels {
			for _, m := range s.metrics {
				out.Write(append(s.csvRow(r, m, i), empty...))
			}
		}
	}
	if s.isFamily() {
		s.familyCSV(out.Write)
	}
	out.Flush()
	return out.Error()
}

func (s *sweep) csvRow(r row, m analysis.Metric, i int) []string {
	at := s.Levels[i].At
	fields := append([]string{s.label(), r.Name}, levelFields(s.names[i], at)...)
	fields = append(fields, m.Name, m.Unit)
	f := s.figure(r, m, i)
	state, notes := "measured", r.Data
	switch {
	case r.Struck != "":
		state, notes = "struck", append([]string{r.Struck}, notes...)
	case f.absent != "":
		state, notes = "absent", append([]string{f.absent}, notes...)
	case f.bound:
		state = "lower bound"
	case r.Control:
		state = "control"
	}
	if f.absent != "" {
		fields = append(fields, slices.Repeat([]string{""}, 9)...)
	} else {
		fields = append(fields, csvNumbers(f.Estimate)...)
		fields = append(fields, csvNumbers(analysis.Estimate{Lo: f.least, Hi: f.most})[1:]...)
		ratio := []string{"", "", ""}
		if f.ratio.N > 0 {
			ratio = csvNumbers(f.ratio)
		}
		fields = append(append(fields, ratio...), strconv.Itoa(f.N))
	}
	return append(fields, state, strings.Join(notes, "; "))
}

// levelFields are the columns that say where a figure was taken.
func levelFields(name string, at result.Level) []string {
	return []string{name, strconv.FormatInt(at.DelayNS, 10), strconv.Itoa(at.Connections), strconv.Itoa(at.Pipeline)}
}

// sweepJSON writes run.json of a sweep; doc/format.md has its keys.
func sweepJSON(w io.Writer, d *Data) error {
	s := newSweep(d)
	list := []object{}
	for _, r := range slices.Concat(s.rows, s.controls) {
		o := s.unjudgedJSON(r)
		if idle := s.unloadedJSON(r); idle != nil {
			o = append(o, field{"idle", idle})
		}
		list = append(list, append(o, field{"levels", s.rowLevelsJSON(r)}, field{"starts", startsJSON(r.Starts)}, field{"built", r.Built}, field{"launches", s.launchesJSON(r)}))
	}
	summary := object{{"valid_trials", s.Valid}, {"void_trials", s.Void}, {"primary", s.primary().Name}}
	if s.isFamily() {
		summary = append(s.decisionJSON(), summary...)
	}
	o := object{
		{"format", JSONFormat},
		{"label", s.label()},
		{"answer", s.sentences()},
		{"plan", s.run.Plan}, {"host", s.run.Host}, {"end", s.run.End},
		{"summary", summary},
		{"levels", s.levelsJSON()},
		{"contestants", list},
	}
	if s.isFamily() {
		o = append(o, s.familyJSON()...)
	}
	return writeObject(w, d, append(o, field{"findings", s.findingsJSON()}))
}

// levelsJSON are the levels, and how much was measured at each.
func (s *sweep) levelsJSON() []object {
	levels := []object{}
	for i, l := range s.Levels {
		epochs := 0
		if l.Analysis != nil {
			epochs = l.Analysis.Epochs
		}
		levels = append(levels, object{{"name", s.names[i]}, {"at", l.At}, {"valid_epochs", epochs}, {"valid_trials", len(l.Trials)}})
	}
	return levels
}

// rowLevelsJSON are the figures of a row, level by level.
func (s *sweep) rowLevelsJSON(r row) []object {
	at := []object{}
	for i := range s.Levels {
		at = append(at, s.levelJSON(r, i))
	}
	return at
}

// unjudgedJSON is what a contestant has in common in the protocols without verdicts.
func (v *view) unjudgedJSON(r row) object {
	return object{{"name", r.Name}, {"title", r.Title}, {"control", r.Control}, {"struck", orNull(r.Struck)},
		{"notes", append([]string{}, r.Data...)}, {"failure", r.Failure}}
}

func (v *view) launchesJSON(r row) []result.Launch {
	launches := []result.Launch{}
	for _, l := range v.run.Launches {
		if l.Contestant == r.Name {
			launches = append(launches, l)
		}
	}
	return launches
}

func (s *sweep) levelJSON(r row, i int) object {
	var share any
	if a := s.Levels[i].Analysis; a != nil && r.Struck == "" {
		if x, ok := a.Shares[r.Name]; ok {
			share = number(x)
		}
	}
	bound := false
	var metrics object
	for _, m := range s.metrics {
		f := s.figure(r, m, i)
		bound = bound || f.bound
		metrics = append(metrics, field{m.Name, figureJSON(m, f)})
	}
	return object{{"level", s.names[i]}, {"lower_bound", bound}, {"ceiling_share_ratio", share}, {"metrics", metrics}}
}

func figureJSON(m analysis.Metric, f figure) object {
	if f.absent != "" {
		nan := math.NaN()
		f.Estimate, f.least, f.most = analysis.Estimate{Value: nan, Lo: nan, Hi: nan}, nan, nan
	}
	u := analysis.UnitNamed(m.Unit).Key
	o := object{{"value_" + u, number(f.Value)}, {"lo_" + u, number(f.Lo)}, {"hi_" + u, number(f.Hi)},
		{"least_" + u, number(f.least)}, {"most_" + u, number(f.most)}, {"epochs", f.N}, {"to_yardstick", nil}, {"absent", orNull(f.absent)}}
	if f.ratio.N > 0 {
		o.set("to_yardstick", ratioJSON(f.ratio))
	}
	return o
}
