package contestant

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// sharedFolder is a folder in contestants/shared that a build needs.
type sharedFolder struct {
	name string
	dir  string
	near bool // the folder lies where the contestant's module or project file expects it
}

// sharedFolders finds m's shared folders: next to the language's folder, else in the project. A contestant's
// folder can therefore be copied alone.
func (m *Manifest) sharedFolders(root string) ([]sharedFolder, error) {
	near := filepath.Join(m.Dir(root), "..", "..", "shared")
	project := filepath.Join(root, Folder, "shared")
	if m.services() != "" {
		near = project
	}
	var found []sharedFolder
	for _, name := range m.Shared {
		f := sharedFolder{name: name, dir: filepath.Join(near, name), near: true}
		if !IsDir(f.dir) {
			f.dir, f.near = filepath.Join(project, name), false
		}
		if !IsDir(f.dir) {
			return nil, fmt.Errorf(
				"%s uses the shared folder %q, which is neither in %s nor in %s", m.Name, name, near,
				project)
		}
		found = append(found, f)
	}
	return found, nil
}

// services returns the project folder that holds m as a service; "" if m is no service.
func (m *Manifest) services() string {
	if top, _, _ := strings.Cut(m.Path, "/"); top == ServiceFolder {
		return top
	}
	return ""
}

// Copy copies everything that a build of m needs into the folder dir, and returns m for that copy. A service
// finds dir laid out like a project. root is the project's folder.
func (m *Manifest) Copy(root, dir string) (*Manifest, error) {
	src := m.Dir(root)
	shared, err := m.sharedFolders(root)
	if err != nil {
		return nil, err
	}
	folder := path.Join(Folder, "it") // any language name will do
	if top := m.services(); top != "" {
		folder = top
	}
	own := *m
	own.Root, own.Path = dir, path.Join(folder, filepath.Base(src))
	err = copyTree(src, own.Dir(""))
	for _, f := range shared {
		to := filepath.Join(dir, Folder, "shared", f.name)
		if _, missing := os.Lstat(to); missing != nil {
			err = cmp.Or(err, copyTree(f.dir, to))
		}
	}
	return &own, err
}

// copyTree copies the regular files below src, except build output.
func copyTree(src, dst string) error {
	names, err := SourceFiles(os.DirFS(src))
	for _, name := range names {
		name = filepath.FromSlash(name)
		err = cmp.Or(err, copyFile(filepath.Join(src, name), filepath.Join(dst, name)))
	}
	return err
}

// copyFile copies a file and its execute permission.
func copyFile(from, to string) error {
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644|st.Mode().Perm()&0o111)
}
