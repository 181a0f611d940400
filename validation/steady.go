package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"dyno/internal/analysis"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// Arm is one way to take trials of the steadiness experiment.
type Arm struct {
	TrialNS int64 `json:"trial_ns"`
	Frozen  bool  `json:"frozen"` // processes are frozen between their trials, as in every run
}

// The two arms that the experiment compares: trials as in every run, and loads as of a server in
// production.
var (
	DefaultArm = Arm{TrialNS: int64(100 * time.Millisecond), Frozen: true}
	ServiceArm = Arm{TrialNS: int64(10 * time.Second)}
)

// SteadyContestants are those of the experiment. All ratios are to the first.
var SteadyContestants = []string{"net-http", "kestrel", "aspnetcore-addmvc"}

// steadyMargin is the share by which the ratio of an arm may differ from that of the default arm.
const steadyMargin = 0.03

// steadyArms returns all arms: four lengths, frozen between the trials and not.
func steadyArms() (arms []Arm) {
	for _, ms := range []int64{100, 500, 2000, 10_000} {
		arms = append(arms, Arm{ms * 1e6, true}, Arm{ms * 1e6, false})
	}
	return arms
}

// Rounds returns how many trials of each contestant an arm has in one unit: twelve short ones, as an
// epoch has, and of longer ones some seconds of load.
func (a Arm) Rounds() int {
	return max(1, min(12, int(4*time.Second/time.Duration(a.TrialNS))))
}

func (a Arm) String() string {
	state := "not frozen"
	if a.Frozen {
		state = "frozen"
	}
	return fmt.Sprintf("%v, %s", time.Duration(a.TrialNS), state)
}

// SteadyTask is one unit of the experiment: fresh processes of all contestants, warmed up and loaded
// by one arm.
type SteadyTask struct {
	Block int
	Arm
	Seed uint64
}

// steadyBlock: of the first 16 blocks, every fourth has all arms; the other blocks have the two
// that are compared.
const steadyBlock = 4

// steadyTasks returns the tasks of a block, in random order.
func steadyTasks(block int) []SteadyTask {
	arms := []Arm{DefaultArm, ServiceArm}
	if block < 16 && block%steadyBlock == steadyBlock-1 {
		arms = steadyArms()
	}
	var tasks []SteadyTask
	rng := source(liveSeed, "steady", block)
	for _, i := range rng.Perm(len(arms)) {
		tasks = append(tasks, SteadyTask{Block: block, Arm: arms[i], Seed: rng.Uint64() >> 32})
	}
	return tasks
}

// SteadyUnit is what a unit measured, a line of steady.jsonl. PerSec and CPUNS have the valid rounds
// of each contestant, in order.
type SteadyUnit struct {
	Block int `json:"block"`
	Arm
	Seed      uint64               `json:"seed"`
	PerSec    map[string][]float64 `json:"per_sec"`
	CPUNS     map[string][]float64 `json:"cpu_per_request_ns"`
	Discarded float64              `json:"discarded_share"` // of the trials
	Seconds   float64              `json:"seconds"`
	Started   string               `json:"started"` // RFC 3339, UTC
	Commit    string               `json:"commit"`
	Machine   string               `json:"machine"`
}

// ReadSteady reads the lines of a steady.jsonl; name is for errors.
func ReadSteady(r io.Reader, name string) ([]SteadyUnit, error) {
	return readLines(r, name, func(*SteadyUnit) error { return nil })
}

// SteadyOptions say how much of the experiment is carried out, and how.
type SteadyOptions struct {
	Done []SteadyUnit // made before
	For  time.Duration
	Now  func() time.Time
	Play func(context.Context, SteadyTask) (*result.Run, error)
	Keep func(SteadyUnit) error // called as soon as a unit is over
}

