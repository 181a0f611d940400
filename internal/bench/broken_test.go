package bench

import (
	"strings"
	"testing"

	"dyno/internal/result"
)

// A server whose listen queue is short answers some connections and loses others.
func TestBroken(t *testing.T) {
	l := result.Load{Started: 215, Connections: 125, Established: 125, Succeeded: 171, Errors: map[string]int64{"timeout": 44}}
	if err := broken(&l); err == nil || !strings.Contains(err.Error(), "44 of 215") || !strings.Contains(err.Error(), "125 connections at once") {
		t.Error(err)
	}
	l.Errors = map[string]int64{"reset": 44}
	if err := broken(&l); err == nil || strings.Contains(err.Error(), "backlog") {
		t.Error(err)
	}
	ok := result.Load{Started: 9, Succeeded: 9, Connections: 1, Established: 1}
	if err := broken(&ok); err != nil {
		t.Error(err)
	}
	ok.StreamsAllowed = 100
	if err := broken(&ok); err == nil || !strings.Contains(err.Error(), "ask for 100 streams at most") {
		t.Error(err)
	}
	ok.Pace = &result.Pace{}
	if err := broken(&ok); err != nil { // an open loop is not lower for it
		t.Error(err)
	}
}
