package alike

import (
	"testing"

	"dyno/internal/http1"
	"dyno/internal/load"
	"dyno/internal/scenario"
)

// TestCutBodies: bodies that are too long to be kept whole are judged by their length, also where requests are
// drawn.
func TestCutBodies(t *testing.T) {
	for _, drawn := range []bool{false, true} {
		made := func(name string) *side {
			asked := &scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1}}}
			return &side{name: name, scenario: asked, answers: [][]scenario.Answer{{{Drawn: drawn,
				Response: &http1.Response{Status: 200, Body: make([]byte, 100)}}}}}
		}
		j := &judge{sides: &Sides{all: []*side{made("a"), made("b")}}, names: []string{"a", "b"}}
		j.all = map[string]*evidence{"a": {side: j.sides.all[0]}, "b": {side: j.sides.all[1]}}
		for length, wrong := range map[int64]bool{9: true, 60: false, 300: true} {
			e := &evidence{side: j.sides.all[0], odd: []load.Sampled{{Status: 200, Length: length, Body: []byte{0}, Cut: true}}}
			if err := j.shapes(e); (err != nil) != wrong {
				t.Errorf("drawn: %v, %d bytes: %v", drawn, length, err)
			}
		}
	}
}
