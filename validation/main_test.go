package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"live -1": "want a number above 0", "live 0": "want a number above 0", "live 1 2": "one argument at most",
		"steady": `no experiment "steady"`, "--reps 3 live": "live simulates nothing", "lives": `no experiment "lives"`,
		"--reps 0": "want at least 1", "--only x": "want one of simulation, ", "--steady": "not defined",
		"starts x": "takes no argument", "condense file": "condense FILE RUN…",
		"hog 1": "want a seed and CPUs", "refserver reff": "no reference server",
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), &stdout, &stderr); code != exitUsage ||
			!strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
			t.Errorf("%s: exit %d, %s", args, code, &stderr)
		}
	}
}
