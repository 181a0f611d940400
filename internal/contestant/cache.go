package contestant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dyno/internal/machine"
)

// Cache returns dyno's cache folder, which contains builds and downloads. Programs run from it, so it must
// belong to this user, and no other user may be able to write to it.
func Cache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find dyno's cache folder: %w; set XDG_CACHE_HOME to a folder of your own", err)
	}
	dir = filepath.Join(dir, "dyno")
	if err := machine.OwnFolder(dir); err != nil {
		return "", fmt.Errorf("use dyno's cache folder: %w; or set XDG_CACHE_HOME to a folder of your own", err)
	}
	return dir, nil
}

// doneMark is the file in a cache folder that lists the folder's contents. It is written last.
const doneMark = ".dyno-built"

// contents are the regular files and symbolic links in a folder, by relative path: a file's SHA-256, a link's
// target.
type contents map[string]string

// errUnmarked means that a folder has no list of contents, or none that this version can read.
var errUnmarked = errors.New("the list of its contents is missing")

// describe returns the content for the file or link at path; "" for a folder.
func describe(path string) (string, error) {
	st, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case st.Mode().Type() == fs.ModeSymlink:
		to, err := os.Readlink(path)
		return "link to " + to, err
	case st.Mode().IsRegular():
		return sha256File(path)
	}
	return "", nil
}

// mark writes the list of contents into a complete folder.
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
		c, err := describe(path)
		if c != "" {
			all[filepath.ToSlash(name)] = c
		}
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

// marked reads the list that mark wrote.
func marked(dir string) (contents, error) {
	text, err := os.ReadFile(filepath.Join(dir, doneMark))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errUnmarked
	}
	if err != nil {
		return nil, err
	}
	var all contents
	if json.Unmarshal(text, &all) != nil || all == nil {
		return nil, errUnmarked
	}
	return all, nil
}

// check compares a folder with the list of contents, ignoring additional files. The error names the first
// file that differs.
func (c contents) check(dir string) error {
	for name, want := range c {
		path := filepath.Join(dir, filepath.FromSlash(name))
		got, err := describe(path)
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", path, err)
		}
		if got != want {
			return fmt.Errorf("%s was changed", path)
		}
	}
	return nil
}

// damaged reports a change in a complete cache folder: nil if there is none, errUnmarked if it is unknown.
func damaged(dir string) error {
	c, err := marked(dir)
	if err != nil {
		return err
	}
	return c.check(dir)
}

// Keep creates the cache folder dir with fill, unless dir exists and is complete. It replaces a damaged
// folder, and reports that to note if note is not nil. fill gets an empty temporary folder, which Keep
// renames to dir when fill returns, so that concurrent processes do not conflict and an interrupted one
// leaves nothing.
func Keep(dir string, note func(string), fill func(partial string) error) error {
	if kept(dir, note) {
		return nil
	}
	partial, err := partialFolder(dir)
	if err != nil {
		return err
	}
	defer machine.RemoveTemp(partial)
	if err := fill(partial); err != nil {
		return err
	}
	if err := mark(partial); err != nil {
		return err
	}
	return replace(partial, dir)
}

// kept reports whether the cache folder dir is complete, and reports damage to note.
func kept(dir string, note func(string)) bool {
	err := damaged(dir)
	if err != nil && note != nil && !errors.Is(err, errUnmarked) {
		note(fmt.Sprintf("the build in %s is damaged: %v; building it again", dir, err))
	}
	return err == nil
}

// keepInPlace does the same as Keep, but fill works in dir itself: what it makes may contain the folder's path. It
// waits while another build works in place.
func keepInPlace(ctx context.Context, dir string, note func(string), fill func() error) error {
	release, err := lockParent(ctx, dir)
	if err != nil {
		return err
	}
	defer release()
	if kept(dir, note) {
		return nil
	}
	machine.MarkTemp(dir)
	if err = os.RemoveAll(dir); err == nil {
		err = fill()
	}
	if err == nil {
		err = mark(dir)
	}
	if err != nil {
		return errors.Join(err, machine.RemoveTemp(dir))
	}
	machine.UnmarkTemp(dir)
	return nil
}

// lockParent makes dir's parent, and waits until no other user of the cache holds its lock.
func lockParent(ctx context.Context, dir string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	for {
		if release, err = machine.LockFolder(filepath.Dir(dir)); err == nil {
			return release, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// partialFolder creates a temporary folder next to dir, to be renamed to dir when it is complete.
func partialFolder(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	return machine.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".partial")
}

// replace moves a complete folder to dir in the cache. It replaces a damaged folder there, but keeps a
// complete one.
func replace(finished, dir string) error {
	err := os.Rename(finished, dir)
	if err == nil || damaged(dir) == nil { // another dyno was faster
		return nil
	}
	old, err := machine.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".partial-old")
	if err != nil {
		return err
	}
	defer machine.RemoveTemp(old)
	if err := os.Rename(dir, filepath.Join(old, "old")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(finished, dir)
}

// ErrChanged means that a program differs from the one that was built.
var ErrChanged = errors.New("its program was changed after it was built")

// unchanged compares b's files with their state after the build or, for a command, when it was
// identified. It ignores additional files.
func (b *Built) unchanged() error {
	if err := b.contents.check(b.Out); err != nil {
		return fmt.Errorf("%w: %w; find out which program writes there (another contestant?), and run again",
			ErrChanged, err)
	}
	return nil
}