// RunSteady makes the units that are missing, block by block, until the time that is left is shorter
// than the longest unit so far. A unit without a valid round of all contestants does not count and is
// made again the next time.
func RunSteady(ctx context.Context, o *SteadyOptions) error {
	begin, longest := o.Now(), time.Duration(0)
	for block := 0; ; block++ {
		for _, t := range steadyTasks(block) {
			if slices.ContainsFunc(o.Done, func(u SteadyUnit) bool { return u.Block == t.Block && u.Arm == t.Arm }) {
				continue
			}
			from := o.Now()
			if from.Sub(begin)+longest > o.For {
				return nil
			}
			run, err := o.Play(ctx, t)
			if err = cmp.Or(err, ctx.Err(), unfit(run)); err != nil {
				return fmt.Errorf("steadiness, block %d, %v: %w", t.Block, t.Arm, err)
			}
			u := steadyUnit(t, run)
			u.Seconds = o.Now().Sub(from).Seconds()
			longest = max(longest, o.Now().Sub(from))
			if len(u.PerSec[SteadyContestants[0]]) == 0 {
				continue
			}
			if err := o.Keep(u); err != nil {
				return fmt.Errorf("store block %d, %v: %w", t.Block, t.Arm, err)
			}
		}
	}
}

// steadyUnit returns the record of a run.
func steadyUnit(t SteadyTask, run *result.Run) SteadyUnit {
	discarded, all := plan.Discarded(run)
	u := SteadyUnit{
		Block: t.Block, Arm: t.Arm, Seed: t.Seed, PerSec: map[string][]float64{}, CPUNS: map[string][]float64{},
		Discarded: float64(discarded) / float64(max(1, all)), Started: started(run), Machine: machine(run),
	}
	rate, _ := analysis.MetricNamed("throughput")
	cpu, _ := analysis.MetricNamed("cpu_per_request")
	valid := plan.Valid(run)
	for i := range valid {
		t := valid[i]
		if v, ok := rate.Of(t); ok {
			u.PerSec[t.Contestant] = append(u.PerSec[t.Contestant], math.Round(v))
		}
		if v, ok := cpu.Of(t); ok {
			u.CPUNS[t.Contestant] = append(u.CPUNS[t.Contestant], math.Round(v))
		}
	}
	return u
}

// ratio returns the log of a contestant's figure over the first's: the median over the rounds; NaN
// where a figure is missing.
func (u *SteadyUnit) ratio(of map[string][]float64, name string) float64 {
	x, base := of[name], of[SteadyContestants[0]]
	if len(x) == 0 || len(x) != len(base) {
		return math.NaN()
	}
	var logs []float64
	for i := range x {
		logs = append(logs, math.Log(x[i]/base[i]))
	}
	return stats.Median(logs)
}

// SteadyRow compares an arm with the default arm of the same blocks.
type SteadyRow struct {
	Contestant string
	Arm
	Ratio   analysis.Estimate // of its throughput to the first's, over all units of the arm
	Against analysis.Estimate // that ratio over the ratio of the default arm; N 0 for the default arm itself
	CPU     analysis.Estimate // the same of the CPU per request
}

// SteadyRows returns the rows of all contestants but the first, and of all arms that were measured.
func SteadyRows(units []SteadyUnit) (rows []SteadyRow) {
	estimate := func(d []float64) analysis.Estimate { return analysis.RatioOf(d, 0.95) }
	for _, name := range SteadyContestants[1:] {
		for _, arm := range steadyArms() {
			var all, rates, cpus []float64
			for i := range units {
				u := &units[i]
				if u.Arm != arm || math.IsNaN(u.ratio(u.PerSec, name)) {
					continue
				}
				all = append(all, u.ratio(u.PerSec, name))
				for k := range units {
					if base := &units[k]; arm != DefaultArm && base.Arm == DefaultArm && base.Block == u.Block {
						rates = appendKnown(rates, u.ratio(u.PerSec, name)-base.ratio(base.PerSec, name))
						cpus = appendKnown(cpus, u.ratio(u.CPUNS, name)-base.ratio(base.CPUNS, name))
					}
				}
			}
			if len(all) > 0 {
				rows = append(rows, SteadyRow{name, arm, estimate(all), estimate(rates), estimate(cpus)})
			}
		}
	}
	return rows
}

// appendKnown appends v unless it is NaN.
func appendKnown(x []float64, v float64) []float64 {
	if math.IsNaN(v) {
		return x
	}
	return append(x, v)
}
