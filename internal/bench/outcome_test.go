package bench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno/internal/contestant"
)

func TestSample(t *testing.T) {
	names := strings.Fields("a b c d e f g h i j k l m n o p q r s t")
	chosen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
		got := Sample(names, 5, seed)
		if len(got) != 5 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 5 || !slices.Equal(got,
			Sample(names, 5, seed)) {
			t.Errorf("%s: %v", seed, got)
		}
		for _, n := range got {
			chosen[n] = true
		}
	}
	if len(chosen) < 15 { // a name is left out of ten draws with probability 0.75^10, so 1.1 of 20
		t.Errorf("ten seeds chose only %d of 20", len(chosen))
	}
	if got := Sample(names, 30, "1"); !slices.Equal(got, names) {
		t.Errorf("all: %v", got)
	}
}

// TestContestants: a contestant satisfies the contract in each of its protocols; one that declares a
// difference that does not occur fails where the difference could occur: HTTP/2 has no chunks.
func TestContestants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and loads a contestant")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	fsys := os.DirFS(root)
	all, err := contestant.List(fsys)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(m *contestant.Manifest) bool { return m.Name == "net-http" })
	wrong := *all[i]
	wrong.Name, wrong.Differs = "net-http-wrong", []string{"chunked: it is not"}
	o := LocalOptions{Root: root, FS: fsys, Manifests: append(all, &wrong), Scenario: "values"}
	got := map[string]string{}
	ok, err := Verify(t.Context(), o, []*contestant.Manifest{all[i], &wrong}, func(o *Outcome) {
		reason := "ok"
		if o.Failure != nil {
			reason = o.Failure.Reason
		}
		got[o.Contestant.Name+" "+o.HTTP.String()] = reason
	})
	if err != nil || ok || len(got) != 2*len(wrong.Protocols) {
		t.Errorf("%v, %v, %q", ok, err, got)
	}
	for _, p := range wrong.Protocols {
		if reason := got["net-http "+p.String()]; reason != "ok" {
			t.Errorf("net-http, %s: %s", p, reason)
		}
		reason := got["net-http-wrong "+p.String()]
		if p.Two() && reason != "ok" || !p.Two() && !strings.Contains(reason, "does not occur") {
			t.Errorf("net-http-wrong, %s: %s", p, reason)
		}
	}
}
