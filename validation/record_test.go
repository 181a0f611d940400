package main

import (
	"math"
	"slices"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// There is one procedure: the fast comparison decides as study.Analyse does on the full records of the same
// trials, at the interim analysis where plan would stop.
func TestFullRecordsGiveTheSameVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates whole runs")
	}
	verdicts := map[judge.Verdict]int{}
	for seed := range uint64(12) {
		truth := make([]float64, trapServers+riders)
		truth[0] = .04 * float64(seed%2)
		truth[1] = .02 * float64(seed%3)
		run := recordRun(&noFoe, seed, 0, truth)
		a := study.Analyse(run)

		names := slices.Concat(run.Plan.Contestants, run.Plan.Controls)
		rows := recordedRows(plan.Valid(run), names)
		d := &comparison{truth: truth[:trapServers], analyses: plan.Analyses(run),
			next: func(e int) [][]float64 { return rows[e] }}
		d.play()
		if got := d.analyses[len(d.at)-1].N; got != a.Epochs || len(d.at) != a.Interim {
			t.Errorf("seed %d: the duel stopped after %d epochs, the run after %d (%s)", seed, got, a.Epochs, run.End.Reason)
		}
		for i, c := range couples(trapServers) {
			p, ok := a.Pair(serverName(c[0]), serverName(c[1]), "throughput")
			j := &d.at[len(d.at)-1][i]
			// by chance; the fast comparison does not check this
			if a.Moves(p.CellA(), p.Metric) != nil || a.Moves(p.CellB(), p.Metric) != nil {
				verdicts["moving"]++
				continue
			}
			if !ok || p.Verdict != j.Verdict || p.P != j.P || math.Abs(p.Ratio.Value-j.Ratio.Value) > 1e-12 ||
				j.Verdict == judge.Different && (p.Better == p.A) != j.Up() {
				t.Errorf("seed %d: full records say %+v, the duel %+v", seed, p, j)
			}
			verdicts[j.Verdict]++
		}
	}
	if verdicts["moving"] > 6 || verdicts[judge.Different] == 0 || verdicts[judge.Equivalent] == 0 {
		t.Errorf("only %v: the test tests nothing", verdicts)
	}
}

func foeNamed(name string) *Foe {
	f := caught("", name)
	return &f
}

// recordedRows returns the log throughput of trials by epoch, round and contestant.
func recordedRows(trials []*record.Trial, names []string) (epochs [][][]float64) {
	m, _ := judge.MetricNamed("throughput")
	for e, rows := range condensed(trials, m, names) {
		epochs = append(epochs, nil)
		for range rows {
			epochs[e] = append(epochs[e], make([]float64, len(names)))
		}
	}
	number := map[string]int{}
	for i, n := range names {
		number[n] = i
	}
	e, r := -1, -1
	for i := range trials {
		if i == 0 || trials[i].Epoch != trials[i-1].Epoch {
			e, r = e+1, -1
		}
		if r < 0 || trials[i].Round != trials[i-1].Round {
			r++
		}
		if c, ok := number[trials[i].Contestant]; ok {
			v, _ := m.Of(trials[i])
			epochs[e][r][c] = math.Log(v)
		}
	}
	return epochs
}

func TestRecordings(t *testing.T) {
	if len(embedded) > 200_000 {
		t.Errorf("the recordings take %d bytes", len(embedded))
	}
	rec, err := recordings()
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range rec.Runs {
		if n := len(run.Contestants); n < 4 || run.Contestants[n-2] != "ref" || run.Contestants[n-1] != "ref'" {
			t.Errorf("contestants %v", run.Contestants)
		}
	}
}

// Condensing keeps the valid rounds, with logs rounded to a ten-thousandth.
func TestCondense(t *testing.T) {
	run := recordRun(foeNamed("bursts"), 3, 0, make([]float64, trapServers+riders))
	rec := condensedRun(run)
	trials := plan.Valid(run)
	rows := recordedRows(trials, rec.Contestants)
	if len(rows) != len(rec.Values["throughput"]) {
		t.Fatalf("%d epochs of %d", len(rec.Values["throughput"]), len(rows))
	}
	n := 0
	for e := range rows {
		for r := range rows[e] {
			for c, want := range rows[e][r] {
				n++
				if got := float64(*rec.Values["throughput"][e][r][c]) / grain; math.Abs(got-want) > .5/grain+1e-12 {
					t.Errorf("epoch %d, round %d: %v, want %v", e, r, got, want)
				}
			}
		}
	}
	if n != len(trials) {
		t.Errorf("%d values of %d trials", n, len(trials))
	}
}
