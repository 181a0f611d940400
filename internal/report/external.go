package report

import (
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// external holds the loads by external load generators in a classic run, with dyno's own loads on
// the same contestants.
type external struct {
	*View
	tools []string
	rows  []LoadsBy
}

// LoadsBy are the loads that one generator made on one server.
type LoadsBy struct {
	Contestant, Title, External string // External is "" for dyno's own loads
	Loads                       []*record.Trial
}

// external returns the run's loads by several generators; nil if the run has no external load
// generator.
func (v *View) external() *external {
	p := &v.run.Plan
	if len(p.External) == 0 || !v.single {
		return nil
	}
	d := &external{View: v, tools: p.External}
	add := func(name, title string) {
		for _, external := range append([]string{""}, p.External...) {
			r := LoadsBy{Contestant: name, Title: title, External: external}
			for _, t := range v.AllLoads {
				if t.Contestant == name && t.External == external {
					r.Loads = append(r.Loads, t)
				}
			}
			d.rows = append(d.rows, r)
		}
	}
	for _, r := range v.rows {
		if r.Excluded == "" {
			add(r.Name, r.Title)
		}
	}
	if p.Ceiling != "" && v.run.FailureOf(p.Ceiling) == nil {
		add(p.Ceiling, v.Title(p.Ceiling))
	}
	return d
}

// By returns the name of the generator that made the loads.
func (r *LoadsBy) By() string { return orElse(document.Clean(r.External), "dyno") }

// value returns a metric's middle value over the loads; NaN if none reports it.
func (r *LoadsBy) value(m judge.Metric) float64 {
	if middle := judge.MiddleOf(r.Loads, m); middle.N > 0 {
		return middle.Value
	}
	return math.NaN()
}

// rate returns the rate that the generator measured, per second; NaN if it reports none.
func (r *LoadsBy) rate() float64 { return r.value(judge.ExternalMetrics[0]) }

// row returns the loads by a generator on a contestant.
func (d *external) row(contestant, external string) *LoadsBy {
	for i := range d.rows {
		if r := &d.rows[i]; r.Contestant == contestant && r.External == external {
			return r
		}
	}
	return &LoadsBy{}
}

// share returns a row's rate relative to the rate that the same generator reaches with a server
// that does nothing; NaN if that was not measured.
func (d *external) share(r *LoadsBy) float64 {
	if d.run.Plan.Ceiling == "" {
		return math.NaN()
	}
	return r.rate() / d.row(d.run.Plan.Ceiling, r.External).rate()
}

// counts returns the number of answers and the errors by kind, unless the generator does not report
// its answers.
func (r *LoadsBy) counts() (n int64, kinds map[string]int64, reported bool) {
	reported, kinds = len(r.Loads) > 0, map[string]int64{}
	for i := range r.Loads {
		t := r.Loads[i]
		a := judge.Answered(t)
		reported = reported && a != nil
		if a != nil {
			n += *a
		}
		all := []map[string]int64{t.Load.Failures, t.Load.Errors}
		if t.Reported != nil {
			all = []map[string]int64{t.Reported.Failed, t.Reported.Errors}
		}
		for _, m := range all {
			for kind, k := range m {
				if k > 0 {
					kinds[kind] += k
				}
			}
		}
	}
	return n, kinds, reported
}

// section returns the section with all generators' loads side by side, and their explanation.
func (d *external) section() document.Section {
	if d == nil {
		return document.Section{}
	}
	var heads []string
	s := document.Section{ID: "external"}
	for _, tool := range d.tools {
		version, typed := d.called(tool)
		if heads = append(heads, document.Clean(tool)+version); typed != "" {
			s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain("as: " + typed)})
		}
	}
	s.Title = "The same loads by " + And(heads)
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "by"}}}
	scale := map[string]judge.Scale{}
	for _, m := range judge.ExternalMetrics {
		var values []float64
		for k := range d.rows {
			if v := d.rows[k].value(m); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		scale[m.Name] = ScaleOf(m.Unit, values...)
		t.Columns = append(t.Columns, column(m, scale[m.Name]))
		if m.Kind == judge.Rate {
			t.Columns = append(t.Columns, document.Column{Head: "of ceiling", Word: "driver", Number: true})
		}
	}
	t.Columns = append(t.Columns, document.Column{Head: "answers", Word: "driver", Number: true},
		document.Column{Head: "errors", Word: "driver"})
	for k := range d.rows {
		t.Rows = append(t.Rows, d.toolRow(&d.rows[k], scale))
	}
	s.Blocks = append(s.Blocks, t, document.Items(d.said()...))
	s.Blocks = append(s.Blocks, d.apart()...)
	return s
}

// apart describes what distinguishes each generator from dyno, for any server.
func (d *external) apart() (blocks []document.Block) {
	for _, tool := range d.tools {
		blocks = append(blocks, document.Paragraph{Text: document.Plain("What sets " + document.Clean(tool) +
			" apart, for any server:")}, document.Items(d.ways(tool)...))
	}
	return blocks
}

func (d *external) toolRow(r *LoadsBy, scale map[string]judge.Scale) document.Row {
	row := document.Row{Cells: []document.Cell{{Value: r.Title}, {Value: r.By()}}}
	if r.Contestant == d.run.Plan.Ceiling {
		row.Style = document.Quiet
	}
	cell := func(v float64, text string) {
		if math.IsNaN(v) || text == Missing {
			row.Cells = append(row.Cells, document.Cell{Absent: "it is not reported"})
			return
		}
		row.Cells = append(row.Cells, document.Cell{Value: text})
	}
	for _, m := range judge.ExternalMetrics {
		v := r.value(m)
		cell(v, Sig3(v/scale[m.Name].Per))
		if m.Kind == judge.Rate {
			share := d.share(r)
			if r.Contestant == d.run.Plan.Ceiling {
				share = math.NaN()
			}
			cell(share, PerCent(share))
		}
	}
	answers, errors := Missing, Missing
	if n, kinds, reported := r.counts(); reported {
		answers, errors = document.Whole(n), errorsText(kinds)
	}
	cell(0, answers)
	cell(0, errors)
	return row
}

// called returns a generator's version, in brackets, and the command that it was called with; only
// address and time differ between its loads. It returns "" if the generator made no load.
func (d *external) called(tool string) (version, typed string) {
	for _, r := range d.rows {
		for _, t := range r.Loads {
			if t.Reported != nil && t.External == tool {
				version := strings.TrimSpace(strings.TrimPrefix(document.Clean(t.Reported.Version), tool))
				return " (" + version + ")", document.Clean(asTyped(t.Reported.Command))
			}
		}
	}
	return " (made no load)", ""
}

// asTyped formats a command as a user would type it.
func asTyped(argv []string) string {
	words := slices.Clone(argv)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\"'$&;|<>(){}*?#\\") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
