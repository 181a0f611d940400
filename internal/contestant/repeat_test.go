package contestant

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Building the same sources in another folder gives the same program, in each layout, so that a run can
// resume without dyno's cache. TestRealDotnet covers .NET.
func TestBuildsRepeat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds contestants twice")
	}
	t.Parallel()
	all := shipped(t)
	m := all[slices.IndexFunc(all, func(m *Manifest) bool { return m.Name == "net-http" })]
	tc, err := Find(t.Context(), m, FindOptions{Offline: true})
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
	var built [2]*Built
	var errs [2]error
	var both sync.WaitGroup
	for i := range built {
		cache = t.TempDir()
		own := o
		own.Cache, own.Log = cache, filepath.Join(cache, "build.log")
		both.Go(func() {
			if built[i], errs[i] = Build(t.Context(), m, tc, own); errs[i] == nil {
				_, _, errs[i] = built[i].Identify()
			}
		})
	}
	both.Wait()
	for _, err := range errs {
		skipUnbuildable(t, err)
		if err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(AsFailure(m.Name, err).LogTail, "\n"))
		}
	}
	first, second := built[0], built[1]
	if first.Hash != second.Hash || first.Sources != second.Sources || first.Sources == "" {
		t.Errorf("%s, layout %d: programs %q, %q of sources %q, %q", m.Name, o.Layout, first.Hash, second.Hash, first.Sources,
			second.Sources)
	}
	return second, cache
}
