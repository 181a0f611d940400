package machine

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// RuntimeVariable names the folder for state files and the lock of the machine.
const RuntimeVariable = "DYNO_RUNTIME_DIR"

// MkdirTemp makes a private folder (mode 0700) below dir, or below the folder for temporary files
// if dir is empty. The name is prefix and a random text. MkdirTemp marks the folder before it makes
// it, so that a kill in between leaves no unmarked folder. The path is absolute.
func MkdirTemp(dir, prefix string) (string, error) {
	path, err := filepath.Abs(filepath.Join(cmp.Or(dir, os.TempDir()), prefix+rand.Text()))
	if err != nil {
		return "", err
	}
	MarkTemp(path)
	if err := os.Mkdir(path, 0o700); err != nil {
		UnmarkTemp(path)
		return "", err
	}
	return path, nil
}

// RemoveTemp removes a marked folder or file, if it still exists, and its mark.
func RemoveTemp(path string) error {
	err := os.RemoveAll(path)
	if err == nil {
		UnmarkTemp(path)
	}
	return err
}

// nobody is the user without privileges, and its group (kernel.overflowuid).
const nobody = 65534

// GiveNobody gives a folder with all that is in it to the user nobody.
func GiveNobody(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
}

// OwnFolder creates dir, or checks that dir is a folder that belongs to this user and that nobody
// else can write to. It takes read permission from others: programs are run from such folders.
func OwnFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err == nil {
		return nil
	} else if !os.IsExist(err) {
		return err
	}
	st, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !st.IsDir():
		return fmt.Errorf("%s is not a folder; replace it with a folder that belongs to you, not a link", dir)
	}
	if other, uid := ownedByOther(st); other {
		return fmt.Errorf("%s belongs to user %d; it must belong to you", dir, uid)
	}
	return private(dir, st)
}
