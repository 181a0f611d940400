package report

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/analysis"
)

// CSV writes one row per contestant and metric, controls last, with a head row:
//
//	contestant,metric,unit,value,lo,hi,ratio_to_ref,ratio_lo,ratio_hi,epochs,tier,rank_lo,rank_hi,verdict,notes
//
// Values are in the base unit that the row names (1/s, ns, bytes). A field is empty where there is no value or a bound is not finite.
// first_answer, warm_up and memory_per_connection have rows where they were measured, without ratio and place; the notes of warm_up are its classes.
// The verdict is ranked, lower bound, control, or struck; a struck row has no values, for they are not figures. Where a duel shows further levels, rows of
// them follow, the level in brackets after the metric, their verdict "beside".
func CSV(w io.Writer, d *Data) error {
	if write := d.unjudged("csv"); write != nil {
		return write(w, d)
	}
	v := newView(d)
	out := csv.NewWriter(w)
	out.Write([]string{"contestant", "metric", "unit", "value", "lo", "hi", "ratio_to_ref", "ratio_lo", "ratio_hi", "epochs",
		"tier", "rank_lo", "rank_hi", "verdict", "notes"})
	for _, rows := range [][]row{v.rows, v.controls} {
		for _, r := range rows {
			for _, m := range v.metrics {
				out.Write(v.csvRow(r, m))
			}
			for _, c := range startColumns {
				if e := c.Of(r.Starts); r.Struck == "" && e.N > 0 {
					out.Write(csvStart(r, c, e))
				}
			}
		}
	}
	if s := v.beside(); s != nil {
		s.besideCSV(out.Write)
	}
	out.Flush()
	return out.Error()
}

func (v *view) csvRow(r row, m analysis.Metric) []string {
	c := v.cell(r.Name, m.Name)
	notes := r.Data
	fields := []string{r.Name, m.Name, m.Unit}
	if r.Struck == "" && c.Absent == "" {
		fields = append(fields, csvNumbers(c.Level)...)
		if c.Ratio.N > 0 {
			fields = append(fields, csvNumbers(c.Ratio)...)
		} else {
			fields = append(fields, "", "", "")
		}
		fields = append(fields, strconv.Itoa(c.Level.N))
	} else {
		fields = append(fields, "", "", "", "", "", "", "")
		if r.Struck == "" {
			notes = append([]string{"absent: " + Clean(c.Absent)}, notes...)
		}
	}
	if r.Struck != "" || r.Place.Lo == 0 {
		fields = append(fields, "", "", "")
	} else {
		fields = append(fields, strconv.Itoa(r.Place.Tier), strconv.Itoa(r.Place.Lo), strconv.Itoa(r.Place.Hi))
	}
	verdict := "ranked"
	switch {
	case r.Struck != "":
		verdict, notes = "struck", append([]string{r.Struck}, notes...)
	case r.Control:
		verdict = "control"
	case r.Place.LowerBound:
		verdict = "lower bound"
	}
	return append(fields, verdict, strings.Join(notes, "; "))
}

func csvStart(r row, c startColumn, e analysis.Estimate) []string {
	fields := slices.Concat([]string{r.Name, c.Name, c.Unit}, csvNumbers(e), []string{"", "", "", strconv.Itoa(e.N), "", "", "", ""})
	if c.Name != "warm_up" {
		return append(fields, "")
	}
	return append(fields, classesText(r.Starts))
}

func csvNumbers(e analysis.Estimate) []string {
	var out []string
	for _, x := range []float64{e.Value, e.Lo, e.Hi} {
		s := ""
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			s = strconv.FormatFloat(x, 'g', -1, 64)
		}
		out = append(out, s)
	}
	return out
}
