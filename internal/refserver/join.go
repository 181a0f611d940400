package refserver

import (
	"fmt"
	"reflect"

	"dyno/internal/scenario"
)

// Join makes one scenario of several, whose requests a reference can answer by turns. Two that want
// different answers to the same request cannot be joined.
func Join(all []*scenario.Scenario) (*scenario.Scenario, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	joined := *all[0]
	joined.Requests = nil
	type route struct {
		of string
		q  *scenario.Request
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
			case first.of != s.Name && !reflect.DeepEqual(first.q.Expect, q.Expect):
				return nil, fmt.Errorf("ref cannot serve %s and %s together: they expect different responses to %s %s",
					first.of, s.Name, q.Method, q.Path)
			case first.of == s.Name:
				joined.Requests = append(joined.Requests, *q)
			}
		}
	}
	return &joined, nil
}
