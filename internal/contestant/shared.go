package contestant

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sharedFolder is a folder of contestants/shared that goes into a build.
type sharedFolder struct {
	name string
	dir  string
	near bool // it lies where the contestant's module or project file looks for it
}

// sharedFolders finds the shared folders that m names: beside the folder of its language, else in
// the project root. So a contestant's folder can be copied elsewhere alone.
func (m *Manifest) sharedFolders(root string) ([]sharedFolder, error) {
	beside := filepath.Join(m.Dir(root), "..", "..", "shared")
	project := filepath.Join(root, Folder, "shared")
	if top, _, _ := strings.Cut(m.Path, "/"); top == BackendFolder || top == oldBackendFolder {
		beside = project
	}
	var found []sharedFolder
	for _, name := range m.Shared {
		f := sharedFolder{name: name, dir: filepath.Join(beside, name), near: true}
		if !isFolder(f.dir) {
			f.dir, f.near = filepath.Join(project, name), false
		}
		if !isFolder(f.dir) {
			return nil, fmt.Errorf("%s shares the folder %q, which is neither in %s nor in %s", m.Name, name, beside,
				project)
		}
		found = append(found, f)
	}
	return found, nil
}

func isFolder(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.IsDir()
}

// around copies what a build of src takes from outside of src into the language's folder beside,
// and into shared next to that, where they have none: files that its builder looks for above, and
// shared.
func around(src string, shared []sharedFolder, beside string) error {
	files, err := above(src)
	if err != nil {
		return err
	}
	missing := func(file string) bool {
		_, err := os.Lstat(file)
		return errors.Is(err, fs.ErrNotExist)
	}
	for _, file := range files {
		if to := filepath.Join(beside, filepath.Base(file)); missing(to) {
			if err := copyFile(file, to, nil); err != nil {
				return err
			}
		}
	}
	for _, f := range shared {
		if to := filepath.Join(beside, "..", "shared", f.name); missing(to) {
			if err := copyTree(f.dir, to, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// stage returns the folder to build src in: src itself, or where not all that it shares is near, a
// copy below dir that has it.
func stage(src string, shared []sharedFolder, dir string) (string, error) {
	if !slices.ContainsFunc(shared, func(f sharedFolder) bool { return !f.near }) {
		return src, nil
	}
	beside := filepath.Join(dir, filepath.Base(filepath.Dir(src)))
	at := filepath.Join(beside, filepath.Base(src))
	if err := copyTree(src, at, nil); err != nil {
		return "", err
	}
	return at, around(src, shared, beside)
}
