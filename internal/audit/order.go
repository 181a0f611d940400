package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/importer"
)

// traps is R9 for single figures: empty cells, several numbers in one, units of their own, numbers that cannot be.
func (j *judge) traps(r *importer.Row) {
	for _, f := range r.Figures {
		t := Finding{Rule: "R9", Row: r, Figures: published(f), off: 1}
		switch {
		case f.Missing:
			t.Kind, t.Verdict, t.Text = "missing", CannotTell, "no value: missing is not zero"
		case f.Many > 0:
			t.Kind, t.Verdict = "several numbers in one cell", Doubtful
			t.Text = fmt.Sprintf("%q: %d numbers, where one figure is asked for", f.Text, f.Many)
			t.Note = "one per process: their sum or their mean is not said"
		case f.Value < 0:
			t.Kind, t.Verdict, t.Text = "negative", Impossible, fmt.Sprintf("%s is below zero", f.Text)
		case f.Value == 0 && (strings.HasPrefix(f.Metric, "rps") || f.Metric == "latency_mean"):
			t.Kind, t.Verdict, t.Text = "zero", Doubtful, fmt.Sprintf("%s of %s", f.Text, f.Metric)
			t.Note = "a run that failed, or a missing value written as zero"
		case f.OwnUnit:
			t.Kind, t.Verdict = "a unit of its own", Doubtful
			t.Text = fmt.Sprintf("%s, in a column of another unit", f.Text)
			t.Note = "who reads the column by its unit is wrong by a power of ten"
		default:
			continue
		}
		j.add(t)
	}
}

// quantileOf is the share of the values that a metric says are no larger.
func quantileOf(metric string) (q float64, ok bool) {
	switch metric {
	case "latency_min":
		return 0, true
	case "latency_max":
		return 1, true
	}
	p, isP := strings.CutPrefix(metric, "p")
	v, err := strconv.ParseFloat(p, 64)
	return v / 100, isP && err == nil && v > 0 && v <= 100
}

type point struct {
	q float64
	f *importer.Figure
}

// order is R9 for a distribution: quantiles rise, the mean lies where they let it, and the standard deviation is no more than the extremes
// allow (Bhatia and Davis 2000: sd² ≤ (max − mean) × (mean − min)).
func (j *judge) order(r *importer.Row) {
	var points []point
	for _, f := range r.Figures {
		if q, ok := quantileOf(f.Metric); ok && f.Unit == importer.Seconds && f.Many == 0 && !f.Missing && f.Value >= 0 {
			points = append(points, point{q, f})
		}
	}
	slices.SortStableFunc(points, func(a, b point) int {
		switch {
		case a.q < b.q:
			return -1
		case a.q > b.q:
			return 1
		}
		return 0
	})
	j.rising(r, points)
	if mean := r.One(importer.Seconds, "latency_mean"); mean != nil {
		j.mean(r, points, mean)
	}
	for _, names := range [][3]string{{"latency_mean", "latency_stdev", "latency_max"}, {"rps_mean", "rps_stdev", "rps_max"}} {
		unit := importer.Seconds
		if names[0] == "rps_mean" {
			unit = importer.PerSec
		}
		j.deviation(r, r.One(unit, names[0]), r.One(unit, names[1]), r.One(unit, names[2]))
	}
}

func (j *judge) rising(r *importer.Row, points []point) {
	if len(points) < 2 {
		return
	}
	f := Finding{Rule: "R9", Kind: "quantiles rise", Verdict: Sound, Row: r, off: 1, Text: "quantiles rise"}
	for i, p := range points {
		f.Figures = append(f.Figures, p.f)
		if i > 0 && points[i-1].f.Lo > p.f.Hi {
			f.Kind, f.Verdict = "quantiles fall", Impossible
			f.Text = fmt.Sprintf("%s is %s, but %s is %s", points[i-1].f.Metric, points[i-1].f.Text, p.f.Metric, p.f.Text)
			f.Figures, f.off = published(points[i-1].f, p.f), points[i-1].f.Value/math.Max(p.f.Value, 1e-12)
			f.Note = "a unit was left out, or a column taken for another"
			break
		}
	}
	f.Figures = published(f.Figures...)
	j.add(f)
}

func (j *judge) mean(r *importer.Row, points []point, mean *importer.Figure) {
	if len(points) == 0 || mean.Value < 0 {
		return
	}
	least, most := 0.0, 0.0
	q, v := 0.0, 0.0
	for _, p := range points {
		least += (p.q - q) * v
		most += (p.q - q) * p.f.Hi
		q, v = p.q, math.Max(p.f.Lo, 0)
	}
	least += (1 - q) * v
	if q < 1 {
		most = math.Inf(1)
	}
	f := Finding{Rule: "R9", Kind: "mean and quantiles", Verdict: Sound, Row: r, Figures: published(mean), off: 1}
	for _, p := range points {
		f.Figures = append(f.Figures, published(p.f)...)
	}
	f.Text = fmt.Sprintf("a mean of %s, and the quantiles allow %s to %s", mean.Text, timeText(least), timeText(most))
	if math.IsInf(most, 1) {
		f.Text = fmt.Sprintf("a mean of %s, and the quantiles allow %s and more", mean.Text, timeText(least))
	}
	switch {
	case mean.Hi < least*(1-slack) || mean.Lo > most*(1+slack):
		f.Kind, f.Verdict, f.Figures = "a mean that the quantiles do not allow", Impossible, published(mean)
		f.Text = strings.Replace(f.Text, ", and", ", but", 1)
		f.Note = "a unit was left out, or mean and quantiles are of different requests"
	default:
		for _, p := range points {
			if p.q >= 0.99 && p.f.Digits >= 3 && p.f.Text == mean.Text {
				f.Kind, f.Verdict, f.Figures = "one value in two columns", Doubtful, published(mean, p.f)
				f.Text = fmt.Sprintf("%s is both the mean and %s", mean.Text, p.f.Metric)
				f.Note = "a column was copied"
			}
		}
	}
	j.add(f)
}

func (j *judge) deviation(r *importer.Row, mean, sd, most *importer.Figure) {
	if mean == nil || sd == nil || most == nil || mean.Value < 0 || sd.Value < 0 {
		return
	}
	f := Finding{Rule: "R9", Kind: "standard deviation and maximum", Verdict: Sound, Row: r, Figures: published(mean, sd, most), off: 1}
	if most.Hi < mean.Lo {
		f.Kind, f.Verdict, f.Text = "a mean above the maximum", Impossible, fmt.Sprintf("a mean of %s, but a maximum of %s", mean.Text, most.Text)
		j.add(f)
		return
	}
	bound := math.Sqrt(math.Max(most.Hi-mean.Lo, 0) * mean.Hi)
	f.Text = fmt.Sprintf("a standard deviation of %s around %s, and values from 0 to %s allow as much", sd.Text, mean.Text, most.Text)
	if sd.Lo > bound*(1+slack) {
		f.Kind, f.Verdict, f.Figures = "a standard deviation that the maximum does not allow", Impossible, published(sd, most)
		f.Text = fmt.Sprintf("a standard deviation of %s around %s, but values from 0 to %s allow at most %s", sd.Text, mean.Text, most.Text, number(bound))
		if sd.Unit == importer.Seconds {
			f.Text = strings.TrimSuffix(f.Text, number(bound)) + timeText(bound)
		}
	}
	j.add(f)
}
