package bench

import "dyno/internal/scenario"

// exact is what each contestant is asked, and what its answers must be to the byte.
type exact struct {
	paths map[string]map[string]string // by contestant: its own
	seen  map[shown]*scenario.Observed // of the process of this epoch
	bound map[said]*scenario.Scenario  // to what the companion answers
}

// shown is a contestant that answered a scenario, with so many of the companion's records.
type shown struct {
	contestant, scenario string
	records              int
}

// said is what the companion of this epoch answered.
type said struct {
	scenario string
	records  int
}

func newExact() exact {
	return exact{map[string]map[string]string{}, map[shown]*scenario.Observed{}, map[said]*scenario.Scenario{}}
}

// asked is s at the contestant's own paths.
func (e *exact) asked(contestant string, s *scenario.Scenario) *scenario.Scenario {
	return s.At(e.paths[contestant])
}

// saw keeps what the contestant's process showed when it was verified.
func (e *exact) saw(contestant string, s *scenario.Scenario, records int, seen *scenario.Observed) {
	e.seen[shown{contestant, s.Name, records}] = seen
}

// loaded is s as the contestant's process is loaded with it: held to the bytes that it showed.
func (e *exact) loaded(contestant string, s *scenario.Scenario, records int) *scenario.Scenario {
	return e.asked(contestant, s).Exact(e.seen[shown{contestant, s.Name, records}])
}
