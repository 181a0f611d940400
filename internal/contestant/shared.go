package contestant

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// sharedFolder is a folder of contestants/shared that goes into a build.
type sharedFolder struct {
	name string
	dir  string
	near bool // it is where the contestant's module or project file expects it
}

// sharedFolders finds the shared folders that m names: next to the folder of its language, else in
// the project. This allows a contestant's folder to be copied alone.
func (m *Manifest) sharedFolders(root string) ([]sharedFolder, error) {
	beside := filepath.Join(m.Dir(root), "..", "..", "shared")
	project := filepath.Join(root, Folder, "shared")
	if m.backends() != "" {
		beside = project
	}
	var found []sharedFolder
	for _, name := range m.Shared {
		f := sharedFolder{name: name, dir: filepath.Join(beside, name), near: true}
		if !isFolder(f.dir) {
			f.dir, f.near = filepath.Join(project, name), false
		}
		if !isFolder(f.dir) {
			return nil, fmt.Errorf(
				"%s uses the shared folder %q, which is neither in %s nor in %s", m.Name, name, beside,
				project)
		}
		found = append(found, f)
	}
	return found, nil
}

// backends returns the folder of a project that m is in as a backend; "" if it is none.
func (m *Manifest) backends() string {
	if top, _, _ := strings.Cut(m.Path, "/"); top == BackendFolder {
		return top
	}
	return ""
}

func isFolder(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.IsDir()
}

// around copies the files that a build of src needs from outside of src, if they are missing: those
// in parent folders into the folder beside, that of the language, and shared ones into the folder common.
func around(src string, shared []sharedFolder, beside, common string) error {
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
		if to := filepath.Join(common, f.name); missing(to) {
			if err := copyTree(f.dir, to, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// stage returns the folder in which to build src: src itself or, if a shared folder is missing
// there, a copy below dir with all shared folders.
func stage(src string, shared []sharedFolder, dir string) (string, error) {
	if !slices.ContainsFunc(shared, func(f sharedFolder) bool { return !f.near }) {
		return src, nil
	}
	beside := filepath.Join(dir, filepath.Base(filepath.Dir(src)))
	at := filepath.Join(beside, filepath.Base(src))
	if err := copyTree(src, at, nil); err != nil {
		return "", err
	}
	return at, around(src, shared, beside, filepath.Join(dir, "shared"))
}

// Copy copies all that a build of m needs into the folder dir, and returns m as it is there: a backend as
// dir were a project. root is the folder of the project.
func (m *Manifest) Copy(root, dir string) (*Manifest, error) {
	src := m.Dir(root)
	shared, err := m.sharedFolders(root)
	if err != nil {
		return nil, err
	}
	folder := path.Join(Folder, "it") // any name of a language does
	if top := m.backends(); top != "" {
		folder = top
	}
	beside := filepath.Join(dir, filepath.FromSlash(folder))
	if err := copyTree(src, filepath.Join(beside, filepath.Base(src)), nil); err != nil {
		return nil, err
	}
	own := *m
	own.Root, own.Path = dir, path.Join(folder, filepath.Base(src))
	return &own, around(src, shared, beside, filepath.Join(dir, Folder, "shared"))
}
