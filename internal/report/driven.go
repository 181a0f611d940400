package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/result"
)

// driven is what an external load generator made of a classic run's contestants, beside dyno's own loads of the same.
type driven struct {
	*classic
	name string // of the generator
	rows []drivenRow
}

// drivenRow is one server under one of the two generators.
type drivenRow struct {
	contestant, title, driver string // driver is "" for dyno's own
	loads                     []result.Trial
}

// drivenMetrics are those that both may tell, and what each side spent on a request.
var drivenMetrics = []analysis.Metric{
	asTold("throughput", drivenRate),
	asTold("p50", toldOr(func(t *result.Told) *int64 { return t.P50NS }, analysis.ClassicNamed("p50").Of)),
	asTold("p99", toldOr(func(t *result.Told) *int64 { return t.P99NS }, analysis.ClassicNamed("p99").Of)),
	asTold("max", toldOr(func(t *result.Told) *int64 { return t.MaxNS }, analysis.ClassicNamed("max").Of)),
	costOf("cpu_per_request", "server", func(t *result.Trial) *int64 { return t.Server.CPUNS }),
	costOf("generator_cpu_per_request", "generator", func(t *result.Trial) *int64 { return t.Generator.CPUNS }),
}

// asTold is a metric of classic runs, read off the loads of either load generator.
func asTold(name string, of func(*result.Trial) (float64, bool)) analysis.Metric {
	m := analysis.ClassicNamed(name)
	m.Of = of
	return m
}

// costOf is the CPU time per answer of one of the two sides.
func costOf(name, side string, used func(*result.Trial) *int64) analysis.Metric {
	m := asTold("cpu_per_request", func(t *result.Trial) (float64, bool) { return perAnswer(t, used(t)) })
	m.Name, m.Head = name, side+" "+m.Head
	return m
}

func toldOr(told func(*result.Told) *int64, own func(*result.Trial) (float64, bool)) func(*result.Trial) (float64, bool) {
	return func(t *result.Trial) (float64, bool) {
		if t.Told == nil {
			return own(t)
		}
		n := told(t.Told)
		if n == nil {
			return 0, false
		}
		return float64(*n), true
	}
}

func drivenRate(t *result.Trial) (float64, bool) {
	switch {
	case t.Told == nil:
		return analysis.ClassicNamed("throughput").Of(t)
	case t.Told.RatePerSec == nil:
		return 0, false
	}
	return *t.Told.RatePerSec, true
}

// answered is how many answers a load had, as its generator counts; nil: it does not tell.
func answered(t *result.Trial) *int64 {
	if t.Told != nil {
		return t.Told.Answered
	}
	n := t.Load.Succeeded + t.Load.Failed
	return &n
}

func perAnswer(t *result.Trial, used *int64) (float64, bool) {
	n := answered(t)
	if used == nil || n == nil || *n == 0 {
		return 0, false
	}
	return float64(*used) / float64(*n), true
}

// newDriven returns nil where the run has no external load generator.
func newDriven(c *classic) *driven {
	p := &c.run.Plan
	if p.Driver == "" {
		return nil
	}
	d := &driven{classic: c, name: Clean(p.Driver)}
	add := func(name, title string) {
		for _, driver := range []string{"", p.Driver} {
			r := drivenRow{contestant: name, title: title, driver: driver}
			for _, t := range c.Beside {
				if t.Contestant == name && t.Driver == driver {
					r.loads = append(r.loads, t)
				}
			}
			d.rows = append(d.rows, r)
		}
	}
	for _, r := range c.rows {
		if r.Struck == "" {
			add(r.Name, r.Title)
		}
	}
	if p.Ceiling != "" && c.run.FailureOf(p.Ceiling) == nil {
		add(p.Ceiling, c.title(p.Ceiling))
	}
	return d
}

// by is who made the loads of a row.
func (r *drivenRow) by() string { return orElse(Clean(r.driver), "dyno") }

// value is the middle one of a row's loads; of an even number the worse of the middle two. NaN: none tells it.
func (r *drivenRow) value(m analysis.Metric) float64 {
	var values []float64
	for i := range r.loads {
		if v, ok := m.Of(&r.loads[i]); ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	if m.More {
		return values[(len(values)-1)/2]
	}
	return values[len(values)/2]
}

// row finds that of a contestant under a generator.
func (d *driven) row(contestant, driver string) *drivenRow {
	for i := range d.rows {
		if r := &d.rows[i]; r.contestant == contestant && r.driver == driver {
			return r
		}
	}
	return &drivenRow{}
}

// share is what part a row's rate is of what the same generator makes of a server that does nothing. NaN: that was not measured.
func (d *driven) share(r *drivenRow) float64 {
	if d.run.Plan.Ceiling == "" {
		return math.NaN()
	}
	return r.value(drivenMetrics[0]) / d.row(d.run.Plan.Ceiling, r.driver).value(drivenMetrics[0])
}

// counts are a row's answers and errors. A generator that does not tell how many it had has none here.
func (r *drivenRow) counts() (answers, errors string) {
	var n int64
	told, kinds := len(r.loads) > 0, map[string]int64{}
	for i := range r.loads {
		t := &r.loads[i]
		a := answered(t)
		told = told && a != nil
		if a != nil {
			n += *a
		}
		all := []map[string]int64{t.Load.Failures, t.Load.Errors}
		if t.Told != nil {
			all = []map[string]int64{t.Told.Failed, t.Told.Errors}
		}
		for _, m := range all {
			for kind, k := range m {
				if k > 0 {
					kinds[kind] += k
				}
			}
		}
	}
	if !told {
		return Missing, Missing
	}
	return grouped(float64(n), 0), errorsText(kinds)
}

// table is the rows as text, with their heads. The first two columns name the server and the generator.
func (d *driven) table() (heads []string, rows [][]string) {
	heads = []string{contestantHead, "by"}
	scales := make([]Scale, len(drivenMetrics))
	for i, m := range drivenMetrics {
		var values []float64
		for k := range d.rows {
			if v := d.rows[k].value(m); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		scales[i] = ScaleOf(m.Unit, values...)
		heads = append(heads, m.HeadIn(scales[i].Name))
		if m.Kind == analysis.Rate {
			heads = append(heads, "of ceiling")
		}
	}
	heads = append(heads, "answers", "errors")
	for k := range d.rows {
		r := &d.rows[k]
		cells := []string{r.title, r.by()}
		for i, m := range drivenMetrics {
			cells = append(cells, Sig3(r.value(m)/scales[i].Per))
			if m.Kind == analysis.Rate {
				share := Missing
				if s := d.share(r); !math.IsNaN(s) && r.contestant != d.run.Plan.Ceiling {
					share = PerCent(s)
				}
				cells = append(cells, share)
			}
		}
		answers, errors := r.counts()
		rows = append(rows, append(cells, answers, errors))
	}
	return heads, rows
}

// head names the generator, and typed is its command, but for the address the same in all of its loads; "" where it made none.
func (d *driven) head() (head, typed string) {
	for _, r := range d.rows {
		for _, t := range r.loads {
			if t.Told != nil {
				version := strings.TrimSpace(strings.TrimPrefix(Clean(t.Told.Version), d.name))
				return fmt.Sprintf("The same loads by %s (%s)", d.name, version), Clean(asTyped(t.Told.Command))
			}
		}
	}
	return d.name + " made no load", ""
}

// asTyped is a command as it would be typed.
func asTyped(argv []string) string {
	words := slices.Clone(argv)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\"'$&;|<>(){}*?#\\") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
