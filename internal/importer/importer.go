// Package importer reads published figures: tables in CSV or Markdown, the output of load
// generators, and the result files of TechEmpower and HttpArena. It converts them
// to rows of figures, each with the precision of its printed digits, and does not judge them.
//
// Unreadable parts become a Trouble with file:line:column; the rest is read anyway.
package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Place is a position in a file. Lines and columns count from 1, columns in bytes.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Trouble is an unreadable part of a file, with the reason.
type Trouble struct {
	Place
	Text string `json:"text"`
}

func (t Trouble) String() string { return t.Place.String() + ": " + t.Text }

// Unit is a figure's base unit. Units other than these stay as printed: "ns/op", "%", "lines".
type Unit string

// The base units.
const (
	None    Unit = "" // a count, or no unit is given
	Seconds Unit = "s"
	Bytes   Unit = "B"
	PerSec  Unit = "1/s"
	BPerSec Unit = "B/s"
)

// Figure is one published number.
type Figure struct {
	Place
	Row    *Row
	Metric string // rps, rps_mean, latency_mean, p99, time, requests …; others keep their published name
	Table  string // the part of the source that it is in
	Text   string // the figure as printed, with its unit: "1.18 ms"
	Unit   Unit

	// Value is in base units. Values from Lo to Hi round to the printed digits; one of them is
	// infinite for a limit (">60"). All three are NaN for a missing value and for several.
	Value, Lo, Hi float64
	Digits        int // number of significant digits

	Missing bool // the cell is empty
	Many    int  // quantity of numbers in a cell meant for one; else 0
	OwnUnit bool // the value has another unit than its column
	Prose   bool // quoted from the text beside the table, not in it
	Derived bool // not printed: computed from other figures

	Judged uint8 // for the package that judges figures; the importer leaves it 0
}

// Row is a set of published figures for one contestant at one level that were measured together.
// The strings are as published.
type Row struct {
	Source, Edition, Date, Suite, Scenario, Contestant, Load string

	Tool        string // the load generator, if known: wrk, ab, bombardier …
	Connections int    // number of connections; 0: unknown
	Depth       int    // requests in flight on one connection, at least 1
	// requests share a connection (HTTP/2 and the like), and the published load does not say how
	// many at once
	Streams    bool
	Delay      float64 // s that the handler waits on purpose; 0: none known
	Planned    float64 // intended length of the load in s; 0: unknown
	Open       bool    // an open loop: requests are sent at a rate
	PerRequest bool    // connections are opened again, for each request or after a few
	Processes  int     // the contestant's processes, as far as its figures show; 0: unknown

	Figures []*Figure
}

// All returns the figures for some metrics in a unit, except missing ones and cells with several
// numbers.
func (r *Row) All(unit Unit, metrics ...string) []*Figure {
	var list []*Figure
	for _, f := range r.Figures {
		if f.isOne(unit) && slices.Contains(metrics, f.Metric) {
			list = append(list, f)
		}
	}
	return list
}

// isOne reports whether a figure is one number in a unit.
func (f *Figure) isOne(unit Unit) bool { return f.Unit == unit && !f.Missing && f.Many == 0 }

// One returns the first figure for the first metric that has one, as All selects them, or nil.
func (r *Row) One(unit Unit, metrics ...string) *Figure {
	for _, m := range metrics {
		i := slices.IndexFunc(r.Figures, func(f *Figure) bool { return f.Metric == m && f.isOne(unit) })
		if i >= 0 {
			return r.Figures[i]
		}
	}
	return nil
}

// Document is the content of one file.
type Document struct {
	Name     string
	Format   string
	Rows     []*Row
	Troubles []Trouble
	Unread   []Trouble // columns and JSON keys that the importer does not know, each name once

	unread map[string]bool
}

// leaveOut records the name of an unread column.
func (r *reader) leaveOut(name string, line, column int) {
	if name = strings.TrimSpace(name); name == "" || r.doc.unread[name] {
		return
	}
	if r.doc.unread == nil {
		r.doc.unread = map[string]bool{}
	}
	r.doc.unread[name] = true
	r.doc.Unread = append(r.doc.Unread, Trouble{r.place(line, column), name})
}

