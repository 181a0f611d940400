package audit

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/importer"
)

// traps applies R9 to single figures: empty cells, several numbers in one cell, deviating units,
// and impossible numbers.
func (j *examiner) traps(r *importer.Row) {
	for _, f := range r.Figures {
		trap := func(v Verdict, kind, note, format string, args ...any) {
			t := j.check("R9", "", r, f)
			t.fail(v, kind, note)
			t.say(format, args...)
		}
		switch {
		case f.Missing:
			trap(CannotTell, "missing", "", "no value: missing is not zero")
		case f.Many > 0:
			trap(Doubtful, "several numbers in one cell",
				"one per process: it is not stated whether their sum or their mean counts",
				"%q: %d numbers instead of one", f.Text, f.Many)
		case f.Value < 0:
			trap(Impossible, "negative", "", "%s is below zero", f.Text)
		case f.Value == 0 && (strings.HasPrefix(f.Metric, "rps") || f.Metric == "latency_mean"):
			trap(Doubtful, "zero", "a run that failed, or a missing value written as zero",
				"%s of %s", f.Text, f.Metric)
		case f.OwnUnit:
			trap(Doubtful, "a different unit", "a reader who assumes the column's unit is wrong by a power of ten",
				"%s, in a column of another unit", f.Text)
		}
	}
}

// quantileOf returns the quantile that a metric stands for, as a share: 0.99 for p99, 0 for the
// minimum.
func quantileOf(metric string) (q float64, ok bool) {
	switch metric {
	case "latency_min":
		return 0, true
	case "latency_max":
		return 1, true
	}
	p, isP := strings.CutPrefix(metric, "p")
	if !isP {
		return 0, false
	}
	v, err := strconv.ParseFloat(p, 64)
	return v / 100, err == nil && v > 0 && v <= 100
}

// point is a figure that is a distribution's quantile q.
type point struct {
	q float64
	*importer.Figure
}

// order applies R9 to a distribution. Quantiles increase, the mean is within the bounds that they
// imply, and the standard deviation is within the bound that the extremes imply.
func (j *examiner) order(r *importer.Row) {
	var points []point
	for _, f := range r.Figures {
		if q, ok := quantileOf(f.Metric); ok && f.Unit == importer.Seconds && f.Value >= 0 {
			points = append(points, point{q, f})
		}
	}
	if len(points) > 0 {
		slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.q, b.q) })
		figures := make([]*importer.Figure, len(points))
		for i, p := range points {
			figures[i] = p.Figure
		}
		j.rising(r, figures)
		j.mean(r, points, figures)
	}
	j.deviation(r, importer.Seconds, "latency_mean", "latency_stdev", "latency_max")
	j.deviation(r, importer.PerSec, "rps_mean", "rps_stdev", "rps_max")
}

// rising checks that figures increase in the order of their quantiles.
func (j *examiner) rising(r *importer.Row, figures []*importer.Figure) {
	if len(figures) < 2 {
		return
	}
	t := j.check("R9", "quantiles rise", r, figures...)
	t.say("quantiles rise")
	for i, high := range figures[1:] {
		if low := figures[i]; low.Lo > high.Hi {
			t.fail(Impossible, "quantiles fall", "a unit is missing, or two columns were mixed up")
			t.say("%s is %s, but %s is %s", low.Metric, low.Text, high.Metric, high.Text)
			t.concern(low, high)
			t.off = low.Value / max(high.Value, 1e-12)
			return
		}
	}
}

