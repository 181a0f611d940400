package contestant

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
)

// A build that is made again from the same sources, in another folder, gives the same program, in
// each layout: a run goes on where dyno's cache is gone.
func TestBuildsRepeat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds contestants twice")
	}
	all := shipped(t)
	for _, name := range []string{"net-http", "kestrel"} {
		m := all[slices.IndexFunc(all, func(m *Manifest) bool { return m.Name == name })]
		tc, err := Find(t.Context(), m, FindOptions{Root: "../..", Offline: true})
		var missing *Unavailable
		if errors.As(err, &missing) {
			t.Logf("%s: %v", name, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for layout := range 2 {
			var hashes, sources []string
			for range 2 {
				dir := t.TempDir()
				b, err := Build(t.Context(), m, tc, BuildOptions{Root: "../..", Cache: dir,
					Log: filepath.Join(dir, "build.log"), Layout: layout})
				if err == nil {
					_, _, err = b.Identify()
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				hashes, sources = append(hashes, b.Hash), append(sources, b.Sources)
			}
			if hashes[0] != hashes[1] || sources[0] != sources[1] || sources[0] == "" {
				t.Errorf("%s, layout %d: programs %q of sources %q", name, layout, hashes, sources)
			}
			if tc.Name != "go" {
				break
			}
		}
	}
}
