package judge

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Objective is a limit for a load: for a latency percentile, or for the share of errors.
type Objective struct {
	Text  string // text of the objective, as given
	Key   string // JSON key: p50_ns to p9999_ns; "": the share of errors
	Below float64
}

// ObjectiveResult is an objective's result. Kept is nil if it cannot be determined, and Why gives the
// reason.
type ObjectiveResult struct {
	Objective string   `json:"objective"`
	Kept      *bool    `json:"kept"`
	ValueNS   *float64 `json:"value_ns,omitempty"`
	Share     *float64 `json:"error_share,omitempty"`
	Why       string   `json:"why,omitempty"`
}

// ParseObjectives reads "p99<20ms,errors<0.1%".
func ParseObjectives(text string) (all []Objective, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		name, limit, ok := strings.Cut(part, "<")
		o := Objective{Text: part}
		switch name = strings.TrimSpace(name); {
		case !ok:
			return nil, fmt.Errorf("%q: want NAME<LIMIT, such as p99<20ms or errors<0.1%%", part)
		case name == "errors":
			o.Below, err = parseBelow(strings.TrimSpace(limit))
		default:
			if o.Key = keyOf(name); o.Key == "" {
				return nil, fmt.Errorf("%q: want p50, p75, p90, p95, p99, p99.9, p99.99 or errors", name)
			}
			var d time.Duration
			if d, err = time.ParseDuration(strings.ReplaceAll(limit, " ", "")); err == nil && d <= 0 {
				err = errors.New("must be above 0")
			}
			o.Below = float64(d)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: want a limit above 0, such as p99<20ms or errors<0.1%% (at most 100%%)", part)
		}
		if slices.ContainsFunc(all, func(other Objective) bool { return other.Key == o.Key }) {
			return nil, fmt.Errorf("%q: second limit for %s; pass one", part, name)
		}
		all = append(all, o)
	}
	return all, nil
}

// keyOf returns a percentile's key: p99.9 or p999 is p999_ns; "" if there is none.
func keyOf(name string) string {
	for _, p := range Percentiles {
		if name+"_ns" == p.Key || name+"%" == "p"+p.Name {
			return p.Key
		}
	}
	return ""
}

// parseBelow reads a share above 0 and at most 1: 0.1% or 0.001.
func parseBelow(text string) (float64, error) {
	number, cent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if cent {
		v /= 100
	}
	if err == nil && !(v > 0 && v <= 1) {
		err = errors.New("must be above 0")
	}
	return v, err
}

// Quantile returns the objective's percentile as a share; 0 if it limits errors.
func (o *Objective) Quantile() float64 {
	for _, p := range Percentiles {
		if p.Key == o.Key {
			return p.Q
		}
	}
	return 0
}

// OfErrors reports whether an objective limits errors.
func OfErrors(all []Objective) bool {
	return slices.ContainsFunc(all, func(o Objective) bool { return o.Key == "" })
}

// OfLatency reports whether an objective limits a percentile.
func OfLatency(all []Objective) bool {
	return slices.ContainsFunc(all, func(o Objective) bool { return o.Key != "" })
}

// Results judges the objectives.
func (o *OneLoad) Results() (all []ObjectiveResult) {
	for _, objective := range o.Objectives {
		r := ObjectiveResult{Objective: objective.Text}
		if objective.Key == "" {
			share := o.ErrorShare()
			r.Share, r.Kept = &share, new(share < objective.Below)
		} else {
			r.latency(o.Primary().Quantile(objective.Quantile()), objective.Below)
		}
		all = append(all, r)
	}
	return all
}

// latency judges a percentile. If only a lower bound is known, the objective can be missed but not
// kept.
func (r *ObjectiveResult) latency(f Figure, below float64) {
	switch {
	case !f.Known:
		r.Why = "too few requests lie beyond it; make the load longer"
	case f.NS >= below:
		r.Kept, r.ValueNS = new(false), &f.NS
	case f.AtLeast:
		r.Why, r.ValueNS = "only a lower bound is known: requests without a response may be slower", &f.NS
	default:
		r.Kept, r.ValueNS = new(true), &f.NS
	}
}
