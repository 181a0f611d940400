// Package importer reads what others publish: tables as CSV, what load generators print, TechEmpower's results. It makes one kind of value
// of all of it, rows of figures with the precision that their digits have, and judges nothing. What cannot be read becomes a Trouble with
// its file:line:column; the rest is read all the same.
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

// Place is where something stands; lines and columns (in bytes) count from 1.
type Place struct {
	File   string
	Line   int
	Column int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Trouble is something that could not be read.
type Trouble struct {
	Place
	Text string
}

func (t Trouble) String() string { return t.Place.String() + ": " + t.Text }

// Unit is the base unit of a figure. Other units than these are kept as they were printed: "ns/op", "%", "lines".
type Unit string

// The base units.
const (
	None    Unit = "" // a count, or none given
	Seconds Unit = "s"
	Bytes   Unit = "B"
	PerSec  Unit = "1/s"
	BPerSec Unit = "B/s"
)

// Figure is one published number.
type Figure struct {
	Place
	Row    *Row
	Metric string // rps, rps_mean, latency_mean, latency_max, p99, time, requests, throughput_rw …; others as they are called
	Table  string // the part of the source that it stands in
	Text   string // as printed, with its unit: "1.18 ms"
	Unit   Unit

	// Value is in base units. The printed digits leave it open between Lo and Hi; a bound (">60") has an infinite side.
	Value, Lo, Hi float64
	Digits        int // significant ones

	Missing bool // the cell is empty
	Many    int  // how many numbers stand in a cell for one; Value is then NaN
	OwnUnit bool // the value brings another unit than its column has
	Prose   bool // said in words beside the table, not in it
	Derived bool // not printed: computed from what is
}

// Row is what was published of one contestant at one level: figures that were taken together.
type Row struct {
	Source, Edition, Date, Suite, Scenario, Contestant, Load string

	Tool        string  // the load generator, where known: wrk, ab, bombardier, hey, oha, h2load
	Connections int     // 0: unknown
	Depth       int     // requests in flight on one connection, at least 1
	Delay       float64 // s that the handler waits on purpose; 0: none known
	Planned     float64 // s that the load was to last; 0: unknown
	Open        bool    // requests were sent at a rate
	PerRequest  bool    // a connection per request
	Processes   int     // that the contestant is seen to run; 0: unknown

	Figures []*Figure
}

// All returns the figures of a metric in a unit, without those that are missing or not one number.
func (r *Row) All(unit Unit, metrics ...string) []*Figure {
	var list []*Figure
	for _, f := range r.Figures {
		if f.Unit == unit && !f.Missing && f.Many == 0 && slices.Contains(metrics, f.Metric) {
			list = append(list, f)
		}
	}
	return list
}

// One returns the first of All, or nil.
func (r *Row) One(unit Unit, metrics ...string) *Figure {
	for _, m := range metrics {
		if list := r.All(unit, m); len(list) > 0 {
			return list[0]
		}
	}
	return nil
}

// Document is what was read of one file.
type Document struct {
	Name     string
	Format   string
	Rows     []*Row
	Troubles []Trouble
}

// Printed counts the figures that are printed in the table or the output itself, those that are missing or unclear included.
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

// Formats are the names that Read takes; "" lets the content decide.
var Formats = []string{"csv", "wrk", "ab", "bombardier", "oha", "hey", "h2load", "techempower"}

// ErrUnknown means that the content is of no format known here.
var ErrUnknown = errors.New("the content is none of " + strings.Join(Formats, ", ") + ": say --format to force one")

// reader is one file being read.
type reader struct {
	doc  *Document
	data []byte
	rows map[rowKey]*Row
}

// Read reads data, which name is said to hold. An error means that nothing of it could be read.
func Read(name string, data []byte, format string) (*Document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := &reader{doc: &Document{Name: name, Format: cmp.Or(format, sniff(data))}, data: data, rows: map[rowKey]*Row{}}
	first := bytes.TrimLeft(data, " \t\r\n")
	isJSON := len(first) > 0 && (first[0] == '{' || first[0] == '[')
	var err error
	switch r.doc.Format {
	case "csv":
		err = r.csv()
	case "techempower":
		err = r.techempower()
	case "bombardier", "oha":
		if isJSON {
			err = r.toolJSON()
			break
		}
		r.text()
	case "hey":
		if bytes.HasPrefix(first, []byte(heyHeader)) {
			err = r.csv()
			break
		}
		r.text()
	case "wrk", "ab", "h2load", "text":
		r.text()
	default:
		err = ErrUnknown
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(r.doc.Rows) == 0 && len(r.doc.Troubles) == 0 {
		return nil, fmt.Errorf("read %s: no figures found", name)
	}
	return r.doc, nil
}

// sniff names the format of data; "text" is one or several of the outputs that are lines.
func sniff(data []byte) string {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		for _, s := range []struct{ mark, format string }{
			{`"rawData"`, "techempower"}, {`"numberOfConnections"`, "bombardier"}, {`"bytesWritten"`, "bombardier"}, {`"successRate"`, "oha"},
			{`"latencyPercentiles"`, "oha"},
		} {
			if bytes.Contains(data, []byte(s.mark)) {
				return s.format
			}
		}
		return ""
	}
	for line := range bytes.Lines(trimmed) {
		if _, ok := heading(string(bytes.TrimRight(line, "\r\n"))); ok {
			return "text"
		}
	}
	line, _, _ := bytes.Cut(trimmed, []byte("\n"))
	if bytes.ContainsAny(line, ",;\t") && utf8.Valid(line) {
		return "csv"
	}
	return ""
}

func (r *reader) trouble(line, column int, format string, args ...any) {
	r.doc.Troubles = append(r.doc.Troubles, Trouble{r.at(line, column), fmt.Sprintf(format, args...)})
}

func (r *reader) at(line, column int) Place { return Place{r.doc.Name, line, column} }

// add reads a number that stands at line:column and puts it into row; it reports whether it could.
func (r *reader) add(row *Row, metric, text, unit string, line, column int) *Figure {
	f := &Figure{Place: r.at(line, column), Row: row, Metric: metric}
	if err := f.read(text, unit); err != nil {
		r.trouble(line, column, "%s: %v", metric, err)
		return nil
	}
	row.Figures = append(row.Figures, f)
	return f
}

// newRow starts a row that no other figure of the file belongs to.
func (r *reader) newRow(tool string) *Row {
	row := &Row{Source: r.doc.Name, Tool: tool, Depth: 1}
	r.doc.Rows = append(r.doc.Rows, row)
	return row
}
