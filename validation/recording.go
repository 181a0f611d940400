package main

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the recordings
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
)

//go:embed epochs.json.gz
var embedded []byte

// Recording has the valid rounds of dyno runs, reduced to the values that a replay needs: epochs.json.gz,
// made by `go run ./validation condense FILE RUN…`. It omits causes, counts, times and discarded rounds.
type Recording struct {
	Format int           `json:"format"` // recordingFormat
	Runs   []RecordedRun `json:"runs"`
}

// RecordedRun is one run. Values[m][e][r][c] is metric m of contestant c in round r of epoch e: the natural
// logarithm in units of 1/10000, rounded; null if not measured.
type RecordedRun struct {
	Seed        uint64                `json:"seed"`
	Machine     string                `json:"machine"`
	Contestants []string              `json:"contestants"` // controls last: the reference and its copy
	Values      map[string][][][]*int `json:"values"`
}

// recordingFormat is the version of epochs.json.gz.
const recordingFormat = 1

// grain is the number of units per unit of the natural logarithm.
const grain = 10_000

// replayed are the recorded metrics.
var replayed = []string{"throughput", "cpu_per_request"}

// Condense writes a recording of runs.
func Condense(w io.Writer, runs []*record.Run) error {
	rec := Recording{Format: recordingFormat}
	for _, run := range runs {
		rec.Runs = append(rec.Runs, condensedRun(run))
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(rec); err != nil {
		return fmt.Errorf("condense: %w", err)
	}
	return z.Close()
}

// condensedRun returns the recording of one run.
func condensedRun(run *record.Run) RecordedRun {
	p := &run.Plan
	out := RecordedRun{
		Seed: p.Seed, Machine: machineOf(run), Contestants: slices.Concat(p.Contestants, p.Controls),
		Values: map[string][][][]*int{},
	}
	trials := plan.Valid(run)
	for _, name := range replayed {
		m, _ := judge.MetricNamed(name)
		out.Values[name] = condensed(trials, m, out.Contestants)
	}
	return out
}

// condensed returns the values in one run's trials, which are sorted by epoch and round.
func condensed(trials []*record.Trial, m judge.Metric, contestants []string) (epochs [][][]*int) {
	for i := range trials {
		t := trials[i]
		if i == 0 || t.Epoch != trials[i-1].Epoch {
			epochs = append(epochs, nil)
		}
		e := &epochs[len(epochs)-1]
		if i == 0 || t.Epoch != trials[i-1].Epoch || t.Round != trials[i-1].Round {
			*e = append(*e, make([]*int, len(contestants)))
		}
		c := slices.Index(contestants, t.Contestant)
		if v, ok := m.Of(t); ok && c >= 0 && v > 0 {
			units := int(math.Round(grain * math.Log(v)))
			(*e)[len(*e)-1][c] = &units
		}
	}
	return epochs
}

// recordings reads the embedded recording.
func recordings() (*Recording, error) {
	z, err := gzip.NewReader(bytes.NewReader(embedded))
	if err != nil {
		return nil, fmt.Errorf("read recordings: %w", err)
	}
	var rec Recording
	if err := json.NewDecoder(z).Decode(&rec); err != nil {
		return nil, fmt.Errorf("read recordings: %w", err)
	}
	if rec.Format != recordingFormat {
		return nil, fmt.Errorf("read recordings: format %d; this version reads %d", rec.Format, recordingFormat)
	}
	return &rec, nil
}

// epochs returns all recorded epochs for a metric, as logs by round and contestant. Larger values are faster,
// whatever the metric; values that were not measured are NaN.
func (rec *Recording) epochs(metric string) (all [][][]float64) {
	m, _ := judge.MetricNamed(metric)
	for _, run := range rec.Runs {
		all = append(all, logsOf(run.Values[metric], m)...)
	}
	return all
}

// logsOf converts condensed epochs as described at Recording.epochs.
func logsOf(epochs [][][]*int, m judge.Metric) (all [][][]float64) {
	for _, epoch := range epochs {
		rows := make([][]float64, len(epoch))
		for r, round := range epoch {
			rows[r] = make([]float64, len(round))
			for c, v := range round {
				rows[r][c] = math.NaN()
				if v != nil {
					rows[r][c] = float64(*v) / grain
				}
				if !m.More {
					rows[r][c] = -rows[r][c]
				}
			}
		}
		all = append(all, rows)
	}
	return all
}
