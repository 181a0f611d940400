package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/proc"
)

// cache is a folder of trees, each in a folder named by its digest, that one agent uses. When it is full,
// those that were not used for longest are removed. It is safe for concurrent use.
type cache struct {
	folder string
	most   int64 // bytes of all trees
	log    func(string)

	busy sync.Mutex // one tree is looked for at a time
	mu   sync.Mutex
	used map[string]int // how many use a tree, by digest
}

// mostCached is the size of an agent's cache.
const mostCached = 8 << 30

// partial is how the names of folders begin that are not trees yet.
const partial = "new-"

// refusedTree is the error of what came in place of a tree.
type refusedTree struct{ error }

// get returns the folder of the tree with that digest, which stays until release is called. If it is not
// there, fetch writes its archive.
func (c *cache) get(digest string, fetch func(io.Writer) error) (folder string, release func(), err error) {
	c.busy.Lock()
	defer c.busy.Unlock()
	if err := proc.OwnFolder(c.folder); err != nil {
		return "", nil, fmt.Errorf("use the cache of trees: %w", err)
	}
	folder = filepath.Join(c.folder, digest)
	switch have, _, err := sumTree(os.DirFS(folder)); {
	case err == nil && have == digest:
		now := time.Now()
		return folder, c.hold(digest), os.Chtimes(folder, now, now)
	case errors.Is(err, fs.ErrNotExist):
	case c.inUse(digest):
		return "", nil, fmt.Errorf("the tree in %s was changed, and is in use", folder)
	default:
		c.log("the tree in " + folder + " was changed; it is fetched again")
		if err := os.RemoveAll(folder); err != nil {
			return "", nil, err
		}
	}
	if err := c.add(digest, fetch); err != nil {
		return "", nil, fmt.Errorf("get the tree %.12s…: %w", digest, err)
	}
	return folder, c.hold(digest), nil
}

// find chooses the folder of a cache that has none: one of each agent in dyno's own cache.
func (c *cache) find(b *Bundle) error {
	c.busy.Lock()
	defer c.busy.Unlock()
	if c.folder != "" {
		return nil
	}
	all, err := contestant.Cache()
	if err == nil {
		c.folder = filepath.Join(all, "trees", filepath.Base(b.place()))
	}
	return err
}

// hold keeps a tree in the cache until release is called.
func (c *cache) hold(digest string) (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used == nil {
		c.used = map[string]int{}
	}
	c.used[digest]++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.used[digest]--; c.used[digest] == 0 {
			delete(c.used, digest)
		}
	})
}

func (c *cache) inUse(digest string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used[digest] > 0
}

// add fetches a tree. Nothing of it is unpacked before its digest is known to be right, and it gets its
// name when all of it is there. c.busy is held.
func (c *cache) add(digest string, fetch func(io.Writer) error) error {
	left, err := filepath.Glob(filepath.Join(c.folder, partial+"*")) // of an agent that was killed
	for _, old := range left {
		err = errors.Join(err, os.RemoveAll(old))
	}
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(c.folder, partial)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	archive, err := os.Create(filepath.Join(work, "archive"))
	if err != nil {
		return err
	}
	defer archive.Close()
	sums := newSums()
	if err := fetch(&limited{io.MultiWriter(archive, sums), mostArchive}); err != nil {
		return err
	}
	if got := sums.digest(); got != digest {
		return refusedTree{fmt.Errorf("the archive that came for it has the digest %.12s…", got)}
	}
	if err := c.shrink(c.most - sums.bytes); err != nil {
		return err
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	tree := filepath.Join(work, "tree")
	if err := os.Mkdir(tree, 0o755); err != nil {
		return err
	}
	if err := unpack(tree, archive); err != nil {
		return refusedTree{err}
	}
	if got, _, err := sumTree(os.DirFS(tree)); err != nil || got != digest {
		return refusedTree{errors.New("its archive is not the one that dyno makes of its files")}
	}
	return os.Rename(tree, filepath.Join(c.folder, digest))
}

// shrink removes the trees that were not used for longest until all have most bytes together.
func (c *cache) shrink(most int64) error {
	type stored struct {
		digest string
		bytes  int64
		used   time.Time
	}
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return err
	}
	var trees []stored
	total := int64(0)
	for _, e := range entries {
		if !treeForm.MatchString(e.Name()) {
			continue
		}
		t := stored{digest: e.Name()}
		if info, err := e.Info(); err == nil {
			t.used = info.ModTime()
		}
		_ = fs.WalkDir(os.DirFS(filepath.Join(c.folder, e.Name())), ".", func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					t.bytes += info.Size()
				}
			}
			return nil
		})
		trees = append(trees, t)
		total += t.bytes
	}
	slices.SortFunc(trees, func(a, b stored) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.digest, b.digest))
	})
	for _, t := range trees {
		if total > most && !c.inUse(t.digest) {
			if err := os.RemoveAll(filepath.Join(c.folder, t.digest)); err != nil {
				return err
			}
			total -= t.bytes
		}
	}
	if total > most {
		return fmt.Errorf("the cache in %s is full: the trees in use have %d MB of %d", c.folder, total>>20, c.most>>20)
	}
	return nil
}

// limited writes no more than left bytes.
type limited struct {
	io.Writer
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, refusedTree{fmt.Errorf("its archive has more than %d MB", int64(mostArchive)>>20)}
	}
	return l.Writer.Write(p)
}
