// Package report writes what a run says: for a terminal, a page, a sheet or a program. Every writer is a function of the Data alone:
// the same trials give the same bytes.
package report

import (
	"io"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/result"
)

// Data is a run and what was found in it.
type Data struct {
	Run      *result.Run
	Analysis *analysis.Analysis // of a duel
	Levels   []Level            // of a sweep; of a duel with named pairs all, of another those beside the first
	Loads    []result.Trial     // of a classic run: those that are shown
	Beside   []result.Trial     // of one with an external load generator: those, that generator's, and both of the ceiling's server
	Found    []Capacity         // of a search
	Alone    []Alone            // of a run with a companion, by what it is asked for
	Claims   *Claims            // of its study, judged; nil where there are none
	Classic  *Data              // Readme only: the study's long loads, of which it shows how memory grew; nil where there are none
	Findings []checks.Finding   // whole run first, then by contestant
	Valid    int                // valid trials
	Void     int                // trials of void rounds
	Color    bool               // Text only
	Verbose  bool               // Text and Markdown: every finding, with the id of its check
	Width    int                // Text only: columns; 0 means 100
}

// has says whether there is a figure of the metric: in the table of a duel, or at a level.
func (d *Data) has(m analysis.Metric) bool {
	all := []*analysis.Analysis{d.Analysis}
	if d.Analysis == nil || d.isFamily() {
		for i := range d.Levels {
			all = append(all, d.Levels[i].Analysis)
		}
	}
	return slices.ContainsFunc(all, func(a *analysis.Analysis) bool {
		return a != nil && slices.ContainsFunc(a.Cells, func(c analysis.Cell) bool { return c.Metric == m.Name && c.Level.N > 0 })
	})
}

// Writer writes one form of a report.
type Writer func(io.Writer, *Data) error

// unjudgedForms are the forms of runs without ranks, by protocol. A duel with named pairs is shown as a sweep is, its verdicts above.
var unjudgedForms = map[string]map[string]Writer{
	"sweep":   {"text": sweepText, "html": sweepHTML, "json": sweepJSON, "markdown": sweepMarkdown, "csv": sweepCSV, "svg": sweepSVG},
	"family":  {"text": sweepText, "html": sweepHTML, "json": sweepJSON, "markdown": sweepMarkdown, "csv": sweepCSV, "svg": sweepSVG},
	"classic": {"text": classicText, "html": classicHTML, "json": classicJSON, "markdown": classicMarkdown, "csv": classicCSV, "svg": classicSVG},
	"search":  {"text": searchText, "html": searchHTML, "json": searchJSON, "markdown": searchMarkdown, "csv": searchCSV, "svg": searchSVG},
}

// unjudged returns the writer of a form for the run's protocol, or nil where it is a duel that ranks.
func (d *Data) unjudged(form string) Writer {
	switch {
	case d.Run == nil:
		return nil
	case d.isFamily():
		return unjudgedForms["family"][form]
	}
	return unjudgedForms[d.Run.Plan.Protocol][form]
}

// Formats are all forms by name.
var Formats = map[string]Writer{
	"text":     Text,
	"html":     HTML,
	"json":     JSON,
	"markdown": Markdown,
	"csv":      CSV,
	"svg":      SVG,
}
