package contestant

import (
	"fmt"
	"os"
	"path/filepath"

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