// Printed returns the number of printed figures, including missing and unclear ones.
func (d *Document) Printed() int {
	n := 0
	for _, r := range d.Rows {
		for _, f := range r.Figures {
			if !f.Derived && !f.Prose {
				n++
			}
		}
	}
	return n
}

// Formats are the format names that Read accepts.
var Formats = []string{"csv", "markdown", "wrk", "ab", "bombardier", "oha", "hey", "h2load", "k6", "techempower",
	"httparena"}

// errUnknown means that the content has no known format.
var errUnknown = errors.New(
	"unknown format; the content is none of " + strings.Join(Formats, ", ") + "; pass --format to choose one")

// reader is one file being read.
type reader struct {
	doc  *Document
	data []byte
}

// Read reads data. The name is used in positions and messages; with an empty format the content
// decides. An error means that nothing could be read.
func Read(name string, data []byte, format string) (*Document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // UTF-8's byte order mark
	// A given format is not doubted: content that does not fit becomes trouble or has no figures.
	r := &reader{doc: &Document{Name: name, Format: cmp.Or(format, sniff(data))}, data: data}
	var err error
	switch f := r.doc.Format; {
	case f == "csv":
		err = r.csv()
	case f == "markdown":
		err = r.markdown()
	case f == "techempower":
		err = r.techempower()
	case f == "httparena":
		err = r.objects()
	case f == "text", slices.Contains(Formats, f):
		r.text()
	default:
		err = errUnknown
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	r.finish()
	if len(r.doc.Rows) == 0 && len(r.doc.Troubles) == 0 {
		return nil, fmt.Errorf("read %s: no figures found", name)
	}
	return r.doc, nil
}

// isJSON reports whether data begins like an object or an array.
func isJSON(data []byte) bool { return len(data) > 0 && (data[0] == '{' || data[0] == '[') }

// jsonMarks are keys that only one format has.
var jsonMarks = []struct{ key, format string }{
	{`"rawData"`, "techempower"}, {`"avg_latency"`, "httparena"},
	{`"p99_latency"`, "httparena"},
}

// sniff names the format of data, or returns "". The format "text" is one or several outputs made
// of lines.
func sniff(data []byte) string {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if isJSON(trimmed) {
		for _, m := range jsonMarks {
			if bytes.Contains(data, []byte(m.key)) {
				return m.format
			}
		}
		return ""
	}
	for line := range bytes.Lines(trimmed) {
		text, _ := untypeset(strings.TrimRight(string(line), "\r\n"))
		if _, _, ok := heading(text); ok {
			return "text"
		}
	}
	if underHead().Match(data) {
		return "markdown"
	}
	line, _, _ := bytes.Cut(trimmed, []byte("\n"))
	if bytes.ContainsAny(line, ",;\t") && utf8.Valid(line) {
		return "csv"
	}
	return ""
}

// trouble records an unreadable part at line:column, with the reason.
func (r *reader) trouble(line, column int, format string, args ...any) {
	r.doc.Troubles = append(r.doc.Troubles, Trouble{r.place(line, column), fmt.Sprintf(format, args...)})
}

func (r *reader) place(line, column int) Place { return Place{r.doc.Name, line, column} }

// add reads a number at line:column and adds it to row. If there is no number, it records a Trouble
// and returns nil.
func (r *reader) add(row *Row, metric, text, unit string, line, column int) *Figure {
	f := &Figure{Place: r.place(line, column), Row: row, Metric: metric}
	if err := f.read(text, unit); err != nil {
		r.trouble(line, column, "%s: %v", metric, err)
		return nil
	}
	row.Figures = append(row.Figures, f)
	return f
}

// newRow starts the row for one output of a tool.
func (r *reader) newRow(tool string) *Row {
	row := &Row{Source: r.doc.Name, Tool: tool, Depth: 1}
	r.doc.Rows = append(r.doc.Rows, row)
	return row
}

// AnswerClasses are the metrics that count answers by status class.
var AnswerClasses = []string{"http1xx", "http2xx", "http3xx", "http4xx", "http5xx", "others"}

// compute adds a figure that is computed from printed ones.
func (r *Row) compute(at Place, metric string, v float64, unit Unit, text string) *Figure {
	f := &Figure{Place: at, Row: r, Metric: metric, Text: text, Unit: unit, Value: v, Lo: v, Hi: v}
	r.Figures = append(r.Figures, f)
	return f
}
