package contestant

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// IsFolder reports whether dir holds a contestant.toml.
func IsFolder(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, "contestant.toml"))
	return err == nil && st.Mode().IsRegular()
}

// ReadFolder reads the contestant.toml of a folder that may lie anywhere and have any name. Errors
// carry file:line:column.
func ReadFolder(dir string) (*Manifest, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(dir)
	m, _, err := read(os.DirFS(root), filepath.Base(dir), "contestant")
	if err != nil {
		return nil, err
	}
	m.Root = root
	return m, nil
}

// ListFolder reads the manifests of a folder anywhere: its own contestant.toml, or those of
// <language>/<name>/ below it, sorted by name. There is at least one. Errors carry
// file:line:column.
func ListFolder(dir string) ([]*Manifest, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "contestant.toml")); err == nil {
		m, err := Read(os.DirFS(filepath.Dir(dir)), filepath.Base(dir))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Dir(dir), err)
		}
		m.Root = filepath.Dir(dir)
		return []*Manifest{m}, nil
	}
	all, err := list(os.DirFS(dir), "*/*/contestant.toml")
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, err)
	case len(all) == 0:
		return nil, fmt.Errorf("no contestant.toml in %s, nor in <language>/<name>/ below it", dir)
	}
	for _, m := range all {
		m.Root = dir
	}
	return all, nil
}

// Prebuilt is the program of m that was built elsewhere, to be started as its own would be: with
// the arguments and the environment of the manifest, {out} being the folder that it lies in. The
// error is a *Failed.
func Prebuilt(m *Manifest, tc Toolchain) (*Built, error) {
	if !strings.Contains(m.Run[0], "{out}") {
		err := fmt.Errorf("it is started by %s, for which a program cannot stand in", m.Run[0])
		return nil, &Failed{Stage: "build", Err: err, Hint: "give its folder or a revision"}
	}
	out := filepath.Dir(m.Program)
	argv := fill(m.Run, out)
	argv[0] = m.Program
	return &Built{Manifest: m, Out: out, Argv: argv, Env: runtimeEnv(m, tc), tc: tc}, nil
}

// identifyPrebuilt reads the version of a program that no manifest promises anything about,
// "unknown" if it does not tell, and hashes it.
func (b *Built) identifyPrebuilt() (string, error) {
	version, err := "", errors.New("its manifest's language tells no version")
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
