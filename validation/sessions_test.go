package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno/internal/judge"
)

// A record with a machine's identity is added once; one without, and what is no record, is left out with the reason.
func TestAddSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("judges committed records")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "sessions.jsonl")
	given := `{"relation":"different programs","given_sd":0.015,"source":"here"}` + "\n"
	bad := filepath.Join(dir, "bad", "trials.jsonl")
	if err := os.Mkdir(filepath.Dir(bad), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{file: given, bad: "{\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folders := []string{"../studies/iris-vs-netcore-sessions", "../studies/httprouter-vs-fasthttp", dir}
	var out bytes.Buffer
	for range 2 {
		if err := addSessions(folders, file, &out); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"left out: read " + bad + ":1:", "does not say which model of CPU", "| different programs | any | 1.50 | given |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
	known, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := judge.ReadSessions(bytes.NewReader(known))
	if err != nil || len(all) < 3 || !strings.HasPrefix(all[1].CPU, "AMD EPYC, family 26") {
		t.Errorf("%v: %s", err, known)
	}
	keys := map[string]bool{}
	for _, s := range all {
		if keys[sessionKey(&s)] {
			t.Errorf("twice: %+v", s)
		}
		keys[sessionKey(&s)] = true
	}
}

// The method's page has the table of today's sessions.
func TestSessionsOfTheMethod(t *testing.T) {
	var out bytes.Buffer
	if err := printSessions(judge.KnownSessions(), &out); err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(out.String(), "\n\n")
	page, err := os.ReadFile("../doc/method.md")
	if err != nil || !strings.Contains(string(page), table) {
		t.Errorf("doc/method.md needs this table (%v):\n%s", err, table)
	}
}

// On a second model one pair turned round, one kept its direction, and one was not measured.
func TestBetweenModels(t *testing.T) {
	known := judge.Sessions{{Relation: judge.Programs, Given: .015}}
	for _, s := range []judge.Session{
		{CPU: "x", Session: "1", Programs: []string{"p", "q", "r", "s"}, Logs: []float64{0, .1, .3, .5}},
		{CPU: "x", Session: "2", Programs: []string{"p", "q", "r", "s"}, Logs: []float64{0, .1, .3, .5}},
		{CPU: "y", Session: "3", Programs: []string{"p", "q", "r"}, Logs: []float64{0, -.1, .3}},
	} {
		s.Relation, s.SEs = judge.Programs, make([]float64, len(s.Logs))
		known = append(known, s)
	}
	moves := betweenModels(known)
	if len(moves) != 1 {
		t.Fatalf("%+v", moves)
	}
	if m := moves[0]; m.clear != (Rate{3, 3}) || m.other != (Rate{1, 3}) || m.turned != (Rate{1, 3}) || len(m.by) != 3 ||
		math.Abs(slices.Max(m.by)-.2) > 1e-9 ||
		!strings.HasPrefix(m.most, "p to q, ") && !strings.HasPrefix(m.most, "q to r, ") {
		t.Errorf("%+v", m)
	}
}

// One session left out of six covers the others about as often as it should.
func TestLeftOut(t *testing.T) {
	known := judge.Sessions{{Relation: judge.Programs, Given: .015}}
	for i, x := range []float64{0, .01, -.01, .02, -.02, .2} {
		known = append(known, judge.Session{Relation: judge.Programs, CPU: "x", Session: string(rune('a' + i)),
			Programs: []string{"p", "q"}, Logs: []float64{0, .5 + x}, SEs: []float64{0, .001}})
	}
	known = append(known, known[1]) // a second run in the first session, which is noisy: their mean counts, once
	known[1].Logs, known[7].Logs = []float64{0, .8}, []float64{0, .2}
	covered, held := leftOut(known, judge.Programs, "x")
	if covered != (Rate{5, 6}) || held != (Rate{30, 30}) {
		t.Errorf("%v, %v", covered, held)
	}
}
