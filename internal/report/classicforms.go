package report

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/analysis"
)

// classicText is Text for a classic run: one table, no ranks.
func classicText(w io.Writer, d *Data) error {
	c := newClassic(d)
	t := newText(w, c.view)
	t.unjudgedHead(sentenceCase(classicLabel), c.head(), []string{classicMisleads})
	t.classicTable(c)
	for _, l := range slices.Concat(c.gaps(), c.marks(), c.growth()) {
		t.para("", "", l, "", "")
	}
	if len(c.ranked()) > 0 && !c.hasErrors() {
		t.para("", "", "Errors of those that have figures: none.", "", "")
	}
	t.line("")
	t.driven(newDriven(c))
	t.unjudgedEnd()
	return t.out.Flush()
}

func (t *text) classicTable(c *classic) {
	if len(c.rows) == 0 {
		t.line("No contestants.")
		t.line("")
		return
	}
	title := column{head: contestantHead}
	for _, r := range c.rows {
		title.cells = append(title.cells, crossed(r)+shorten(r.Title, max(8, min(t.width/3, 32))))
	}
	tables := stack([]column{title}, c.columns(), t.width)
	for k, table := range tables {
		if k > 0 {
			t.line("")
		}
		t.line(t.paint(dim, line(table, -1, nil)))
		for i, r := range c.rows {
			t.engine(c.view, c.rows, i)
			switch {
			case r.Struck == "":
				t.line(line(table, i, nil))
				if k == len(tables)-1 && len(r.Notes) > 0 {
					t.para("  ", "", strings.Join(r.Notes, "; "), "", "")
				}
			case k == 0:
				t.struckRow(table, i, r)
			}
		}
	}
	t.line("")
}

func (c *classic) columns() (cols []column) {
	for _, m := range c.metrics {
		var values, sides []string
		scale := c.scale(m)
		for _, r := range c.rows {
			value, side := Missing, ""
			switch f := c.figure(r, m); {
			case r.Struck != "":
				value = ""
			case f.absent == "":
				value = Sig3(f.value / scale.Per)
				if s := f.rangeText(scale); s != "" {
					side = "(" + s + ")"
				}
			}
			values, sides = append(values, value), append(sides, side)
		}
		cols = append(cols, pairColumn(c.headOf(m), values, sides, false))
	}
	requests, errs := column{head: "requests", right: true}, column{head: "errors"}
	for _, r := range c.rows {
		n, e := c.totals(r)
		a, b := grouped(float64(n), 0), errorsText(e)
		if r.Struck != "" || len(c.loads(r)) == 0 {
			a, b = "", ""
		}
		requests.cells, errs.cells = append(requests.cells, a), append(errs.cells, b)
	}
	if !c.hasErrors() {
		return append(cols, requests)
	}
	return append(cols, requests, errs)
}

// hasErrors says whether a row that has figures has errors as well.
func (c *classic) hasErrors() bool {
	return slices.ContainsFunc(c.ranked(), func(r row) bool {
		_, errs := c.totals(r)
		return len(errs) > 0
	})
}

// classicMarkdown is Markdown for a classic run.
func classicMarkdown(w io.Writer, d *Data) error {
	c := newClassic(d)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "### %s\n\n%s\n\n", escapeMarkdown(c.heading()), escapeMarkdown(strings.Join(c.sentences(), " ")))
	if len(c.rows) > 0 {
		c.markdownTable(out)
	}
	for _, l := range slices.Concat(c.gaps(), c.marks()) {
		fmt.Fprintf(out, "- %s\n", escapeMarkdown(l))
	}
	fmt.Fprintf(out, "\n%s.\n\n", escapeMarkdown(strings.Join(c.head(), ", ")))
	newDriven(c).markdown(out)
	c.markdownEnd(out)
	return out.Flush()
}

func (c *classic) markdownTable(out io.Writer) {
	line := func(fields []string) { fmt.Fprintf(out, "| %s |\n", strings.Join(fields, " | ")) }
	heads, rule := []string{"contestant"}, []string{"---"}
	for _, m := range c.metrics {
		heads, rule = append(heads, c.headOf(m)), append(rule, "--:")
	}
	heads = append(heads, "requests", "errors", "notes")
	line(escaped(heads))
	line(append(rule, "--:", "---", "---"))
	for i, r := range c.rows {
		c.engineMarkdown(line, c.rows, i, len(heads)-1)
		fields := []string{markdownTitle(r)}
		for _, m := range c.metrics {
			value := Missing
			if f := c.figure(r, m); f.absent == "" {
				value = Sig3(f.value / c.scale(m).Per)
				if s := f.rangeText(c.scale(m)); s != "" {
					value += " (" + s + ")"
				}
			}
			fields = append(fields, escapeMarkdown(value))
		}
		n, errs := c.totals(r)
		notes := r.Notes
		if r.Struck != "" {
			notes = append([]string{r.Struck}, notes...)
		}
		line(append(fields, grouped(float64(n), 0), escapeMarkdown(errorsText(errs)), escapeMarkdown(strings.Join(notes, "; "))))
	}
	fmt.Fprintln(out)
}

