package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dyno/internal/record"
)

// preset is a way to measure that a request names. It sets everything in a plan that a user need
// not: rounds, epochs, load lengths, how long processes run, the budget. Only New reads it;
// whoever carries out, judges or reports a run reads the plan.
type preset struct {
	name    string
	levels  bool // several connections, delays or records may be asked for at once
	named   bool // the pairs that a study names are decided
	inTurn  bool // each load has its own process: in the requested order, without warm-up and repeats
	arrange func(p *record.Plan, r *Request, q *Question, pr *profile)
}

// The presets, by their names in flags.
const (
	paired  = "paired"
	sweep   = "sweep"
	classic = "classic"
)

var presets = []preset{
	{name: paired, named: true, arrange: arrangePaired},
	{name: sweep, levels: true, arrange: arrangeSweep},
	{name: classic, inTurn: true, arrange: arrangeClassic},
}

// Names returns the preset names, as in flags.
func Names() (names []string) {
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// presetOf returns the preset that a flag names.
func presetOf(name string) (*preset, error) {
	for i := range presets {
		if presets[i].name == name {
			return &presets[i], nil
		}
	}
	return nil, refuse("--protocol %q: want one of %s", name, strings.Join(Names(), ", "))
}

// inRounds reports whether the preset compares contestants in rounds.
func (p *preset) inRounds() bool { return !p.inTurn }

// Check returns an error if a plan lacks something without which it cannot be carried out or
// judged. The error names the key.
func Check(p *record.Plan) error {
	switch {
	case len(p.Levels) == 0 || p.Rounds == 0 || len(p.Epochs) == 0:
		return fmt.Errorf("plan.levels has %d entries, plan.epochs %d, and plan.rounds is %d; a run needs all of them",
			len(p.Levels), len(p.Epochs), p.Rounds)
	case !slices.Contains([]string{record.PerEpoch, record.PerPart, record.PerLoad}, p.Processes):
		return fmt.Errorf("plan.processes is %q; it must be %s, %s or %s", p.Processes, record.PerEpoch, record.PerPart,
			record.PerLoad)
	case epochsUntil(p, slices.Max(p.Epochs)) > mostEpochs:
		return fmt.Errorf("plan.epochs and plan.levels ask for %d epochs; at most %d are read",
			epochsUntil(p, slices.Max(p.Epochs)), mostEpochs)
	}
	return checkPairs(p)
}

// mostEpochs is the largest number of epochs that a plan may ask for; no record has a later epoch.
const mostEpochs = 10_000

// wholeBudget is the budget for a run that is carried out whole, however long it takes.
const wholeBudget = 24 * time.Hour

// inTurn reports whether each load has its own process.
func inTurn(p *record.Plan) bool { return p.Processes == record.PerLoad }
