package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// columns are the names that a table's descriptive columns go by.
var columns = map[string][]string{
	"source":      {"source"},
	"ref":         {"ref", "table", "file"},
	"date":        {"date"},
	"suite":       {"suite"},
	"scenario":    {"scenario", "test", "endpoint", "url", "benchmark"},
	"contestant":  {"contestant", "name", "framework", "server", "router", "implementation"},
	"connections": {"connections", "concurrency", "conns", "clients", "c"},
	"load":        {"load", "command"},
	"metric":      {"metric"},
	"value":       {"value"},
	"unit":        {"unit"},
	"delay":       {"delay", "sleep"},
	"depth":       {"depth", "pipeline", "pipelining"},
}

// metrics are the names that figures go by, spelled as simplify leaves them. Others are kept as they are called.
var metrics = map[string][]string{
	"rps": {"rps", "req s", "reqs s", "req sec", "reqs sec", "requests s", "requests sec", "requests per second", "requests per sec", "qps",
		"throughput rps"},
	"rps_mean":      {"rps mean", "rps avg"},
	"latency_mean":  {"latency mean", "latency avg", "latency average", "mean latency", "avg latency", "average latency", "latency", "total mean"},
	"latency_min":   {"latency min", "min latency", "fastest"},
	"latency_max":   {"latency max", "max latency", "slowest"},
	"latency_stdev": {"latency stdev", "latency sd"},
	"p50":           {"p50", "median", "latency median", "latency p50"},
	"time":          {"time", "elapsed", "time taken", "duration"},
	"requests":      {"requests", "n", "total requests", "complete requests"},
	"throughput":    {"throughput", "transfer", "transfer rate", "transfer sec"},
}

// metricNames is metrics turned round.
var metricNames = func() map[string]string {
	m := map[string]string{}
	for metric, names := range metrics {
		for _, n := range names {
			m[n] = metric
		}
	}
	return m
}()

var (
	notWord  = regexp.MustCompile(`[^a-z0-9]+`)
	quantile = regexp.MustCompile(`^(?:latency )?p([0-9]{1,2}(?: ?9+)?|100)$`)
	inParens = regexp.MustCompile(`^(.*?)\s*[\[(]([^\])]*)[\])]\s*$`)
)

// simplify makes one spelling of a name: lower case, one blank between words.
func simplify(name string) string {
	return strings.TrimSpace(notWord.ReplaceAllString(strings.ToLower(name), " "))
}

// metricOf is the metric that a name means, and whether it is one that is known.
func metricOf(name string) (metric string, known bool) {
	s := simplify(name)
	if m, ok := metricNames[s]; ok {
		return m, true
	}
	if m := quantile.FindStringSubmatch(s); m != nil {
		return "p" + strings.ReplaceAll(m[1], " ", "."), true
	}
	return name, false
}

// wideMetric resolves the head of a column of numbers: "latency_ms", "Latency (ms)", "req/s".
func wideMetric(head string) (metric, unit string, ok bool) {
	if metric, ok = metricOf(head); ok {
		return metric, defaultUnit(metric), true
	}
	if m := inParens.FindStringSubmatch(head); m != nil {
		if metric, ok = metricOf(m[1]); ok {
			return metric, m[2], true
		}
	}
	if i := strings.LastIndexAny(head, "_ "); i > 0 {
		if _, known := units[strings.ToLower(head[i+1:])]; known {
			if metric, ok = metricOf(head[:i]); ok {
				return metric, head[i+1:], true
			}
		}
	}
	return "", "", false
}

func defaultUnit(metric string) string {
	if strings.HasPrefix(metric, "rps") {
		return "req/s"
	}
	return ""
}

// rowKey is what tells rows of a table apart.
type rowKey struct{ source, edition, date, suite, scenario, contestant, connections, load, delay, depth string }

// table is a CSV file being read: where its columns are.
type table struct {
	*reader
	csv    *csv.Reader
	column map[string]int
	wide   map[int][2]string // column → metric, unit
	heads  int
}

// csv reads a table in one of two shapes: a figure a line, with the columns metric and value, or a contestant a line, with a column for
// each metric.
func (r *reader) csv() error {
	head, rest, _ := bytes.Cut(r.data, []byte("\n"))
	if strings.TrimSpace(string(head)) == heyHeader {
		return r.heyCSV(rest)
	}
	t := &table{reader: r, csv: csv.NewReader(bytes.NewReader(r.data)), column: map[string]int{}, wide: map[int][2]string{}}
	t.csv.FieldsPerRecord = -1
	for _, comma := range ";\t" {
		if bytes.ContainsRune(head, comma) && bytes.Count(head, []byte(string(comma))) > bytes.Count(head, []byte(",")) {
			t.csv.Comma = comma
		}
	}
	names, err := t.csv.Read()
	if err != nil {
		return fmt.Errorf("the head of the table: %w", err)
	}
	t.head(names)
	_, metric := t.column["metric"]
	_, value := t.column["value"]
	if !(metric && value) && len(t.wide) == 0 {
		return fmt.Errorf("%s: none of the columns holds figures: want metric and value, or columns such as rps, latency_ms, p99_ms; the head is %.100q",
			r.at(1, 1), strings.Join(names, ", "))
	}
	for {
		cells, err := t.csv.Read()
		if err == io.EOF {
			break
		}
		var bad *csv.ParseError
		switch {
		case errors.As(err, &bad):
			r.trouble(bad.StartLine, max(bad.Column, 1), "%v: quote the cell, and double the quotes in it", bad.Err)
		case err != nil:
			return err
		case len(cells) != t.heads:
			line, _ := t.csv.FieldPos(0)
			r.trouble(line, 1, "%d cells, where the head has %d", len(cells), t.heads)
		case metric && value:
			t.long(cells)
		default:
			t.spread(cells)
		}
	}
	for _, row := range r.doc.Rows {
		row.describe()
		row.count()
	}
	return nil
}

