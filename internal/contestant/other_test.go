package contestant

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOtherToolchain(t *testing.T) {
	m, o := bare(t)
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	script := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "frob-c"), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ script, floor, version, err string }{
		{`echo "frob 3.12.1 (2026-01-02)"`, ">=3.9", "3.12.1", ""},
		{`[ "$1" = version ] && echo frob v4.0`, ">=3.9", "4.0", ""},
		{`[ "$1" = -version ] && echo 'frob "17.0.2"' >&2`, ">=17", "17.0.2", ""},
		{`echo "frob 3.12.1"`, ">=4", "", "PATH: version 3.12.1; no other was found"},
		{`echo frob`, ">=1", "", "it prints no version"},
		{`echo "no file 1.2.3"; exit 1`, ">=1", "", "exit status 1"},
		{`echo "error: no default toolchain" >&2; exit 1`, ">=1", "", "--version: exit status 1: error: no default toolchain"},
	} {
		script(c.script)
		m.Toolchain = map[string]string{"frob-c": c.floor}
		tc, err := Find(t.Context(), m, o)
		var missing *Unavailable
		switch {
		case c.err == "" && (err != nil || tc.Version != c.version || tc.Program != filepath.Join(dir, "frob-c")):
			t.Errorf("%s: %+v, %v", c.script, tc, err)
		case c.err != "" && (!errors.As(err, &missing) || !strings.Contains(err.Error(), c.err) ||
			missing.Hint != "install frob-c, and put it on PATH"):
			t.Errorf("%s: error %v; want %q", c.script, err, c.err)
		}
	}
	script(`echo 5.0`)
	t.Setenv("PATH", "/bin:/usr/bin")
	t.Setenv("DYNO_FROB_C", dir)
	if tc, err := Find(t.Context(), m, o); err != nil || tc.Origin != "DYNO_FROB_C" {
		t.Errorf("%+v, %v", tc, err)
	}
}

// A builder finds what the user has installed at home, also where HOME is not set.
func TestHomeOfABuilder(t *testing.T) {
	for home, want := range map[string]string{"/home/me": "/home/me", "": "/"} {
		t.Setenv("HOME", home)
		if got := otherEnv("", "")["HOME"]; !strings.HasPrefix(got, want) {
			t.Errorf("HOME=%q: a builder gets %q", home, got)
		}
	}
}

func TestIdentifyOther(t *testing.T) {
	out := t.TempDir()
	write(t, out, map[string]string{"server.py": "a", doneMark: ""})
	b := &Built{Out: out, Manifest: &Manifest{Framework: "frob", Version: "v1.2.3"},
		tc: Toolchain{Name: "python3", Version: "3.12.1"}}
	_, version, err := b.Identify()
	first := b.Hash
	if err != nil || version != "v1.2.3" || len(first) != 64 {
		t.Fatalf("%s, %q, %v", version, first, err)
	}
	write(t, out, map[string]string{"server.py": "b"})
	b.Manifest.Version = ">=3.9"
	if _, version, err := b.Identify(); err != nil || version != "3.12.1" || b.Hash == first {
		t.Errorf("%s, %q, %v", version, b.Hash, err)
	}
	b.Manifest.Version = ">=3.13"
	if _, _, err := b.Identify(); err == nil || !strings.Contains(err.Error(),
		"built with frob 3.12.1; contestant.toml says >=3.13") {
		t.Errorf("error %v", err)
	}
}
