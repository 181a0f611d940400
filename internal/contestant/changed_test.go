package contestant

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dyno/internal/wire"
)

// TestLaunchRefusesAChangedProgram: Launch starts only unchanged files. Additional files do not matter.
func TestLaunchRefusesAChangedProgram(t *testing.T) {
	dir := t.TempDir()
	program, library := filepath.Join(dir, "program"), filepath.Join(dir, "lib", "data")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(program, "#!/bin/sh\nexit 3\n")
	write(library, "data")
	b := &Built{Manifest: &Manifest{Name: "mine", Version: "1.0"}, Out: dir, Argv: []string{program},
		tc: Toolchain{Name: "node"}}
	err := mark(dir)
	if err == nil {
		b.contents, err = marked(dir)
	}
	if err == nil {
		_, _, err = b.Identify()
	}
	if err != nil {
		t.Fatal(err)
	}
	launch := func() error {
		i, err := Launch(t.Context(), b, LaunchOptions{Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log"),
			Probe: probe})
		if err == nil {
			i.Stop()
		}
		return err
	}
	write(filepath.Join(dir, "cache"), "its own")
	if err := launch(); err == nil || errors.Is(err, ErrChanged) {
		t.Errorf("unchanged, it exits: %v", err)
	}
	for name, change := range map[string]func(){
		"program": func() { write(program, "#!/bin/sh\nexit 4\n") },
		"library": func() { write(program, "#!/bin/sh\nexit 3\n"); write(library, "other") },
		"gone":    func() { os.Remove(library) },
	} {
		change()
		if err := launch(); !errors.Is(err, ErrChanged) || AsFailure("mine", err).Stage != "launch" {
			t.Errorf("%s: %v", name, err)
		}
		write(program, "#!/bin/sh\nexit 3\n")
		write(library, "data")
	}
}

// TestLaunchRefusesAProgramChangedMeanwhile: replacing the program between the check and the start is
// detected.
func TestLaunchRefusesAProgramChangedMeanwhile(t *testing.T) {
	t.Parallel()
	m, tc, o := project(t, server(""))
	b, err := Build(t.Context(), m, tc, o)
	if err == nil {
		_, _, err = b.Identify()
	}
	if err != nil {
		t.Fatal(err)
	}
	launch := func(meanwhile func() error) error {
		i, err := Launch(t.Context(), b, LaunchOptions{Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log"),
			Probe: func(ctx context.Context, to wire.Endpoint) error {
				return errors.Join(meanwhile(), probe(ctx, to))
			}})
		if err == nil {
			i.Stop()
		}
		return err
	}
	if err := launch(func() error { return nil }); err != nil {
		t.Errorf("unchanged: %v", err)
	}
	other := func() error {
		return errors.Join(os.Remove(b.Argv[0]), os.WriteFile(b.Argv[0], []byte("#!/bin/sh\nexit 4\n"), 0o755))
	}
	if err := launch(other); !errors.Is(err, ErrChanged) {
		t.Errorf("changed meanwhile: %v", err)
	}
}
