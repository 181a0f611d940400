package study

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

	"dyno/internal/conf"
	"dyno/internal/judge"
)

// Figure is a published number: one row in figures.csv.
type Figure struct {
	Cell
	Metric Metric
	N      int64   // requests in "time:N"; else 0
	To     Cell    // the other cell in "lead:CELL" and "drop:CELL"; else empty
	Unit   string  // unit as published
	Value  float64 // value as published
	Base   float64 // value in the metric's base unit
	Per    float64 // base units per Unit
	Date   string
	Source string
	Place  string
	Note   string
}

// columns is the header of figures.csv.
var columns = []string{"contestant", "level", "metric", "unit", "value", "date", "source", "place", "note"}

// ReadFigures reads the figures.csv at path. Its cells must belong to the study. It returns all
// errors up to the first malformed row, each with file:line:column.
func ReadFigures(fsys fs.FS, path string, s *Study) (out []Figure, err error) {
	err = readTable(fsys, path, columns, func(row []string) (int, string) {
		figure, field, text := parseFigure(row, s)
		out = append(out, figure)
		return field, text
	})
	return out, err
}

// readTable reads the CSV file at path, below a header of these columns. take reads a row, and on
// failure returns the index of the wrong field and the reason. readTable returns all errors up to the
// first malformed row, each with file:line:column.
func readTable(fsys fs.FS, path string, columns []string, take func(row []string) (field int, text string)) error {
	f, err := fsys.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	var all []error
	fail := func(line, column int, text string) {
		all = append(all, &conf.Error{Path: path, Line: line, Column: column, Text: text})
	}
	if head, err := r.Read(); err != nil || !slices.Equal(head, columns) {
		fail(1, 1, "want the header "+strings.Join(columns, ","))
		return errors.Join(all...)
	}
	for {
		row, err := r.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF:
			return errors.Join(all...)
		case errors.As(err, &bad):
			fail(bad.Line, bad.Column, bad.Err.Error())
			return errors.Join(all...)
		case err != nil:
			return fmt.Errorf("read %s: %w", path, err)
		}
		field, text := 0, fmt.Sprintf("%d fields; want %d, as in the header", len(row), len(columns))
		if len(row) == len(columns) {
			field, text = take(row)
		}
		if text != "" {
			line, column := r.FieldPos(field)
			fail(line, column, text)
		}
	}
}

// parseFigure reads a row. On failure it returns the index of the wrong field and the reason.
func parseFigure(row []string, s *Study) (f Figure, field int, text string) {
	f = Figure{Cell: Cell{row[0], row[1]}, Unit: row[3], Date: row[5], Source: row[6], Place: row[7], Note: row[8]}
	if why := s.refuse(f.Cell); why != "" {
		if slices.Contains(s.named(), f.Contestant) {
			field = 1
		}
		return f, field, why
	}
	f.Cell = s.short(f.Cell)
	var ok bool
	if f.Metric, ok = MetricNamed(row[2]); !ok {
		names := append(metricNames(), "time:N", "latency_mean", "bytes_per_sec",
			"lead:CELL", "drop:CELL")
		return f, 2, fmt.Sprintf("no metric %q%s", row[2], suggest(row[2], names))
	}
	var err error
	switch _, of, _ := strings.Cut(row[2], ":"); f.Metric.Name {
	case lead, drop:
		to := ParseCell(of)
		if s.refuse(to) != "" {
			return f, 2, fmt.Sprintf("%q: want another cell of this study, for example %s:%s",
				row[2], f.Metric.Name, f.Cell)
		}
		f.To = s.short(to)
	case timeFor:
		if f.N, err = strconv.ParseInt(of, 10, 64); err != nil || f.N < 1 {
			return f, 2, fmt.Sprintf("%q: want the number of requests, such as time:5000000", row[2])
		}
	}
	scales := judge.UnitNamed(f.Metric.Unit).Published
	i := slices.IndexFunc(scales, func(x judge.Scale) bool { return x.Name == f.Unit })
	if i < 0 {
		var names []string
		for _, x := range scales {
			names = append(names, x.Name)
		}
		slices.Sort(names)
		return f, 3, fmt.Sprintf("no unit %q for %s; want one of %s", f.Unit, f.Metric.Name, strings.Join(names, ", "))
	}
	f.Per = scales[i].Per
	if f.Value, err = strconv.ParseFloat(row[4], 64); err != nil || !(f.Value >= 0) || math.IsInf(f.Value, 0) {
		return f, 4, fmt.Sprintf("%q is not a number; omit the row if nothing was published", row[4])
	}
	f.Base = f.Value * f.Per
	return f, 0, ""
}
