// Package report writes what a run says: for a terminal, a page, a sheet or a program. Every writer is a function of the Data alone:
// the same trials give the same bytes.
package report

import (
	"io"

	"dyno/internal/analysis"
	"dyno/internal/result"
	"dyno/internal/validity"
)

// Data is a run and what was found in it.
type Data struct {
	Run      *result.Run
	Analysis *analysis.Analysis
	Findings []validity.Finding // whole run first, then by contestant
	Valid    int                // valid trials
	Void     int                // trials of void rounds
	Color    bool               // Text only
	Width    int                // Text only: columns; 0 means 100
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
	"svg":      SVG,
}
