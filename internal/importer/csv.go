package importer

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno/internal/conf"
)

// columnNames maps the names of descriptive columns, as simplify spells them, to dyno's names.
var columnNames = aliases(map[string]string{
	"source":      "source",
	"ref":         "ref, table, file",
	"date":        "date",
	"suite":       "suite",
	"scenario":    "scenario, test, endpoint, url, benchmark",
	"contestant":  "contestant, name, framework, server, router, implementation",
	"connections": "connections, concurrency, conns, clients, c",
	"load":        "load, command",
	"metric":      "metric",
	"value":       "value",
	"unit":        "unit",
	"delay":       "delay, sleep",
	"depth":       "depth, pipeline, pipelining",
	"target":      "target rate, target rps, rate limit",
	"reconnects":  "reconnects",
})

// metricNames maps metric names, as simplify spells them, to dyno's names. Other metrics keep their
// names.
var metricNames = aliases(map[string]string{
	"rps": "rps, req s, reqs s, req sec, reqs sec, requests s, requests sec, requests per second, " +
		"requests per sec, qps, throughput rps",
	"rps_mean": "rps mean, rps avg",
	"latency_mean": "latency mean, latency avg, latency average, mean latency, avg latency, average latency, " +
		"latency, total mean, average, avg, mean",
	"latency_min":   "latency min, min latency, fastest",
	"latency_max":   "latency max, max latency, slowest",
	"latency_stdev": "latency stdev, latency sd, latency stddev, stdev latency, stddev latency",
	"p50":           "p50, median, latency median, latency p50",
	"time":          "time, elapsed, time taken, duration",
	"requests":      "requests, n, total requests, complete requests",
	"throughput":    "throughput, transfer, transfer rate, transfer sec, bandwidth",
	"http1xx":       "1xx, status 1xx, http 1xx",
	"http2xx":       "2xx, status 2xx, http 2xx",
	"http3xx":       "3xx, status 3xx, http 3xx",
	"http4xx":       "4xx, status 4xx, http 4xx",
	"http5xx":       "5xx, status 5xx, http 5xx",
})

// aliases inverts a table of names with their aliases.
func aliases(table map[string]string) map[string]string {
	m := map[string]string{}
	for name, list := range table {
		for alias := range strings.SplitSeq(list, ", ") {
			m[alias] = name
		}
	}
	return m
}

// Forms of names in a table's header.
var (
	notWord  = conf.Regexp(`[^a-z0-9]+`)
	quantile = conf.Regexp(`^(?:latency )?(?:p|percentile ?)([0-9]{1,2}(?: ?9+)?|100)(?: latency)?$|` +
		`^(?:latency )?([0-9]{1,2}(?: 9+)?|100)(?:st|nd|rd|th)?(?: percent| percentile| pct| ?ile)(?: latency)?$`)
	inParens = conf.Regexp(`^(.*?)\s*[\[(]([^\])]*)[\])]\s*$`)
)

// simplify returns a common spelling of a name: lower case, one space between words.
func simplify(name string) string {
	return strings.TrimSpace(notWord().ReplaceAllString(strings.ToLower(name), " "))
}

// metricOf returns the metric for a name, and whether it is a known one.
func metricOf(name string) (metric string, known bool) {
	s := simplify(name)
	if m, ok := metricNames[s]; ok {
		return m, true
	}
	if m := quantile().FindStringSubmatch(simplify(strings.ReplaceAll(name, "%", " percent"))); m != nil {
		digits := strings.ReplaceAll(cmp.Or(m[1], m[2]), " ", "")
		if len(digits) > 2 && digits != "100" {
			digits = digits[:2] + "." + digits[2:]
		}
		return "p" + digits, true
	}
	return name, false
}

// figures is a column with figures for one metric; unit is "" if the cells contain it.
type figures struct{ metric, unit string }

