package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dyno/internal/contestant"
)

var update = flag.Bool("update", false, "write the table of contestants/README.md")

// TestTableOfContestants: contestants/README.md has a table of the manifests' declarations and the
// contestants' lines of code, by language and engine.
func TestTableOfContestants(t *testing.T) {
	t.Chdir("../..")
	const file, begin, end = "contestants/README.md", "<!-- table -->\n", "<!-- end -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no %q … %q", file, begin, end)
	}
	p, err := openProject()
	if err != nil {
		t.Fatal(err)
	}
	all := slices.SortedStableFunc(slices.Values(p.manifests), func(a, b *contestant.Manifest) int {
		return cmp.Or(strings.Compare(a.Language, b.Language), strings.Compare(a.Engine, b.Engine))
	})
	var table strings.Builder
	fmt.Fprintln(&table, "| contestant | framework | version | engine | scenarios |\n|---|---|---|---|---|")
	for _, m := range all {
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", m.Name, m.Framework, m.Version, m.Engine,
			strings.Join(m.Scenarios, ", "))
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != table.String() {
		t.Errorf("%s shows another table; go test ./cmd/dyno -run TestTableOfContestants "+
			"-update writes it", file)
	}
}
