package contestant

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dyno/internal/proc"
)

// Cache is dyno's cache folder, in which lies what was built and fetched. Programs are run from it,
// so it must be this user's own, and nobody else may write to it.
func Cache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find dyno's cache folder: %w; set XDG_CACHE_HOME to a folder of your own", err)
	}
	dir = filepath.Join(dir, "dyno")
	if err := proc.OwnFolder(dir); err != nil {
		return "", fmt.Errorf("use dyno's cache folder: %w; or set XDG_CACHE_HOME to a folder of your own", err)
	}
	return dir, nil
}

// doneMark is written into a folder of the cache when it is finished, last: its contents.
const doneMark = ".dyno-built"

// contents are the regular files and the symbolic links of a folder, by their paths in it.
type contents map[string]content

type content struct {
	Bytes          int64  `json:"bytes"`
	SHA256         string `json:"sha256"`
	ModifiedUnixNS int64  `json:"modified_unix_ns"`
	Link           string `json:"link,omitempty"` // target of a link, which has nothing else
}

// errUnmarked says that a folder has no mark, or one of an earlier dyno that does not tell its
// contents.
var errUnmarked = errors.New("its contents are not known")

// mark notes the contents of a finished folder in it.
func mark(dir string) error {
	all := contents{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == doneMark {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			all[name] = content{Link: target}
			return err
		case !d.Type().IsRegular():
			return nil
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		hash, err := sha256File(path)
		all[name] = content{Bytes: st.Size(), SHA256: hash, ModifiedUnixNS: st.ModTime().UnixNano()}
		return err
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, doneMark), append(text, '\n'), 0o644)
}

// marked reads what mark noted.
func marked(dir string) (contents, error) {
	text, err := os.ReadFile(filepath.Join(dir, doneMark))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errUnmarked
	}
	if err != nil {
		return nil, err
	}
	var all contents
	if json.Unmarshal(text, &all) != nil || len(all) == 0 {
		return nil, errUnmarked
	}
	return all, nil
}

// check compares a folder with its contents; what was added to it does not matter. The error names
// the first file that differs. Files are hashed if all is set; else only those whose time has
// changed, which is what a large toolchain allows.
func (c contents) check(dir string, all bool) error {
	for name, want := range c {
		path := filepath.Join(dir, filepath.FromSlash(name))
		st, err := os.Lstat(path)
		switch {
		case err != nil:
			return fmt.Errorf("%s is missing: %w", name, err)
		case want.Link != "":
			if target, err := os.Readlink(path); err != nil || target != want.Link {
				return fmt.Errorf("%s is no link to %s", name, want.Link)
			}
			continue
		case !st.Mode().IsRegular():
			return fmt.Errorf("%s is no file", name)
		case st.Size() != want.Bytes:
			return fmt.Errorf("%s has %d bytes, not %d", name, st.Size(), want.Bytes)
		case !all && st.ModTime().UnixNano() == want.ModifiedUnixNS:
			continue
		}
		switch got, err := sha256File(path); {
		case err != nil:
			return err
		case got != want.SHA256:
			return fmt.Errorf("%s was changed", name)
		}
	}
	return nil
}

// damaged says what is wrong with a finished folder of the cache: nil if nothing is, errUnmarked if
// nobody knows.
func damaged(dir string, all bool) error {
	c, err := marked(dir)
	if err != nil {
		return err
	}
	return c.check(dir, all)
}

// Keep makes the folder dir of the cache, which fill fills, unless it is there and whole. A damaged
// one is made anew, which note is told, if it is not nil. fill gets an empty folder beside dir that
// takes its place when it is finished: two processes may make it at once, and a broken one leaves
// nothing.
func Keep(dir string, note func(string), fill func(partial string) error) error {
	switch err := damaged(dir, true); {
	case err == nil:
		return nil
	case note != nil && !errors.Is(err, errUnmarked):
		note(fmt.Sprintf("what was built in %s is damaged: %v; it is built anew", dir, err))
	}
	partial, err := partialFolder(dir)
	if err != nil {
		return err
	}
	defer proc.RemoveTemp(partial)
	if err := fill(partial); err != nil {
		return err
	}
	if err := mark(partial); err != nil {
		return err
	}
	return replace(partial, dir)
}

// partialFolder makes a new folder beside dir, which is to become dir when it is finished.
func partialFolder(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	return proc.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".partial")
}

// replace moves a finished folder to its place in the cache, where there may be one that is
// damaged; a whole one is left.
func replace(finished, dir string) error {
	err := os.Rename(finished, dir)
	if err == nil || damaged(dir, true) == nil { // another dyno was faster
		return nil
	}
	old, err := proc.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".partial-old")
	if err != nil {
		return err
	}
	defer proc.RemoveTemp(old)
	if err := os.Rename(dir, filepath.Join(old, "old")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(finished, dir)
}

// Damaged says what has changed of the built program since it was built, nil if nothing has.
func (b *Built) Damaged() error {
	if err := b.contents.check(b.Out, true); err != nil {
		return fmt.Errorf("what was built in %s is not what lies there: %w", b.Out, err)
	}
	return nil
}