// wideMetric interprets the header of a column with figures: "latency_ms", "Latency (ms)", "req/s".
func wideMetric(head string) (f figures, ok bool) {
	if f.metric, ok = metricOf(head); ok {
		if strings.HasPrefix(f.metric, "rps") {
			f.unit = "req/s"
		}
		return f, true
	}
	if m := inParens().FindStringSubmatch(head); m != nil {
		if _, unit := units[strings.ToLower(m[2])]; !unit {
			return figures{}, false
		}
		if f.metric, ok = metricOf(m[1]); ok {
			return figures{f.metric, m[2]}, true
		}
	}
	// The text after the last blank or underscore is a unit only if it is a known one: "p99" has
	// none.
	if i := strings.LastIndexAny(head, "_ "); i > 0 {
		if _, known := units[strings.ToLower(head[i+1:])]; known {
			f.metric, ok = metricOf(head[:i])
			return figures{f.metric, head[i+1:]}, ok
		}
	}
	return f, false
}

// rowKey holds the columns that distinguish rows.
type rowKey struct{ source, edition, date, suite, scenario, contestant, connections, load, delay, depth string }

// table is a table being read.
type table struct {
	*reader
	at     func(column int) (line, col int) // position of a cell in the current line
	part   string                           // part of the document, if no column has the scenario
	column map[string]int                   // index by our column names
	wide   map[int]figures                  // columns with figures
	rows   map[rowKey]*Row                  // the latest row for each key
}

// csv reads a table in one of two shapes: a figure a line, with the columns metric and value, or a
// contestant a line, with a column for each metric.
func (r *reader) csv() error {
	head, _, _ := bytes.Cut(r.data, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(r.data))
	in.FieldsPerRecord = -1
	t := newTable(r, in.FieldPos)
	// The separator is the one that is more frequent in the header than commas, if any.
	for _, comma := range ";\t" {
		if bytes.Count(head, []byte(string(comma))) > bytes.Count(head, []byte(",")) {
			in.Comma = comma
		}
	}
	names, err := in.Read()
	if err != nil {
		return fmt.Errorf("the header of the table: %w", err)
	}
	t.head(names)
	take := t.take(names)
	if take == nil {
		return fmt.Errorf("%s: "+noFigures, r.place(1, 1), strings.Join(names, ", "))
	}
	for {
		cells, err := in.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			r.trouble(bad.StartLine, max(bad.Column, 1), "%v; quote the cell, and double the quotes in it", bad.Err)
		case err != nil:
			return err
		case len(cells) != len(names):
			line, _ := in.FieldPos(0)
			r.trouble(line, 1, "%d cells; the header has %d", len(cells), len(names))
		default:
			take(cells)
		}
	}
}

// noFigures is the error format for a table without figures.
const noFigures = "no column contains figures; want the columns metric and value, or columns such as rps, " +
	"latency_ms, p99_ms; the header is %.100q"

func newTable(r *reader, at func(column int) (line, col int)) *table {
	return &table{reader: r, at: at, column: map[string]int{}, wide: map[int]figures{}, rows: map[rowKey]*Row{}}
}

// take returns the function that reads a line, as one figure or as one contestant; nil if no column
// contains figures. It records the columns that the function does not read; t.at must give their
// places.
func (t *table) take(names []string) func(cells []string) {
	_, metric := t.column["metric"]
	_, value := t.column["value"]
	long := metric && value
	if !long && len(t.wide) == 0 {
		return nil
	}
	read := map[int]bool{}
	for name, i := range t.column {
		read[i] = long || name != "metric" && name != "value" && name != "unit"
	}
	for i, name := range names {
		if _, figures := t.wide[i]; !read[i] && (long || !figures) {
			line, column := t.at(i)
			t.leaveOut(name, line, column)
		}
	}
	if long {
		return t.longRow
	}
	return t.wideRow
}

// head finds the columns. If several columns mean the same, the first counts.
func (t *table) head(names []string) {
	for i, name := range names {
		column, known := columnNames[simplify(name)]
		if _, twice := t.column[column]; known && !twice {
			t.column[column] = i
		} else if f, ok := wideMetric(strings.TrimSpace(name)); ok {
			t.wide[i] = f
		}
	}
}

