package main

import (
	"testing"

	"dyno/internal/judge"
)

// judge.ShortLoads, the limit that reports state, agrees with the record of short and long loads.
func TestShortLoads(t *testing.T) {
	units, err := readFile(steadyFile, ReadSteady)
	if err != nil {
		t.Fatal(err)
	}
	most := 0.
	for _, r := range SteadyRows(units) {
		if r.Arm == ServiceArm {
			most = max(most, r.Against.Hi-1, 1/r.Against.Lo-1)
		}
	}
	if said := judge.ShortLoads; most <= 0 || most > said+.005 || most < said-.01 {
		t.Errorf("the record of short and long loads leaves %.3f open; reports say %v", most, said)
	}
}
