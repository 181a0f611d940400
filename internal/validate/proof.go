// Package validate shows by experiment that the verdicts hold: it lets servers of known speed duel in known noise, replays epochs that were
// recorded, leaves out one part of the method at a time, and sets traps.
//
// One procedure: what decides here is analysis.Judge, and in the traps the whole of plan, analysis and validity on full records. Everything
// follows from a seed, whatever the number of CPUs.
package validate

import (
	"context"
	"fmt"
	"slices"
)

// Sections are the parts of a proof, in order.
var Sections = []string{"simulation", "replay", "ablation", "adversarial", "checks"}

// IsSection reports whether there is a section of that name.
func IsSection(name string) bool { return slices.Contains(Sections, name) }

// What dyno prove does unless told otherwise. 5,000 duels tell 5 % from 6 %, and a coverage of 95 % from one of 94 %.
const (
	DefaultReps = 5000
	DefaultSeed = 2017
)

// Options say how much is proved.
type Options struct {
	Reps     int // duels of a cell; whole runs of a trap are a tenth of them
	Seed     uint64
	Only     string       // one of Sections; "" for all
	Progress func(string) // told what is done next; may be nil
}

func (o *Options) tell(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// Proof is what came of it. What was not asked for is nil.
type Proof struct {
	Options  Options
	Cells    []Cell
	Recorded []Recorded
	Replays  []Replay
	Ablated  []Ablated
	Traps    []Trap
	Carried  []Carried
	Checked  []Checked
	Steady   []SteadyUnit // from elsewhere: no section makes them
	Live     []Live       // from elsewhere: no section makes them
}

// Run makes the proof. It ends early, with the error of ctx, when ctx does.
func Run(ctx context.Context, o *Options) (*Proof, error) {
	p := &Proof{Options: *o}
	for _, section := range Sections {
		if o.Only != "" && o.Only != section {
			continue
		}
		var err error
		switch section {
		case "simulation":
			p.Cells = simulation(ctx, o)
		case "replay":
			p.Recorded, p.Replays, err = replay(ctx, o)
		case "ablation":
			p.Ablated = ablation(ctx, o)
		case "adversarial":
			p.Traps = traps(ctx, o)
		case "checks":
			p.Carried, p.Checked = carried(ctx, o), checked(ctx, o)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("prove %s: %w", section, err)
		}
	}
	return p, nil
}
