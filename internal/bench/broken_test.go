package bench

import (
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/scenario"
)

// A server with a short listen queue answers some connections and loses others.
func TestBroken(t *testing.T) {
	l := record.Load{Started: 215, Connections: 125, Established: 125, Succeeded: 171,
		Errors: map[string]int64{"timeout": 44}}
	if err := broken(&l, nil); err == nil || !strings.Contains(err.Error(), "44 of 215") ||
		!strings.Contains(err.Error(), "125 connections at once") {
		t.Error(err)
	}
	l.Errors = map[string]int64{"reset": 44}
	if err := broken(&l, nil); err == nil || strings.Contains(err.Error(), "backlog") {
		t.Error(err)
	}
	sc := &scenario.Scenario{Requests: []scenario.Request{{Weight: 1,
		Expect: scenario.Expect{Headers: map[string]string{"content-type": "text/plain", "X-Any": ""}}}}}
	wrong := record.Load{Failed: 506, Succeeded: 994, Failures: map[string]int64{"header": 506}}
	if err := broken(&wrong, sc); err == nil ||
		!strings.Contains(err.Error(), "header 506; required: X-Any, content-type: text/plain") {
		t.Error(err)
	}
	ok := record.Load{Started: 9, Succeeded: 9, Connections: 1, Established: 1}
	if err := broken(&ok, sc); err != nil {
		t.Error(err)
	}
	ok.StreamsAllowed = 100
	if err := broken(&ok, sc); err == nil || !strings.Contains(err.Error(), "ask for 100 streams at most") {
		t.Error(err)
	}
	ok.Pace = &record.Pace{}
	if err := broken(&ok, sc); err != nil { // an open loop is not lower for it
		t.Error(err)
	}
}
