package claim

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/conf"
)

// Figure is a number that was published: one row of figures.csv.
type Figure struct {
	Cell
	Metric Metric
	N      int64   // of "time:N": the requests
	To     Cell    // of "lead:CELL" and "drop:CELL"; else empty
	Unit   string  // as published
	Value  float64 // as published
	Base   float64 // in the metric's base unit
	Per    float64 // base units in one of Unit
	Date   string
	Source string
	Place  string
	Note   string
}

// columns of figures.csv, in this order.
var columns = []string{"contestant", "level", "metric", "unit", "value", "date", "source", "place", "note"}

// ReadFigures reads the figures.csv at path, whose cells must be members of the study. All errors are told, each with file:line:column.
func ReadFigures(fsys fs.FS, path string, known Known) ([]Figure, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	at := func(field int) *conf.Error {
		line, column := r.FieldPos(field)
		return &conf.Error{Path: path, Line: line, Column: column}
	}
	head, err := r.Read()
	if err != nil || !slices.Equal(head, columns) {
		return nil, &conf.Error{Path: path, Line: 1, Column: 1, Text: "want the head " + strings.Join(columns, ",")}
	}
	var out []Figure
	var all []error
	for {
		row, err := r.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF:
			return out, errors.Join(all...)
		case errors.As(err, &bad):
			all = append(all, &conf.Error{Path: path, Line: bad.Line, Column: bad.Column, Text: bad.Err.Error()})
			return nil, errors.Join(all...)
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if len(row) != len(columns) {
			e := at(0)
			e.Text = fmt.Sprintf("%d fields; want the %d of the head", len(row), len(columns))
			all = append(all, e)
			continue
		}
		figure, field, text := parseFigure(row, known)
		if text != "" {
			e := at(field)
			e.Text = text
			all = append(all, e)
		}
		out = append(out, figure)
	}
}

// parseFigure reads a row; where it cannot, it says which field and why.
func parseFigure(row []string, known Known) (f Figure, field int, text string) {
	f = Figure{Cell: Cell{row[0], row[1]}, Unit: row[3], Date: row[5], Source: row[6], Place: row[7], Note: row[8]}
	switch {
	case !slices.Contains(known.Contestants, f.Contestant):
		return f, 0, fmt.Sprintf("no contestant %q in this study%s", f.Contestant, suggest(f.Contestant, known.Contestants))
	case f.Level == "" && !known.Single:
		return f, 1, "no level; this study has " + strings.Join(known.Levels, ", ")
	case f.Level != "" && !slices.Contains(known.Levels, f.Level):
		return f, 1, fmt.Sprintf("no level %q in this study%s", f.Level, suggest(f.Level, known.Levels))
	}
	if known.Single {
		f.Level = ""
	}
	var ok bool
	if f.Metric, ok = MetricNamed(row[2]); !ok {
		return f, 2, fmt.Sprintf("no metric %q%s", row[2], suggest(row[2], metricNames(true)))
	}
	var err error
	switch _, n, _ := strings.Cut(row[2], ":"); f.Metric.Name {
	case lead, drop:
		f.To = ParseCell(n)
		if !slices.Contains(known.Contestants, f.To.Contestant) || !slices.Contains(known.Levels, f.To.Level) && (f.To.Level != "" || !known.Single) {
			return f, 2, fmt.Sprintf("%q: want another cell of this study, such as %s:%s", row[2], f.Metric.Name, f.Cell)
		}
		if known.Single {
			f.To.Level = ""
		}
	case timeFor:
		if f.N, err = strconv.ParseInt(n, 10, 64); err != nil || f.N < 1 {
			return f, 2, fmt.Sprintf("%q: want the number of requests, such as time:5000000", row[2])
		}
	}
	i := slices.IndexFunc(f.Metric.published(), func(s analysis.Scale) bool { return s.Name == f.Unit })
	if i < 0 {
		return f, 3, fmt.Sprintf("no unit %q for %s; want one of %s", f.Unit, f.Metric.Name, strings.Join(f.Metric.unitNames(), ", "))
	}
	if f.Value, err = strconv.ParseFloat(row[4], 64); err != nil || math.IsNaN(f.Value) || math.IsInf(f.Value, 0) || f.Value < 0 {
		return f, 4, fmt.Sprintf("%q is no number; leave the row out where nothing was published", row[4])
	}
	f.Per = f.Metric.published()[i].Per
	f.Base = f.Value * f.Per
	return f, 0, ""
}

// published are the units in which figures of m are published.
func (m *Metric) published() []analysis.Scale { return analysis.UnitNamed(m.Unit).Published }

func (m *Metric) unitNames() (names []string) {
	for _, s := range m.published() {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}