// mean checks the mean latency against bounds: requests between two quantiles took between the
// figures for these quantiles. Without a maximum there is no upper bound.
func (j *examiner) mean(r *importer.Row, points []point, figures []*importer.Figure) {
	mean := r.One(importer.Seconds, "latency_mean")
	if mean == nil || mean.Value < 0 {
		return
	}
	var least, most, q, v float64
	for _, p := range points {
		least += (p.q - q) * v
		most += (p.q - q) * p.Hi
		q, v = p.q, max(p.Lo, 0)
	}
	least += (1 - q) * v
	allowed := timeText(least) + " to " + timeText(most)
	if q < 1 {
		most, allowed = math.Inf(1), timeText(least)+" and more"
	}
	t := j.check("R9", "mean and quantiles", r, append([]*importer.Figure{mean}, figures...)...)
	t.say("a mean of %s, and the quantiles allow %s", mean.Text, allowed)
	if mean.Hi < least*(1-slack) || mean.Lo > most*(1+slack) {
		t.fail(Impossible, "a mean that contradicts the quantiles",
			"a unit is missing, or mean and quantiles describe different requests")
		t.concern(mean)
		t.say("a mean of %s, but the quantiles allow %s", mean.Text, allowed)
		return
	}
	below, from := 0.0, 0.0 // the most that requests up to a quantile add to the mean
	for _, p := range points {
		below, from = below+(p.q-from)*p.Hi, p.q
		switch {
		case p.q >= 0.99 && p.q < 1 && mean.Lo > p.Hi:
			t.fail(Doubtful, "a mean above the p99",
				"a few requests dominate the mean, or mean and quantile describe different requests")
			t.concern(mean, p.Figure)
			t.say("a mean of %s above %s of %s: the slowest %s %% would take %s on average, or more", mean.Text,
				p.Metric, p.Text,
				numberText(100-100*p.q), timeText((mean.Lo-below)/(1-p.q)))
		case p.q >= 0.99 && p.Digits >= 3 && p.Text == mean.Text:
			t.fail(Doubtful, "the same value in two columns", "a column was copied")
			t.concern(mean, p.Figure)
			t.say("%s is both the mean and %s", mean.Text, p.Metric)
		}
	}
}

// deviation checks a standard deviation against its bound, sd² ≤ (max − mean) × (mean − min), with
// 0 for the minimum (Bhatia and Davis, "A better bound on the variance", 2000). Rates may have few
// samples: see sampleFactor.
func (j *examiner) deviation(r *importer.Row, unit importer.Unit, meanName, sdName, mostName string) {
	mean, sd, most := r.One(unit, meanName), r.One(unit, sdName), r.One(unit, mostName)
	if mean == nil || sd == nil || most == nil || mean.Value < 0 || sd.Value < 0 {
		return
	}
	t := j.check("R9", "standard deviation and maximum", r, mean, sd, most)
	if most.Hi < mean.Lo {
		t.fail(Impossible, "a mean above the maximum", "")
		t.say("a mean of %s, but a maximum of %s", mean.Text, most.Text)
		return
	}
	t.say("a standard deviation of %s around %s, and values from 0 to %s allow as much", sd.Text, mean.Text, most.Text)
	bound := math.Sqrt((most.Hi - mean.Lo) * mean.Hi)
	if unit == importer.PerSec {
		bound *= sampleFactor(r)
	}
	if sd.Lo > bound*(1+slack) {
		t.fail(Impossible, "a standard deviation that contradicts the maximum", "")
		t.concern(sd, most)
		text := numberText(bound)
		if unit == importer.Seconds {
			text = timeText(bound)
		}
		t.say("a standard deviation of %s around %s, but values from 0 to %s allow at most %s",
			sd.Text, mean.Text, most.Text, text)
	}
}

// rateSample is the length, in s, of the rate samples of bombardier, unless it keeps a given rate.
const rateSample = 0.02

// sampleFactor returns the factor by which a standard deviation of rates with n − 1 exceeds the one
// with n: √(n ÷ (n − 1)), if tool and duration give the number of samples; else √2, for there may
// be only two.
func sampleFactor(r *importer.Row) float64 {
	n := 2.0
	if t, _, _ := duration(r); r.Tool == "bombardier" && !r.Open && t.usable() {
		n = max(n, t.lo/rateSample)
	}
	return math.Sqrt(n / (n - 1))
}
