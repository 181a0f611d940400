package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of contestants/README.md")

// TestTableOfContestants: contestants/README.md shows what dyno list --markdown prints.
func TestTableOfContestants(t *testing.T) {
	t.Chdir("../..")
	const file, begin, end = "contestants/README.md", "<!-- dyno list --markdown -->\n", "<!-- end -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no %q … %q", file, begin, end)
	}
	var table, stderr bytes.Buffer
	if code := dyno([]string{"list", "--markdown"}, &table, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != table.String() {
		t.Errorf("%s shows another table than dyno list --markdown; go test ./cmd/dyno -run TestTableOfContestants "+
			"-update writes it", file)
	}
}
