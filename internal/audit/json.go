package audit

import (
	"cmp"
	"encoding/json"
	"io"
	"math"
	"strings"

	"dyno/internal/document"
	"dyno/internal/importer"
)

// Format is the version of the JSON form. doc/studies.md explains its keys.
const Format = 1

// reportJSON is a Report in JSON; doc/studies.md explains its keys.
type reportJSON struct {
	Format   int                `json:"format"`
	Files    []map[string]any   `json:"files"`
	Figures  Counts             `json:"figures"`
	Prose    Counts             `json:"prose"`
	Rules    []ruleJSON         `json:"rules"`
	Findings []findingJSON      `json:"findings"`
	Missing  []Missing          `json:"missing,omitempty"`
	Troubles []importer.Trouble `json:"troubles"`
}

type ruleJSON struct {
	Rule
	Checks Counts `json:"checks"`
}

type findingJSON struct {
	Rule        string           `json:"rule"`
	Kind        string           `json:"kind"`
	Verdict     string           `json:"verdict"`
	Source      string           `json:"source,omitempty"`
	Date        string           `json:"date,omitempty"`
	Scenario    string           `json:"scenario,omitempty"`
	Contestant  string           `json:"contestant,omitempty"`
	Connections int              `json:"connections,omitempty"`
	Text        string           `json:"text"`
	Note        string           `json:"note,omitempty"`
	Figures     []map[string]any `json:"figures"`
}

// MarshalJSON writes the counts by name.
func (c Counts) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]int{"total": c.Total(), "impossible": c[Impossible], "doubtful": c[Doubtful],
		"sound": c[Sound], "cannot_tell": c[CannotTell]})
}

// JSON writes one object. It leaves out sound findings unless all is set.
func JSON(w io.Writer, j *Report, all bool) error {
	doc := reportJSON{Format: Format, Figures: j.Figures, Prose: j.Prose, Findings: []findingJSON{}, Missing: j.Missing(),
		Troubles: []importer.Trouble{}}
	for _, d := range j.Documents {
		file := map[string]any{"name": d.Name, "format": d.Format, "rows": len(d.Rows), "figures": d.Printed()}
		if len(d.Unread) > 0 {
			file["unread"] = d.Unread
		}
		doc.Files = append(doc.Files, file)
		doc.Troubles = append(doc.Troubles, d.Troubles...)
	}
	for _, f := range j.Findings {
		if f.Verdict == Sound && !all {
			continue
		}
		out := findingJSON{
			Rule: f.Rule, Kind: f.Kind, Verdict: strings.ReplaceAll(f.Verdict.String(), " ", "_"),
			Source: f.Row.Source, Date: f.Row.Date, Scenario: f.Row.Scenario, Contestant: f.Row.Contestant,
			Connections: f.Row.Connections, Text: f.Text, Note: f.Note, Figures: []map[string]any{},
		}
		for _, fig := range f.Figures {
			out.Figures = append(out.Figures, figureJSON(fig))
		}
		doc.Findings = append(doc.Findings, out)
	}
	checks := j.checks()
	for _, r := range Rules {
		doc.Rules = append(doc.Rules, ruleJSON{r, checks[r.ID]})
	}
	return document.JSON(w, doc)
}

// valueKeys are the keys for a value in a base unit.
var valueKeys = map[importer.Unit]string{importer.Seconds: "value_ns", importer.Bytes: "value_bytes",
	importer.PerSec: "value_per_sec", importer.BPerSec: "value_bytes_per_sec"}

// figureJSON converts a figure to the base unit in its key's name: seconds become ns. A missing
// figure has no value.
func figureJSON(f *importer.Figure) map[string]any {
	out := map[string]any{"file": f.File, "line": f.Line, "column": f.Column, "metric": f.Metric, "text": f.Text}
	if f.Prose {
		out["prose"] = true
	}
	if v := f.Value; !math.IsNaN(v) && !math.IsInf(v, 0) {
		if f.Unit == importer.Seconds {
			v *= 1e9
		}
		out[cmp.Or(valueKeys[f.Unit], "value")] = v
	}
	return out
}
