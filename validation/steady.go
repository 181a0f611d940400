package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// Arm is one way to take trials in the steadiness experiment.
type Arm struct {
	TrialNS int64 `json:"trial_ns"`
	Frozen  bool  `json:"frozen"` // processes are frozen between their trials, as in every run
}

// The two compared arms: trials as in every run, and long loads on servers that are never frozen, as in
// production.
var (
	DefaultArm = Arm{TrialNS: int64(100 * time.Millisecond), Frozen: true}
	ServiceArm = Arm{TrialNS: int64(10 * time.Second)}
)

// SteadyContestants take part in the experiment. All ratios are relative to the first.
var SteadyContestants = []string{"net-http", "kestrel", "aspnetcore-addmvc"}

// steadyMargin is the largest acceptable relative difference between an arm's ratio and the default arm's.
const steadyMargin = 0.03

// steadyArms returns all arms: four lengths, with servers frozen between trials or not.
func steadyArms() (arms []Arm) {
	for _, ms := range []int64{100, 500, 2000, 10_000} {
		arms = append(arms, Arm{ms * 1e6, true}, Arm{ms * 1e6, false})
	}
	return arms
}

// Rounds returns the number of trials per contestant in one unit: four seconds of load, but at most twelve
// trials as in an epoch, and at least one.
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

// SteadyTask is one unit in the experiment: fresh processes of all contestants, warmed up and loaded as one
// arm says.
type SteadyTask struct {
	Block int
	Arm
	Seed uint64
}

// steadyBlock: among the first 16 blocks, every fourth has all arms; the other blocks have the two compared
// arms.
const steadyBlock = 4

// steadyTasks returns the tasks in a block, in random order.
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

// SteadyUnit is the result of a unit, a line in steady.jsonl. PerSec and CPUNS have each contestant's valid
// rounds, in order.
type SteadyUnit struct {
	Block int `json:"block"`
	Arm
	Seed      uint64               `json:"seed"`
	PerSec    map[string][]float64 `json:"per_sec"`
	CPUNS     map[string][]float64 `json:"cpu_per_request_ns"`
	Discarded float64              `json:"discarded_share"` // discarded trials / all trials
	Seconds   float64              `json:"seconds"`
	Started   string               `json:"started"` // RFC 3339, UTC
	Commit    string               `json:"commit"`
	Machine   string               `json:"machine"`
}

// ReadSteady reads the lines of a steady.jsonl; name is for errors.
func ReadSteady(r io.Reader, name string) ([]SteadyUnit, error) {
	return readLines(r, name, func(*SteadyUnit) error { return nil })
}

// SteadyOptions configures RunSteady.
type SteadyOptions struct {
	Done []SteadyUnit // units already made
	For  time.Duration
	Now  func() time.Time
	Play func(context.Context, SteadyTask) (*record.Run, error)
	Keep func(SteadyUnit) error // called after each unit
}

// RunSteady makes the missing units, block by block, until the remaining time is shorter than the longest
// unit so far. A unit without a valid round is not kept and is repeated the next time.
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

// steadyUnit summarizes a run.
func steadyUnit(t SteadyTask, run *record.Run) SteadyUnit {
	discarded, all := plan.Discarded(run)
	u := SteadyUnit{
		Block: t.Block, Arm: t.Arm, Seed: t.Seed, PerSec: map[string][]float64{}, CPUNS: map[string][]float64{},
		Discarded: float64(discarded) / float64(max(1, all)), Started: started(run), Machine: machineOf(run),
	}
	rate, _ := judge.MetricNamed("throughput")
	cpu, _ := judge.MetricNamed("cpu_per_request")
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

// ratio returns the median over rounds of the log ratio between a contestant's figure and the first
// contestant's; NaN if a figure is missing.
func (u *SteadyUnit) ratio(figures map[string][]float64, name string) float64 {
	x, base := figures[name], figures[SteadyContestants[0]]
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
	Ratio   judge.Estimate // throughput relative to the first contestant's, over all units of the arm
	Against judge.Estimate // this ratio relative to the default arm's; N is 0 in the default arm
	CPU     judge.Estimate // as Against, for CPU per request
}

// SteadyRows returns the rows for all contestants but the first and all measured arms.
func SteadyRows(units []SteadyUnit) (rows []SteadyRow) {
	estimate := func(d []float64) judge.Estimate { return judge.RatioOf(d, 0.95) }
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
