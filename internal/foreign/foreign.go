// Package foreign handles what comes from outside: it reads and writes files in folders that somebody else may have
// made (run folders, projects, contestants' sources), hides secrets of command lines in dyno's output and records
// (secret.go), and computes arithmetic limits of loads: figures beyond them are impossible (bounds.go). It writes
// nothing through a link, and opens only regular files: a FIFO would block, a device has no end.
package foreign

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Open opens a file that the user named, to read it. It follows links.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return regular(f, path)
}

// regular returns f, or closes it if it is not a regular file.
func regular(f *os.File, path string) (*os.File, error) {
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: notFile(st.Mode())}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// notFile is the error for a path that is no regular file.
func notFile(mode fs.FileMode) error {
	kind := "a device or a socket"
	switch {
	case mode&fs.ModeSymlink != 0:
		kind = "a link"
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	}
	return fmt.Errorf("it is %s, not a file", kind)
}

// OpenIn opens path to read it, without following a link in its last element.
func OpenIn(path string) (*os.File, error) { return open(path, os.O_RDONLY, 0) }

// Append opens path to append to it, and creates it, readable by its owner alone, if it does not exist.
func Append(path string) (*os.File, error) {
	return open(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
}

// Amend opens path, which must exist, to read it and to write anywhere in it.
func Amend(path string) (*os.File, error) { return open(path, os.O_RDWR, 0) }

// Create creates path, readable by its owner alone. It must not exist.
func Create(path string) (*os.File, error) {
	return open(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
}

// open opens a regular file in its folder. If its last element is a link, open returns an error.
func open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	dir, name := filepath.Split(path)
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	named := func(err error) error { // with the path that the user knows
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if st, err := root.Lstat(name); err == nil && !st.Mode().IsRegular() {
		return nil, named(notFile(st.Mode()))
	}
	f, err := root.OpenFile(name, flag|syscall.O_NONBLOCK, mode)
	if err != nil {
		return nil, named(err)
	}
	opened, err := f.Stat()
	there, lost := root.Lstat(name)
	if err = errors.Join(err, lost); err == nil && !os.SameFile(opened, there) { // replaced meanwhile
		err = notFile(fs.ModeSymlink)
	}
	if err != nil {
		f.Close()
		return nil, named(err)
	}
	return regular(f, path)
}

// Replace writes the file name below dir anew: into a file beside it, which then takes its name. If
// name is a link, Replace replaces it, and the link's target stays as it is.
func Replace(dir, name string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	partial := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text())
	f, err := root.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Close()); err == nil {
		err = root.Rename(partial, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(partial))
	}
	return nil
}

// OwnerOnly returns an error if other users can read path, which holds a private key.
func OwnerOnly(path string) error {
	st, err := os.Stat(path)
	if err == nil && st.Mode().Perm()&0o044 != 0 {
		err = fmt.Errorf("other users can read the private key in %s (mode %04o): chmod 600 %[1]s", path, st.Mode().Perm())
	}
	return err
}

// Folders checks that those folders below dir that exist are folders, not links elsewhere.
func Folders(dir string, names ...string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range names {
		if st, err := root.Lstat(name); err == nil && !st.IsDir() {
			return fmt.Errorf("%s is not a folder, and dyno writes into no other place than %s; remove it",
				filepath.Join(dir, name), dir)
		}
	}
	return nil
}

// FS returns the files below dir. Links that leave dir are not followed.
func FS(dir string) fs.FS { return tree(dir) }

type tree string

// Open opens a regular file or a folder.
func (t tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	root, err := os.OpenRoot(string(t))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return f, nil
	}
	return regular(f, name)
}
