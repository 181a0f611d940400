package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"

	"dyno/internal/foreign"
	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/stats"
	"dyno/internal/study"
)

// startsMetrics are the metrics whose spread limits early analyses.
var startsMetrics = []string{"throughput", "cpu_per_request", "p50", "memory"}

// printStarts prints the spread between epochs in the log ratio of two contestants, over the studies'
// records: quantiles of the standard deviations, by number of rounds and metric. It uses pairs within a level
// that have enough epochs for a verdict. With fewer rounds per epoch, more of the spread comes from the
// rounds.
func printStarts(root string, out io.Writer) error {
	all, err := study.All(foreign.FS(root))
	if err != nil {
		return err
	}
	type kind struct {
		rounds int
		metric string
	}
	sds, studies := map[kind][]float64{}, map[kind]int{}
	for _, s := range all {
		run, err := study.Open(s.Committed(root))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		for _, name := range startsMetrics {
			k := kind{run.Plan.Rounds, name}
			sds[k], studies[k] = append(sds[k], spreads(run, name)...), studies[k]+1
		}
	}
	kinds := slices.SortedFunc(maps.Keys(sds), func(a, b kind) int {
		return cmp.Or(b.rounds-a.rounds, slices.Index(startsMetrics, a.metric)-slices.Index(startsMetrics, b.metric))
	})
	head := words("SD of a pair between epochs, %|rounds an epoch|studies|pairs|median|90 % have less|99 %")
	_, err = fmt.Fprint(out, tableOf(head, kinds, func(k kind) []string {
		x := slices.Sorted(slices.Values(sds[k]))
		row := []string{k.metric, fmt.Sprint(k.rounds), fmt.Sprint(studies[k]), fmt.Sprint(len(x))}
		for _, q := range []float64{.5, .9, .99} {
			if i := int(q * float64(len(x))); i < len(x) {
				row = append(row, fmt.Sprintf("%.1f", 100*x[i]))
			}
		}
		return row
	}))
	return err
}

// spreads returns the standard deviations of all pairs in a run.
func spreads(run *record.Run, metric string) (sds []float64) {
	m, _ := judge.MetricNamed(metric)
	byLevel := map[int][]*record.Trial{}
	for _, t := range plan.Valid(run) {
		byLevel[run.Plan.At(t)] = append(byLevel[run.Plan.At(t)], t)
	}
	for _, trials := range byLevel {
		epochs := logsOf(condensed(trials, m, run.Plan.Contestants), m)
		for _, pair := range couples(len(run.Plan.Contestants)) {
			var d []float64
			for _, rows := range epochs {
				if v := difference(rows, pair[0], pair[1]); !math.IsNaN(v) {
					d = append(d, v)
				}
			}
			if len(d) >= stats.Least {
				sds = append(sds, sd(d))
			}
		}
	}
	return sds
}
