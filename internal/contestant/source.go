package contestant

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dyno/internal/foreign"
)

// IsFolder reports whether dir holds a contestant.toml.
func IsFolder(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, "contestant.toml"))
	return err == nil && st.Mode().IsRegular()
}

// ReadFolder reads the contestant.toml in any folder. Errors carry file:line:column.
func ReadFolder(dir string) (*Manifest, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(dir)
	m, _, err := read(foreign.FS(root), filepath.Base(dir), "contestant")
	if err != nil {
		return nil, err
	}
	m.Root = root
	return m, nil
}

// ListFolder reads the manifests in any folder: the folder's own contestant.toml, or those in
// <language>/<name>/ below it, sorted by name. It returns an error if there is none. Errors carry
// file:line:column.
func ListFolder(dir string) ([]*Manifest, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, pattern := dir, "*/*/contestant.toml"
	if IsFolder(dir) {
		root, pattern = filepath.Dir(dir), filepath.Base(dir)+"/contestant.toml"
	}
	all, err := list(foreign.FS(root), pattern)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", root, err)
	case len(all) == 0:
		return nil, fmt.Errorf("no contestant.toml in %s or in <language>/<name>/ below it", dir)
	}
	for _, m := range all {
		m.Root = root
	}
	return all, nil
}

// Prebuilt returns m's prebuilt program, to be started with the manifest's arguments and environment; {out}
// is the program's folder. The error is a *Failed.
func Prebuilt(m *Manifest, tc Toolchain) (*Built, error) {
	if !strings.Contains(m.Run[0], "{out}") {
		err := fmt.Errorf("it is started by %s, so a program cannot replace it", m.Run[0])
		return nil, &Failed{Stage: "build", Err: err, Hint: "pass its folder or a revision"}
	}
	out := filepath.Dir(m.Program)
	argv := fill(m.Run, out)
	argv[0] = m.Program
	return &Built{Manifest: m, Out: out, Argv: argv, Env: runtimeEnv(m, tc), tc: tc}, nil
}

// identifyPrebuilt hashes a prebuilt program and returns its version, "unknown" if it cannot be read.
func (b *Built) identifyPrebuilt() (string, error) {
	version, err := "", errors.New("no version of its language can be determined")
	switch {
	case b.tc.Name == "dotnet":
		version, err = b.identifyDotnet()
	case b.Manifest.Language == "go":
		version, err = b.identifyGo()
	}
	if err == nil {
		return version, nil
	}
	if b.Hash, err = sha256File(b.Argv[0]); err != nil {
		return "", &Failed{Stage: "build", Err: err}
	}
	return "unknown", nil
}
