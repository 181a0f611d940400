package main

import (
	"os"
	"slices"
	"testing"
)

// The first signal interrupts a command, the second ends it; a command that only reads ends at the
// first.
func TestHeed(t *testing.T) {
	for reads, want := range map[bool][]string{false: {"interrupt", "quit"}, true: {"quit"}} {
		arrived := make(chan os.Signal, 2)
		arrived <- os.Interrupt
		arrived <- os.Interrupt
		var got []string
		heed(arrived, reads, func() { got = append(got, "interrupt") }, func() { got = append(got, "quit") })
		if !slices.Equal(got, want) {
			t.Errorf("reads: %v: %q", reads, got)
		}
	}
	for name, want := range map[string]bool{"report": true, "audit": true, "run": false, "compare": false, "load": false} {
		if got := onlyReads(rootCommand(), []string{name, "x"}); got != want {
			t.Errorf("%s only reads: %v", name, got)
		}
	}
}
