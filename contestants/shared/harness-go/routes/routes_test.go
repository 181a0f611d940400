package routes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestByHost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "some.routes")
	text := "# a comment\n\nGET /\nPUT /repos/:owner/:repo/keys\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DYNO_ROUTES", file)
	set := ByHost(func(set []Route) []Route { return set })["some"]
	if len(set) != 2 {
		t.Fatalf("routes %+v; want 2", set)
	}
	if got, want := set[1].In("{", "}"), "/repos/{owner}/{repo}/keys"; got != want {
		t.Errorf("path %q; want %q", got, want)
	}
	if got, want := set[1].Answer(strings.ToUpper), "PUT /repos/:owner/:repo/keys OWNER REPO"; got != want {
		t.Errorf("answer %q; want %q", got, want)
	}
	t.Setenv("DYNO_ROUTES", "")
	if all := ByHost(func(set []Route) []Route { return set }); all != nil {
		t.Errorf("without DYNO_ROUTES: %+v", all)
	}
}
