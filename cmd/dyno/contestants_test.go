package main

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of doc/contestants.md")

// TestTableOfContestants: doc/contestants.md shows what dyno list --markdown prints.
func TestTableOfContestants(t *testing.T) {
	t.Chdir("../..")
	const file, begin, end = "doc/contestants.md", "<!-- dyno list --markdown -->\n", "<!-- end -->"
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
		t.Errorf("%s shows another table than dyno list --markdown; go test ./cmd/dyno -run TestTableOfContestants -update writes it", file)
	}
}

func TestSampled(t *testing.T) {
	names := strings.Fields("a b c d e f g h i j k l m n o p q r s t")
	chosen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
		got := sampled(names, 5, seed)
		if len(got) != 5 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 5 || !slices.Equal(got, sampled(names, 5, seed)) {
			t.Errorf("%s: %v", seed, got)
		}
		for _, n := range got {
			chosen[n] = true
		}
	}
	if len(chosen) < 15 { // a name is left out of ten draws with probability 0.75^10, so 1.1 of 20
		t.Errorf("ten seeds chose only %d of 20", len(chosen))
	}
	if got := sampled(names, 30, "1"); !slices.Equal(got, names) {
		t.Errorf("all: %v", got)
	}
}
