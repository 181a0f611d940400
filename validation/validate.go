package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Sections are the parts of a validation, in order.
var Sections = []string{"simulation", "replay", "adversarial", "checks"}

// IsSection reports whether Sections contains name.
func IsSection(name string) bool { return slices.Contains(Sections, name) }

// Defaults for the page. 5,000 comparisons distinguish an error rate of 5 % from 6 %, and a coverage of 95 %
// from 94 %.
const (
	DefaultReps = 5000
	DefaultSeed = 2017
)

// Options are the options of Run.
type Options struct {
	Reps     int // comparisons per cell; a trap has a tenth as many whole runs
	Seed     uint64
	Only     string       // one of Sections; "" for all
	Progress func(string) // called with a description of the next step; may be nil
}

func (o *Options) tell(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// Results are a validation's results. Sections that were not requested are nil.
type Results struct {
	Options    Options
	Cells      []Cell
	Recorded   []Recorded
	Replays    []Replay
	Unshuffled []Unshuffled
	Traps      []Trap
	Carried    []Carried
	Checked    []Checked
	Cases      []Case   // read from a file by the caller; no section makes them
	Live       []Live   // likewise
	BestOf     []BestOf // likewise
}

// Run computes the requested sections. When ctx ends it returns the error of ctx.
func Run(ctx context.Context, o *Options) (*Results, error) {
	p := &Results{Options: *o}
	for _, section := range Sections {
		if o.Only != "" && o.Only != section {
			continue
		}
		var err error
		switch section {
		case "simulation":
			p.Cells = simulation(ctx, o)
		case "replay":
			err = p.replay(ctx, o)
		case "adversarial":
			p.Traps = traps(ctx, o)
		case "checks":
			p.Carried, p.Checked = carried(ctx, o), checked(ctx, o, checkFaults)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("validate %s: %w", section, err)
		}
	}
	return p, nil
}
