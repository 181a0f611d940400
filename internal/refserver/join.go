package refserver

import (
	"fmt"
	"reflect"

	"dyno/internal/scenario"
)

// Join merges several scenarios into one that a reference can serve. Scenarios with different responses to
// the same request cannot be joined.
func Join(all []*scenario.Scenario) (*scenario.Scenario, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	joined := *all[0]
	joined.Requests = nil
	type route struct {
		scenario string
		q        *scenario.Request
	}
	routes := map[string]route{}
	for _, s := range all {
		for i := range s.Requests {
			q := &s.Requests[i]
			at := patternOf(q)
			first, known := routes[at]
			switch {
			case !known:
				routes[at] = route{s.Name, q}
				joined.Requests = append(joined.Requests, *q)
			case first.scenario != s.Name && !reflect.DeepEqual(first.q.Expect, q.Expect):
				return nil, fmt.Errorf("ref cannot serve %s and %s together: they expect different responses to %s %s",
					first.scenario, s.Name, q.Method, q.Path)
			case first.scenario == s.Name:
				joined.Requests = append(joined.Requests, *q)
			}
		}
	}
	return &joined, nil
}
