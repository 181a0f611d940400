package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dyno": main})
}

func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			// The scripts see this checkout as ./checkout, and share Go's caches.
			env.Setenv("NO_COLOR", "1")
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
				if v := goEnv(name); v != "" {
					env.Setenv(name, v)
				}
			}
			return os.Symlink(root, filepath.Join(env.WorkDir, "checkout"))
		},
	})
}
