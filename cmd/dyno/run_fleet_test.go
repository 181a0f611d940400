package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

// TestLargeScenarioOnFleet: a scenario that cannot be sent to the machines is refused before anything is built.
func TestLargeScenarioOnFleet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.toml")
	if err := os.WriteFile(file, []byte("controller = \"10.0.0.1:7447\"\n[[generator]]\nname = \"gen1\"\n[[server]]\n"+
		"name = \"srv\"\naddress = \"10.0.0.9\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for size, refused := range map[int]bool{1 << 20: false, 5 << 20: true} {
		x := &bench.Experiment{Plan: &record.Plan{Scenario: "s", Levels: []record.Level{{Connections: 1}}}}
		x.Scenario = func(name string) (*scenario.Scenario, error) {
			return &scenario.Scenario{Name: name, Requests: []scenario.Request{{Body: strings.Repeat("x", size)}}}, nil
		}
		err := onFleet(&cobra.Command{}, &place{Fleet: file}, x)
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), "the requests and expected "+
			"responses take 6 MB") {
			t.Errorf("a body of %d bytes: %v", size, err)
		}
	}
}
