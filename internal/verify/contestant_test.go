package verify

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

// TestContestants: a contestant keeps its contract; one that declares what it does not do fails.
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
	setup := Setup{Root: root, FS: fsys, Manifests: append(all, &wrong), Records: 10}
	var got []string
	ok, err := setup.Contestants(t.Context(), []*contestant.Manifest{all[i], &wrong}, "values", func(o *Outcome) {
		if o.Failure == nil {
			got = append(got, o.Contestant.Name+" ok")
		} else {
			got = append(got, o.Contestant.Name+" "+strings.TrimSpace(o.Failure.Reason))
		}
	})
	if err != nil || ok || len(got) != 2 || got[0] != "net-http ok" || !strings.Contains(got[1], "does not occur") {
		t.Errorf("%v, %v, %q", ok, err, got)
	}
}
