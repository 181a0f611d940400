package contestant

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A contestant that is built with npm is unavailable without npm; others only need node.
func TestNodeWithoutNPM(t *testing.T) {
	m, o := bare(t)
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("DYNO_NODE", "")
	program := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho v22.1.0\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m.Toolchain = map[string]string{"node": ">=20"}
	m.Build = []string{"sh", "-c", `cd "$0" && npm ci`, "{out}"}
	find := func() error {
		_, err := Find(t.Context(), m, o)
		return err
	}
	var missing *Unavailable
	if err := find(); !errors.As(err, &missing) || !strings.Contains(missing.Hint, "install Node.js with npm") {
		t.Errorf("without node: %v", err)
	}
	program("node")
	if err := find(); !errors.As(err, &missing) || err.Error() != "needs npm: Node.js 22.1.0 is here, npm is not" {
		t.Errorf("without npm: %v", err)
	}
	m.Build = []string{"cp", "npm.js", "{out}"}
	if err := find(); err != nil {
		t.Errorf("built without npm: %v", err)
	}
	program("npm")
	m.Build = []string{"npm", "ci", "--prefix", "{out}"}
	if err := find(); err != nil {
		t.Errorf("with npm: %v", err)
	}
}

// npm's and proxies' settings are passed, and nothing else from the environment.
func TestNodeEnv(t *testing.T) {
	for name, passed := range map[string]bool{"npm_config_registry": true, "NPM_CONFIG_CACHE": true,
		"HTTPS_PROXY": true, "NODE_OPTIONS": false, "DYNO_PAD": false} {
		t.Setenv(name, "x")
		if _, got := toolchains["node"].env("", "")[name]; got != passed {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// The framework's version is the installed package's, not the manifest's.
func TestIdentifyNode(t *testing.T) {
	out := t.TempDir()
	if err := os.MkdirAll(filepath.Join(out, "node_modules", "@a", "frob"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, out, map[string]string{"server.js": "a", "node_modules/@a/frob/package.json": `{"version": "1.2.3"}`})
	b := &Built{Out: out, Manifest: &Manifest{Framework: "@a/frob", Version: "1.2.3"},
		tc: Toolchain{Name: "node", Version: "22.1.0"}}
	if _, version, err := b.Identify(); err != nil || version != "1.2.3" || len(b.Hash) != 64 {
		t.Errorf("%s, %q, %v", version, b.Hash, err)
	}
	b.Manifest.Version = "1.2.4"
	if _, _, err := b.Identify(); err == nil || !strings.Contains(err.Error(), "built with @a/frob 1.2.3") {
		t.Errorf("another version: %v", err)
	}
	b.Manifest.Framework, b.Manifest.Version = "node:http", ">=20"
	if _, version, err := b.Identify(); err != nil || version != "22.1.0" {
		t.Errorf("Node.js itself: %s, %v", version, err)
	}
}

// Python without venv builds no virtual environment, but starts a program; nothing is linked without a linker.
func TestLacking(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	program := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, c := range []struct{ tool, build, text, cc, lacks string }{
		{"python3", "cp a.py {out}", "exit 1", "", ""},
		{"python3", "python3 -m venv {out}", "exit 1", "", "needs venv: Python 3.12.1 is here, venv is not"},
		{"python3", "sh ../venv.sh {out}", "exit 0", "", ""},
		{"cargo", "cargo build", "", "", "needs a linker: cargo 3.12.1 is here, a linker is not"},
		{"cargo", "cargo build", "", "cc", ""},
	} {
		tc := Toolchain{Name: c.tool, Version: "3.12.1", Program: program(c.tool, c.text)}
		if c.cc != "" {
			program(c.cc, "")
		}
		err := lacking(t.Context(), &Manifest{Build: []string{"sh", "-c", c.build}}, tc)
		var missing *Unavailable
		switch {
		case c.lacks == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.lacks != "" && (!errors.As(err, &missing) || err.Error() != c.lacks || missing.Hint == ""):
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The framework's version is that of the package which pip or cargo took.
func TestIdentifyPackages(t *testing.T) {
	for tool, c := range map[string]struct{ framework, file, text string }{
		"python3": {"Frob-It", "venv/lib/python3.12/site-packages/frob_it-1.2.3.dist-info/METADATA",
			"Metadata-Version: 2.4\nName: frob-it\nVersion: 1.2.3\n\nVersion: 9\n"},
		"cargo": {"frob", "Cargo.lock", "[[package]]\nname = \"frob-it\"\nversion = \"0.1.0\"\n\n" +
			"[[package]]\nname = \"frob\"\nversion = \"1.2.3\"\n"},
	} {
		out := t.TempDir()
		for _, dir := range []string{filepath.Dir(c.file), "__pycache__"} {
			if err := os.MkdirAll(filepath.Join(out, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		write(t, out, map[string]string{"server": "a", c.file: c.text})
		b := &Built{Out: out, Manifest: &Manifest{Framework: c.framework, Version: "1.2.3"},
			tc: Toolchain{Name: tool, Version: "3.12.1"}}
		_, version, err := b.Identify()
		if err != nil || version != "1.2.3" {
			t.Errorf("%s: %s, %v", tool, version, err)
		}
		before := b.Hash
		write(t, out, map[string]string{"__pycache__/a.pyc": "compiled"})
		b.Manifest.Version = "1.2.4"
		if _, _, err := b.Identify(); err == nil || b.Hash != before ||
			!strings.Contains(err.Error(), "1.2.3; contestant.toml says 1.2.4") {
			t.Errorf("%s, another version: %v", tool, err)
		}
	}
}
