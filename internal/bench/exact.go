package bench

import "dyno/internal/scenario"

// exact knows what each contestant is asked, and to the byte what its answers must be.
type exact struct {
	paths map[string]map[string]string // by contestant: its own
	hosts map[string]string            // by contestant: the Host that it is asked for; none: its address
	seen  map[shown]*scenario.Observed // of the process of this epoch
	bound map[said]*scenario.Scenario  // to what the backend answers
}

// shown identifies the answers of a contestant to a scenario, with so many of the backend's
// records.
type shown struct {
	contestant, scenario string
	records              int
}

// said identifies the answers of the backend in this epoch.
type said struct {
	scenario string
	records  int
}

func newExact() exact {
	return exact{map[string]map[string]string{}, map[string]string{}, map[shown]*scenario.Observed{},
		map[said]*scenario.Scenario{}}
}

// asked returns s with the contestant's own paths and host.
func (e *exact) asked(contestant string, s *scenario.Scenario) *scenario.Scenario {
	return s.At(e.paths[contestant]).For(e.hosts[contestant])
}

// saw keeps what the contestant's process answered when it was verified.
func (e *exact) saw(contestant string, s *scenario.Scenario, records int, seen *scenario.Observed) {
	e.seen[shown{contestant, s.Name, records}] = seen
}

// loaded returns s as the contestant's process is loaded with it: each answer must repeat the bytes
// of the verification.
func (e *exact) loaded(contestant string, s *scenario.Scenario, records int) *scenario.Scenario {
	return e.asked(contestant, s).Exact(e.seen[shown{contestant, s.Name, records}])
}
