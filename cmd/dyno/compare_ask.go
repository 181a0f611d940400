package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/contestant"
	"dyno/internal/scenario"
)

// typed returns the scenario that flags and URLs define. It is nil if the sides serve a scenario in
// the project: the one in --scenario, or the first that all of them serve.
func (f *compareFlags) typed(cmd *cobra.Command, sides []*contestant.Side) (*scenario.Scenario, error) {
	r := &f.request
	if strings.HasSuffix(r.Scenario, ".toml") || strings.ContainsRune(r.Scenario, os.PathSeparator) {
		f.asks.Scenario, r.Scenario = r.Scenario, ""
	}
	says := slices.ContainsFunc(commands().flags("compare"), func(f *flagRow) bool {
		return f.heading == "Requests" && f.Name != "scenario" && cmd.Flags().Changed(f.Name)
	})
	if r.Scenario != "" {
		if says {
			return nil, usagef("--scenario %s already defines the requests; omit --path, -m, -H and -b", r.Scenario)
		}
		return nil, nil
	}
	if !says && f.asks.Scenario == "" {
		common, err := contestant.SideScenario(sides)
		if r.Scenario = common; common != "" || err != nil {
			return nil, err
		}
	}
	path := "/"
	if i := slices.IndexFunc(sides, func(s *contestant.Side) bool { return s.Kind == contestant.URL }); i >= 0 {
		path = sides[i].Path()
	}
	s, _, err := f.asks.Make(cmd.Context(), path)
	if err != nil {
		return nil, err
	}
	if s.SentAsJSON {
		fmt.Fprintln(cmd.ErrOrStderr(), "the body is JSON, so it is sent with Content-Type: application/json; -H "+
			"'Content-Type: …' sends another")
	}
	others := contestant.AskSides(sides, path)
	s.Lenient = true
	s.Title = cmp.Or(s.Title, strings.Join(append([]string{titleOf(s)}, others...), ", "))
	return s, nil
}

// titleOf names a scenario's first three requests.
func titleOf(s *scenario.Scenario) string {
	var names []string
	for i, q := range s.Requests {
		if i == 3 {
			names = append(names, fmt.Sprintf("%d more", len(s.Requests)-3))
			break
		}
		name := q.Name
		if q.Weight != 1 {
			name = fmt.Sprintf("%s ×%d", name, q.Weight)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
