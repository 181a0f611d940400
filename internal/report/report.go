// Package report says what a run found: for people as a document.Document, for programs as JSON, CSV
// and benchmarks of Go. Everything is a function of the Data alone: the same trials give the same bytes.
//
// A section is a method that returns a document.Section, written once for every form that people
// read; the renderers of package document draw it. To add one, write the method in a file of its
// own and name it in the document method of the views that show it; a figure that it shows is
// computed in analysis or study, not here. What a run compares decides its view (viewOf).
package report

import (
	"io"
	"slices"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// Data is a run and its results.
type Data struct {
	Run      *record.Run
	Parts    []Part          // of a run that was measured on several machines; else nil
	Analysis *judge.Analysis // of a paired comparison
	Levels   []Level         // where pairs are compared at several levels all, else those beside the first
	Loads    []*record.Trial // of a classic run: those that are shown
	// of one with an external load generator: those, that generator's, and both of the ceiling's
	// server
	AllLoads  []*record.Trial
	Found     []Capacity                 // of a search
	Alone     []Alone                    // of a run with a backend, by what it is asked for
	Added     Added                      // by whoever knows why the run was made
	Findings  []judge.Finding            // whole run first, then by contestant
	Reached   map[string]map[int]float64 // judge.Reached; nil of a run without rounds
	Valid     int                        // valid trials
	Discarded int                        // trials
	NoLong    string                     // why no long loads check the verdicts; "" if they do, or the record is older than they
	Folder    string                     // Text only: what dyno report takes for the rest; empty: not said
	Page      string                     // Text only: the file that has the page; empty: there is none
	Color     bool                       // Text only
	Verbose   bool                       // Text and Markdown: all details, with p-values and the ids of checks
	Width     int                        // Text only: columns; 0 means 100, the most without details
}

// Writer writes one form of a report.
type Writer func(io.Writer, *Data) error

// Formats are all forms by name.
var Formats = map[string]Writer{
	"text":     Text,
	"html":     HTML,
	"json":     JSON,
	"markdown": Markdown,
	"csv":      CSV,
	"benchfmt": Benchfmt,
	"svg":      SVG,
}

// Text writes what a person sees in a terminal at the end of a run: the answer in some 25 lines, and
// all details if Verbose is set.
func Text(w io.Writer, d *Data) error {
	return document.Text(w, viewOf(d).document(), d.Options())
}

func (d *Data) Options() document.Options {
	const most = 100 // longer lines are hard to read; but wide tables of details need not be cut
	const lines = 25 // what a reader sees at once
	o := document.Options{Width: d.Width, Color: d.Color, Detail: d.Verbose}
	if !d.Verbose {
		o.Lines = lines
	}
	if o.Width <= 0 || o.Width > most && !d.Verbose {
		o.Width = most
	}
	return o
}

// HTML writes a page.
func HTML(w io.Writer, d *Data) error {
	page := *d
	page.Verbose = false // it folds away what few want to read
	return document.HTML(w, viewOf(&page).document())
}

// Markdown writes a section of a page in GitHub's dialect.
func Markdown(w io.Writer, d *Data) error { return document.Markdown(w, viewOf(d).document(), 3) }

// SVG writes the chart of the primary metric as a picture of its own.
func SVG(w io.Writer, d *Data) error { return document.SVG(w, viewOf(d).document()) }

// JSON writes run.json; doc/format.md has its keys.
func JSON(w io.Writer, d *Data) error {
	return document.JSON(w, viewOf(d).json())
}

// measures reports whether the run has a figure of the metric, in the table of a comparison or at a
// level.
func (v *View) measures(m judge.Metric) bool {
	levels := v.levels
	if v.ranks {
		levels = levels[:1]
	}
	return slices.ContainsFunc(levels, func(l Level) bool {
		return l.Analysis != nil && slices.ContainsFunc(l.Analysis.Cells, func(c judge.Cell) bool {
			return c.Metric == m.Name && c.Level.N > 0
		})
	})
}
