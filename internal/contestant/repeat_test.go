package contestant

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Building the same sources in another folder gives the same program, in each layout, so that a run can
// resume without dyno's cache. TestRealDotnet covers .NET.
func TestBuildsRepeat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds contestants twice")
	}
	all := shipped(t)
	m := all[slices.IndexFunc(all, func(m *Manifest) bool { return m.Name == "net-http" })]
	tc, err := Find(t.Context(), m, FindOptions{Root: "../..", Offline: true})
	skipUnbuildable(t, err)
	if err != nil {
		t.Fatal(err)
	}
	for layout := range 2 {
		builtTwice(t, m, tc, BuildOptions{Root: "../..", Layout: layout})
	}
}

// builtTwice builds a contestant in two new folders and compares the programs. It returns the second, with
// its cache.
func builtTwice(t *testing.T, m *Manifest, tc Toolchain, o BuildOptions) (b *Built, cache string) {
	t.Helper()
	var hashes, sources []string
	for range 2 {
		cache = t.TempDir()
		o.Cache, o.Log = cache, filepath.Join(cache, "build.log")
		var err error
		b, err = Build(t.Context(), m, tc, o)
		skipUnbuildable(t, err)
		if err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(AsFailure(m.Name, err).LogTail, "\n"))
		}
		if _, _, err := b.Identify(); err != nil {
			t.Fatal(err)
		}
		hashes, sources = append(hashes, b.Hash), append(sources, b.Sources)
	}
	if hashes[0] != hashes[1] || sources[0] != sources[1] || sources[0] == "" {
		t.Errorf("%s, layout %d: programs %q of sources %q", m.Name, o.Layout, hashes, sources)
	}
	return b, cache
}
