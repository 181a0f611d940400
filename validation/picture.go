package main

import (
	"errors"
	"io"

	"dyno/internal/document"
)

// Picture draws how far apart two equal servers came out: by the best of three loads, and by dyno's
// live A/A runs with their intervals.
func Picture(w io.Writer, p *Results) error {
	runs := p.liveCouples(LiveSame, 0, false)
	if len(p.BestOf) == 0 || len(runs) == 0 {
		return errors.New("the picture needs results of best-of-three and of live runs aa")
	}
	at := func(i, n int) float64 { return (float64(i) + .5) / float64(n) }
	percent := func(ratio float64) float64 { return 100 * (ratio - 1) }
	var best, paired []document.Point
	for i := range p.BestOf {
		v := percent(p.BestOf[i].ratio())
		best = append(best, document.Point{At: at(i, len(p.BestOf)), Value: v, Lo: v, Hi: v})
	}
	for i, r := range runs {
		t := r.Throughput
		paired = append(paired, document.Point{At: at(i, len(runs)),
			Value: percent(t.Ratio), Lo: percent(t.Lo), Hi: percent(t.Hi)})
	}
	c := document.LineChart{ID: "apart", Unit: "%", Per: 1, Common: true, Linear: true,
		Series: []document.Series{{Name: "wrk", Key: "javascript"}, {Name: "dyno", Key: "go"}},
		Plots: []document.Plot{
			{Title: "wrk, best of three: " + document.Count(len(best), "comparison"), Points: [][]document.Point{best, nil}},
			{Title: "dyno, with intervals: " + document.Count(len(runs), "comparison"), Points: [][]document.Point{nil, paired}},
		},
		Foot: "Requests/s of a program against its own copy. The true difference is 0 %."}
	return document.SVG(w, &document.Document{Front: []document.Block{c}})
}
