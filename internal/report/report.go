// Package report presents a run's results: for people as a document.Document, for programs as JSON
// and CSV. Everything is a function of Data alone: the same trials give the same bytes.
//
// A section is a method that returns a document.Section, written once for every form that people
// read; the renderers in package document draw it. To add a section, write the method in its own
// file and name it in the document method. A figure that it shows is computed in package judge or
// study, not here.
package report

import (
	"io"
	"slices"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// Data is a run and its results.
type Data struct {
	judge.Results
	Added   Added  // what the caller adds
	Folder  string // Text only: argument with which dyno report shows the rest; "": not shown
	Page    string // Text only: file name of the page; "": there is none
	Color   bool   // Text only
	Verbose bool   // Text and Markdown: all details, with p-values and check ids
	Width   int    // Text only: columns; 0 means 100, the maximum without details
}

// Writer writes one form of a report.
type Writer func(io.Writer, *Data) error

// Formats maps names to writers.
var Formats = map[string]Writer{
	"text":     Text,
	"html":     HTML,
	"json":     JSON,
	"markdown": Markdown,
	"csv":      CSV,
	"svg":      SVG,
}

// Text writes the report for a terminal: the answer in about 25 lines, and all details if Verbose
// is set.
func Text(w io.Writer, d *Data) error { return document.Text(w, viewOf(d).document(), d.Options()) }

func (d *Data) Options() document.Options {
	const most = 100 // longer lines are hard to read; but wide tables of details need not be cut
	const lines = 25 // number of lines that a reader sees at once
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

// Markdown writes the report as a section in GitHub's dialect.
func Markdown(w io.Writer, d *Data) error { return document.Markdown(w, viewOf(d).document(), 3) }

// SVG writes the primary metric's chart as a separate picture.
func SVG(w io.Writer, d *Data) error { return document.SVG(w, viewOf(d).document()) }

// JSON writes run.json; doc/format.md describes its keys.
func JSON(w io.Writer, d *Data) error { return document.JSON(w, viewOf(d).json()) }

// measures reports whether the run has a figure for the metric at any level or, if it ranks, at the
// first.
func (v *View) measures(m judge.Metric) bool {
	levels := v.levels
	if v.ranks {
		levels = levels[:1]
	}
	return slices.ContainsFunc(levels, func(l judge.Level) bool {
		return l.Analysis != nil && slices.ContainsFunc(l.Analysis.Cells, func(c judge.Cell) bool {
			return c.Metric == m.Name && c.Level.N > 0
		})
	})
}
