package bench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno/internal/contestant"
)

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
