package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestWithoutFleet: a build with the tag nofleet has nothing of NATS, and one without has it.
func TestWithoutFleet(t *testing.T) {
	for _, c := range []struct {
		tags string
		has  bool
	}{{"nofleet", false}, {"", true}} {
		out, err := exec.Command("go", "list", "-deps", "-tags", c.tags, ".").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if has := strings.Contains(string(out), "nats-io"); has != c.has {
			t.Errorf("tags %q: has NATS: %v", c.tags, has)
		}
	}
}
