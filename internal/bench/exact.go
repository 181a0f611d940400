package bench

import (
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// exact holds each contestant's requests, and the exact bytes of its expected responses.
type exact struct {
	paths map[string]map[string]string // contestants' own paths, by contestant
	seen  map[shown]*scenario.Observed // responses from this epoch's processes
	bound map[said]*scenario.Scenario  // scenarios with the source's responses
	dates map[string]dateSeen          // of this epoch's processes, by contestant
	// For a contract made from the contestants' responses: the scenario that reference servers
	// answer by, by their names.
	base     map[string]*scenario.Scenario
	contract *scenario.Scenario
}

// shown identifies a contestant's responses to a scenario, with a number of records, in an
// HTTP form.
type shown struct {
	contestant, scenario string
	records              int
	http                 wire.HTTP
}

// said identifies the source's responses in this epoch.
type said struct {
	scenario string
	records  int
}

func newExact() exact {
	return exact{map[string]map[string]string{}, map[shown]*scenario.Observed{}, map[said]*scenario.Scenario{},
		map[string]dateSeen{}, nil, nil}
}

// asked returns s with the contestant's own paths.
func (e *exact) asked(contestant string, s *scenario.Scenario) *scenario.Scenario {
	if base := e.base[contestant]; base != nil && s == e.contract {
		s = base
	}
	return s.At(e.paths[contestant])
}

// saw stores the responses from the contestant's process during verification.
func (e *exact) saw(contestant string, s *scenario.Scenario, of plan.Asking, seen *scenario.Observed) {
	e.seen[shown{contestant, s.Name, of.Records, of.HTTP}] = seen
}

// loaded returns s for loading the contestant's process: each response must repeat the bytes from
// the verification.
func (e *exact) loaded(contestant string, s *scenario.Scenario, at record.Level) *scenario.Scenario {
	return e.asked(contestant, s).Exact(e.seen[shown{contestant, s.Name, at.Records, at.HTTP}])
}

// agreed notes that the contestants, but not the reference servers in others, keep contract, which
// was made from base.
func (e *exact) agreed(contract, base *scenario.Scenario, others []string) {
	e.contract, e.base = contract, map[string]*scenario.Scenario{}
	for _, name := range others {
		e.base[name] = base
	}
}