// classicCSV writes one row per contestant and metric, with a head row:
//
//	protocol,contestant,delay_ns,connections,pipeline,metric,unit,value,least,most,loads,requests,errors,state,notes,driver
//
// protocol says in words what the figures are. value is of one load, or the middle one of several, least and most their range; requests
// are those of all loads that were answered right, errors the others by kind. state is measured, absent or struck; these have no values.
// driver is who made the load: dyno, or an external load generator, whose requests are those that it says were answered.
func classicCSV(w io.Writer, d *Data) error {
	c := newClassic(d)
	out := csv.NewWriter(w)
	out.Write([]string{"protocol", "contestant", "delay_ns", "connections", "pipeline", "metric", "unit", "value", "least", "most", "loads", "requests", "errors", "state", "notes", "driver"})
	at := c.run.Plan.Level
	for _, r := range c.rows {
		n, errs := c.totals(r)
		for _, m := range c.metrics {
			f := c.figure(r, m)
			state, notes := "measured", r.Data
			numbers := []string{"", "", ""}
			switch {
			case r.Struck != "":
				state, notes = "struck", append([]string{r.Struck}, notes...)
			case f.absent != "":
				state, notes = "absent", append([]string{f.absent}, notes...)
			default:
				numbers = csvNumbers(analysis.Estimate{Value: f.value, Lo: f.least, Hi: f.most})
			}
			fields := []string{classicLabel, r.Name, strconv.FormatInt(at.DelayNS, 10), strconv.Itoa(at.Connections), strconv.Itoa(at.Pipeline), m.Name, m.Unit}
			fields = append(append(fields, numbers...), strconv.Itoa(f.loads), strconv.FormatInt(n, 10), errorsText(errs), state, strings.Join(notes, "; "), "dyno")
			out.Write(fields)
		}
	}
	newDriven(c).csv(out, []string{strconv.FormatInt(at.DelayNS, 10), strconv.Itoa(at.Connections), strconv.Itoa(at.Pipeline)})
	out.Flush()
	return out.Error()
}

// classicJSON writes run.json of a classic run; doc/format.md has its keys.
func classicJSON(w io.Writer, d *Data) error {
	c := newClassic(d)
	list := []object{}
	for _, r := range c.rows {
		var metrics object
		for _, m := range c.metrics {
			metrics = append(metrics, field{m.Name, singleJSON(m, c.figure(r, m))})
		}
		n, errs := c.totals(r)
		var kinds object
		for _, k := range slices.Sorted(maps.Keys(errs)) {
			kinds = append(kinds, field{k, errs[k]})
		}
		list = append(list, append(c.unjudgedJSON(r), field{"requests", n}, field{"errors", kinds}, field{"metrics", metrics}, field{"memory_growth", c.growthJSON(r)},
			field{"built", r.Built}, field{"launches", c.launchesJSON(r)}))
	}
	all := object{
		{"format", JSONFormat},
		{"label", classicLabel},
		{"answer", c.sentences()},
		{"plan", c.run.Plan}, {"host", c.run.Host}, {"end", c.run.End},
		{"summary", object{{"loads", len(c.Loads)}, {"loaded_again", c.Void}}},
		{"contestants", list},
		{"findings", c.findingsJSON()},
	}
	if beside := newDriven(c); beside != nil {
		all = append(all, field{"driver", beside.json()})
	}
	return writeObject(w, d, all)
}

func singleJSON(m analysis.Metric, f single) object {
	if f.absent != "" {
		f.value, f.least, f.most = math.NaN(), math.NaN(), math.NaN()
	}
	u := analysis.UnitNamed(m.Unit).Key
	return object{{"value_" + u, number(f.value)}, {"least_" + u, number(f.least)}, {"most_" + u, number(f.most)}, {"loads", f.loads}, {"absent", orNull(f.absent)}}
}

// classicSVG refuses: a chart would make the figures look comparable.
func classicSVG(io.Writer, *Data) error {
	return errors.New("draw chart: a classic run has single figures, which a chart would make look comparable; take --format html, text, markdown, csv or json")
}
