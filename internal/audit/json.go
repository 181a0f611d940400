package audit

import (
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
	Format   int           `json:"format"`
	Files    []jsonFile    `json:"files"`
	Figures  jsonCounts    `json:"figures"`
	Prose    jsonCounts    `json:"prose"`
	Rules    []jsonRule    `json:"rules"`
	Findings []jsonFinding `json:"findings"`
	Missing  []jsonMissing `json:"missing,omitempty"`
	Troubles []jsonTrouble `json:"troubles"`
}

// jsonMissing is a Missing. Lacks holds the missing columns by rule.
type jsonMissing struct {
	File    string              `json:"file"`
	What    string              `json:"what"`
	Figures int                 `json:"figures"`
	Lacks   map[string][]string `json:"lacks"`
}

type jsonFile struct {
	Name    string        `json:"name"`
	Format  string        `json:"format"`
	Rows    int           `json:"rows"`
	Figures int           `json:"figures"`
	Unread  []jsonTrouble `json:"unread,omitempty"`
}

// jsonCounts are Counts by name.
type jsonCounts struct {
	Total      int `json:"total"`
	Impossible int `json:"impossible"`
	Doubtful   int `json:"doubtful"`
	Sound      int `json:"sound"`
	CannotTell int `json:"cannot_tell"`
}

type jsonRule struct {
	Rule   string     `json:"rule"`
	Name   string     `json:"name"`
	Checks jsonCounts `json:"checks"`
	Blind  string     `json:"blind,omitempty"`
}

type jsonFinding struct {
	Rule        string       `json:"rule"`
	Kind        string       `json:"kind"`
	Verdict     string       `json:"verdict"`
	Source      string       `json:"source,omitempty"`
	Date        string       `json:"date,omitempty"`
	Scenario    string       `json:"scenario,omitempty"`
	Contestant  string       `json:"contestant,omitempty"`
	Connections int          `json:"connections,omitempty"`
	Text        string       `json:"text"`
	Note        string       `json:"note,omitempty"`
	Figures     []jsonFigure `json:"figures"`
}

// jsonPlace is an importer.Place.
type jsonPlace struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// jsonFigure has one value field, chosen by the unit. A missing figure has none.
type jsonFigure struct {
	jsonPlace
	Metric string `json:"metric"`
	Text   string `json:"text"`
	Prose  bool   `json:"prose,omitempty"`

	NS          *float64 `json:"value_ns,omitempty"`
	Bytes       *float64 `json:"value_bytes,omitempty"`
	PerSec      *float64 `json:"value_per_sec,omitempty"`
	BytesPerSec *float64 `json:"value_bytes_per_sec,omitempty"`
	Value       *float64 `json:"value,omitempty"`
}

type jsonTrouble struct {
	jsonPlace
	Text string `json:"text"`
}

func troublesJSON(list []importer.Trouble) (out []jsonTrouble) {
	for _, t := range list {
		out = append(out, jsonTrouble{jsonPlace(t.Place), t.Text})
	}
	return out
}

func countsJSON(c Counts) jsonCounts {
	return jsonCounts{c.Total(), c[Impossible], c[Doubtful], c[Sound], c[CannotTell]}
}

// JSON writes one object. It leaves out sound findings unless all is set.
func JSON(w io.Writer, j *Report, all bool) error {
	doc := reportJSON{
		Format: Format, Figures: countsJSON(j.Figures), Prose: countsJSON(j.Prose),
		Findings: []jsonFinding{}, Troubles: []jsonTrouble{},
	}
	for _, d := range j.Documents {
		doc.Files = append(doc.Files, jsonFile{d.Name, d.Format, len(d.Rows), d.Printed(), troublesJSON(d.Unread)})
		doc.Troubles = append(doc.Troubles, troublesJSON(d.Troubles)...)
	}
	for _, f := range j.Findings {
		if f.Verdict == Sound && !all {
			continue
		}
		out := jsonFinding{
			Rule: f.Rule, Kind: f.Kind, Verdict: strings.ReplaceAll(f.Verdict.String(), " ", "_"),
			Source: f.Row.Source, Date: f.Row.Date, Scenario: f.Row.Scenario, Contestant: f.Row.Contestant,
			Connections: f.Row.Connections, Text: f.Text, Note: f.Note, Figures: []jsonFigure{},
		}
		for _, fig := range f.Figures {
			out.Figures = append(out.Figures, figureJSON(fig))
		}
		doc.Findings = append(doc.Findings, out)
	}
	for _, m := range j.Missing() {
		out := jsonMissing{m.File, m.What, m.Figures, map[string][]string{}}
		for _, l := range m.Lacks {
			out.Lacks[l.rule] = l.columns
		}
		doc.Missing = append(doc.Missing, out)
	}
	checks := j.checks()
	for _, r := range Rules {
		doc.Rules = append(doc.Rules, jsonRule{r.ID, r.Name, countsJSON(checks[r.ID]), r.Blind})
	}
	return document.JSON(w, doc)
}

// figureJSON converts a figure to the base unit in its key's name: seconds become ns.
func figureJSON(f *importer.Figure) jsonFigure {
	out := jsonFigure{jsonPlace: jsonPlace(f.Place), Metric: f.Metric, Text: f.Text, Prose: f.Prose}
	if math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
		return out
	}
	v := f.Value
	switch f.Unit {
	case importer.Seconds:
		v *= 1e9
		out.NS = &v
	case importer.Bytes:
		out.Bytes = &v
	case importer.PerSec:
		out.PerSec = &v
	case importer.BPerSec:
		out.BytesPerSec = &v
	default:
		out.Value = &v
	}
	return out
}
