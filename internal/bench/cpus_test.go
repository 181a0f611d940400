package bench

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dyno/internal/contestant"
)

// A contestant that means nothing on fewer CPUs than there are is unavailable, and not built.
func TestBuildWantsCPUs(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	l, err := NewLocal(LocalOptions{Root: ".", FS: os.DirFS("."), Folder: t.TempDir(),
		Manifests: []*contestant.Manifest{{Name: "cluster", CPUs: 1 << 20}}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = l.Build(t.Context(), "cluster", func(string) {})
	var none *contestant.Unavailable
	if !errors.As(err, &none) || none.Toolchain != "1048576 CPUs for servers" {
		t.Errorf("%v", err)
	}
}
