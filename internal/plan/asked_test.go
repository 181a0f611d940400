package plan

import (
	"fmt"
	"testing"

	"dyno/internal/record"
)

// In an epoch a contestant is asked what it is loaded with there.
func TestAskedIn(t *testing.T) {
	p := several()
	p.Levels[1].Scenario, p.Levels[3].Scenario, p.Levels[3].Records = "page", "relay", 10
	run := record.Run{Plan: p}
	for _, c := range []struct {
		name  string
		epoch int
		want  string
	}{
		{"a", -1, `["" "scenario page" "scenario relay, 10 records"]`}, // all in all
		{"a", 1, `["" "scenario page"]`},
		{"a", 2, `["scenario relay, 10 records"]`}, // which is launched with a delay
		{"c", 1, `["scenario page"]`},
		{"b", 2, "[]"},
		{"ref", 1, `["" "scenario page"]`},
	} {
		got := Asked(&p, c.name)
		if c.epoch >= 0 {
			got = AskedIn(&run, c.epoch, c.name)
		}
		if s := fmt.Sprintf("%q", got); s != c.want {
			t.Errorf("%s in epoch %d: %s; want %s", c.name, c.epoch, s, c.want)
		}
	}
}