// cell returns a line's cell in the named column, or "".
func (t *table) cell(cells []string, column string) string {
	if i, ok := t.column[column]; ok {
		return strings.TrimSpace(cells[i])
	}
	return ""
}

// row returns a line's row, and the table in the source that the line comes from. Lines with the
// same key share a row unless own is set. Two files from one edition (a commit) are one
// measurement.
func (t *table) row(cells []string, own bool) (row *Row, where string) {
	get := func(column string) string { return t.cell(cells, column) }
	edition, where := get("ref"), get("ref")
	if m := formerForm().FindStringSubmatch(edition); edition != "" && m != nil {
		edition, where = m[1], m[2]
	}
	key := rowKey{get("source"), edition, get("date"), get("suite"), cmp.Or(get("scenario"), t.part), get("contestant"),
		get("connections"), get("load"), get("delay"), get("depth")}
	row = t.rows[key]
	if row == nil || own {
		row = &Row{Source: key.source, Edition: edition, Date: key.date, Suite: key.suite, Scenario: key.scenario,
			Contestant: key.contestant, Load: key.load}
		row.Connections, row.Depth = int(t.level(cells, "connections")), max(int(t.level(cells, "depth")), 1)
		row.Delay, row.Open = t.level(cells, "delay"), t.level(cells, "target") > 0
		if !own {
			t.rows[key] = row
		}
		t.doc.Rows = append(t.doc.Rows, row)
	}
	return row, where
}

// level reads a number that describes the load; 0 if there is none. A delay is returned in s; a
// delay without a unit is in ms, as usual in such tables.
func (t *table) level(cells []string, column string) float64 {
	var f Figure
	text := t.cell(cells, column)
	if text == "" || f.read(text, "") != nil || f.Missing || f.Many > 0 || f.Value < 0 || f.Value > 1e9 {
		return 0
	}
	if column == "delay" && f.Unit != Seconds {
		return f.Value / 1e3
	}
	return f.Value
}

// figure adds the figure in one column of a line.
func (t *table) figure(row *Row, where, metric, text, unit string, column int) *Figure {
	line, at := t.at(column)
	f := t.add(row, metric, text, unit, line, at)
	if f != nil {
		f.Table = where
	}
	return f
}

// longRow reads a line with one figure.
func (t *table) longRow(cells []string) {
	name := t.cell(cells, "metric")
	if name == "" {
		line, column := t.at(t.column["metric"])
		t.trouble(line, column, "the name of the metric is missing")
		return
	}
	row, where := t.row(cells, false)
	metric, _ := metricOf(name)
	value := t.column["value"]
	t.figure(row, where, metric, cells[value], t.cell(cells, "unit"), value)
	t.prose(row, cells, where)
}

// wideRow reads a line with a figure in several columns.
func (t *table) wideRow(cells []string) {
	row, where := t.row(cells, true)
	for i := range cells {
		if w, ok := t.wide[i]; ok {
			t.figure(row, where, w.metric, cells[i], w.unit, i)
		}
	}
	again, answered := t.level(cells, "reconnects"), 0.0
	for _, f := range row.All(None, AnswerClasses...) {
		answered += f.Value
	}
	row.PerRequest = again > 0.01*answered
}

// prose reads a figure that, according to a note in the table, the article quotes in its text:
// "prose says 1.18ms".
func (t *table) prose(row *Row, cells []string, where string) {
	said := proseForm().FindStringSubmatch(t.cell(cells, "ref"))
	if said == nil || slices.ContainsFunc(row.Figures, func(f *Figure) bool { return f.Prose }) {
		return
	}
	metric := "latency_mean"
	if base, _, _ := unitOf(said[2]); base == PerSec {
		metric = "rps"
	}
	if f := t.figure(row, where, metric, said[1], said[2], t.column["ref"]); f != nil {
		f.Prose = true
	}
}