// head finds the columns.
func (t *table) head(names []string) {
	t.heads = len(names)
	for i, name := range names {
		s := simplify(name)
		known := false
		for column, aliases := range columns {
			if slices.Contains(aliases, s) {
				if _, twice := t.column[column]; !twice {
					t.column[column], known = i, true
				}
			}
		}
		if metric, unit, ok := wideMetric(strings.TrimSpace(name)); ok && !known {
			t.wide[i] = [2]string{metric, unit}
		}
	}
}

func (t *table) cell(cells []string, column string) string {
	if i, ok := t.column[column]; ok {
		return strings.TrimSpace(cells[i])
	}
	return ""
}

// row finds or makes the row that a line belongs to; own says that it is one of its own. Two files of one edition (a commit) are one
// measurement.
func (t *table) row(cells []string, own bool) (row *Row, where string) {
	get := func(column string) string { return t.cell(cells, column) }
	edition, where := get("ref"), get("ref")
	if m := formerForm.FindStringSubmatch(edition); m != nil {
		edition, where = m[1], m[2]
	}
	key := rowKey{get("source"), edition, get("date"), get("suite"), get("scenario"), get("contestant"), get("connections"), get("load"), get("delay"), get("depth")}
	row = t.rows[key]
	if row == nil || own {
		row = &Row{Source: key.source, Edition: edition, Date: key.date, Suite: key.suite, Scenario: key.scenario, Contestant: key.contestant, Load: key.load, Depth: 1}
		t.level(row, cells)
		t.rows[key] = row
		t.doc.Rows = append(t.doc.Rows, row)
	}
	return row, where
}

// level reads the columns that say how the load was.
func (t *table) level(row *Row, cells []string) {
	for column, set := range map[string]func(*Figure){
		"connections": func(f *Figure) { row.Connections = int(f.Value) },
		"depth":       func(f *Figure) { row.Depth = int(f.Value) },
		"delay":       func(f *Figure) { row.Delay = f.Value },
	} {
		var f Figure
		text := t.cell(cells, column)
		if text == "" || f.read(text, "") != nil || f.Missing || f.Many > 0 || f.Value < 0 || f.Value > 1e9 {
			continue
		}
		if column == "delay" && f.Unit != Seconds {
			f.Value /= 1e3 // a bare number is ms, as these tables have it
		}
		set(&f)
	}
	row.Depth = max(row.Depth, 1)
}

// long takes a line that holds one figure.
func (t *table) long(cells []string) {
	i := t.column["value"]
	line, column := t.csv.FieldPos(i)
	name := t.cell(cells, "metric")
	if name == "" {
		mline, mcolumn := t.csv.FieldPos(t.column["metric"])
		t.trouble(mline, mcolumn, "the metric has no name")
		return
	}
	row, where := t.row(cells, false)
	metric, _ := metricOf(name)
	if f := t.add(row, metric, cells[i], t.cell(cells, "unit"), line, column); f != nil {
		f.Table = where
	}
	t.prose(row, cells, where)
}

// spread takes a line that holds a figure in each of several columns.
func (t *table) spread(cells []string) {
	row, where := t.row(cells, true)
	for i := range cells {
		if w, ok := t.wide[i]; ok {
			line, column := t.csv.FieldPos(i)
			if f := t.add(row, w[0], cells[i], w[1], line, column); f != nil {
				f.Table = where
			}
		}
	}
}

// prose takes a figure that the table's notes say was published in words: "prose says 1.18ms".
func (t *table) prose(row *Row, cells []string, where string) {
	text := t.cell(cells, "ref")
	at := proseForm.FindStringSubmatchIndex(text)
	if at == nil || slices.ContainsFunc(row.Figures, func(f *Figure) bool { return f.Prose }) {
		return
	}
	number, unit := text[at[2]:at[3]], text[at[4]:at[5]]
	metric := "latency_mean"
	if base, _, _ := unitOf(unit); base == PerSec {
		metric = "rps"
	}
	line, column := t.csv.FieldPos(t.column["ref"])
	if f := t.add(row, metric, number, unit, line, column); f != nil {
		f.Prose, f.Table = true, where
	}
}

// count learns from cells that hold one number per process.
func (r *Row) count() {
	for _, f := range r.Figures {
		r.Processes = max(r.Processes, f.Many)
	}
}
