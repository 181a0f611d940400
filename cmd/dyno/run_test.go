package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno/internal/bench"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// TestStudiesKeepToTheirTime: what the studies of Go against .NET say beforehand that they take,
// whole and with --quick.
func TestStudiesKeepToTheirTime(t *testing.T) {
	t.Chdir("../..")
	pr, err := openProject()
	if err != nil {
		t.Fatal(err)
	}
	for slug, whole := range map[string]time.Duration{
		"iris-vs-netcore-mvc":       30 * time.Minute,
		"iris-vs-netcore-templates": 30 * time.Minute,
		"iris-vs-netcore-sessions":  30 * time.Minute,
		"netcore-vs-golang-json":    20 * time.Minute,
	} {
		for _, quick := range []bool{false, true} {
			var r plan.Request
			if _, err := pr.ask(&r, slug, study.Choice{Quick: quick}); err != nil {
				t.Fatalf("%s: %v", slug, err)
			}
			p, err := plan.New(r, pr.world())
			if err != nil {
				t.Fatalf("%s: %v", slug, err)
			}
			most := whole
			if quick {
				most = 6 * time.Minute
			}
			cost, err := plan.Estimate(&p)
			if budget := time.Duration(p.BudgetNS); err != nil || cost.Whole > most || budget > most {
				t.Errorf("%s, quick %v: takes %v of a budget of %v, want at most %v; %v", slug, quick, cost.Whole,
					budget, most, err)
			}
		}
	}
}

// Each article's own run can be planned.
func TestClassicRuns(t *testing.T) {
	t.Chdir("../..")
	pr, err := openProject()
	if err != nil {
		t.Fatal(err)
	}
	all, err := study.All(pr.fsys)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, s := range all {
		for _, c := range s.Classics {
			r := plan.Request{Protocol: "classic", OwnRun: c.Name}
			if _, err := pr.ask(&r, s.Slug, study.Choice{}); err != nil {
				t.Fatalf("%s: %v", s.Slug, err)
			}
			if _, err := bench.New(t.Context(), r, pr.world(), bench.Setup{Scenario: pr.scenario}); err != nil {
				t.Errorf("%s, classic run %q: %v", s.Slug, c.Name, err)
			}
			tried++
		}
	}
	if tried < 5 {
		t.Errorf("%d classic runs planned", tried)
	}
}

// TestRepeated: the command that a run records asks the same again, with the seed that was drawn.
func TestRepeated(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--contestants", "a,b", "--level", "a < b", "--run-folder", "x", "--wait", "--seed", "7"},
			"dyno run --contestants a,b --level 'a < b' --seed 7"},
		{[]string{"--connections", "10,20", "--delay", "0s,5ms", "--level", "a, b", "--level", "c", "--seed=1"},
			"dyno run --connections 10,20 --delay 0s,5ms --level 'a, b' --level c --seed 1"},
		{[]string{"-n", "10k", "--quick=false", "--seed", "3"},
			"dyno run --requests 10k --quick=false --seed 3"},
	} {
		cmd := runCommand()
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		drawSeed(cmd)
		if got := "dyno " + repeated(cmd, nil); got != c.want {
			t.Errorf("%v is repeated by\n%s\nwant\n%s", c.args, got, c.want)
		}
	}
	cmd := runCommand()
	drawSeed(cmd)
	if got := repeated(cmd, []string{"it's"}); !strings.HasPrefix(got, `run 'it'\''s' --seed `) ||
		strings.HasSuffix(got, " 0") {
		t.Errorf("a drawn seed: %s", got)
	}
}

// An interrupted run says how it goes on, unless nothing of it counts yet or its builds are gone.
func TestResumption(t *testing.T) {
	whole, err := record.Open(filepath.Join("..", "..", "studies", "iris-vs-netcore-mvc"))
	if err != nil {
		t.Fatal(err)
	}
	if got := resumption(whole, "x y"); got != "" {
		t.Errorf("of a whole run %q", got)
	}
	whole.End = &record.End{Reason: plan.Interrupted}
	if got := resumption(whole, "x y"); got != "dyno run --resume 'x y'" {
		t.Errorf("%q", got)
	}
	early := *whole
	early.Trials = nil
	compared := *whole
	compared.Plan.Origin.Command = "dyno compare a b"
	for what, run := range map[string]*record.Run{"before a trial": &early, "of a comparison": &compared} {
		if got := resumption(run, "x"); got != "" {
			t.Errorf("%s %q", what, got)
		}
	}
}

// Runs that begin in the same second have folders of their own; a folder that the user names is taken as it is.
func TestRunFolders(t *testing.T) {
	p := place{dated: filepath.Join(t.TempDir(), "runs", "20261127T150000Z")}
	for _, want := range []string{p.dated, p.dated + "-2", p.dated + "-3"} {
		if got, err := p.begin(p.dated); got != want || err != nil {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
	if got, err := p.begin("named"); got != "named" || err != nil {
		t.Errorf("%s (%v)", got, err)
	}
}
