package fleet

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
)

// A folder is sent as a zip archive, an object in the receiving agent's NATS bucket. Orders use a name for
// the object that cannot be guessed.

// Limits for a sent folder.
const (
	mostTree  = 2 << 30 // bytes of all files
	mostFiles = 200_000 // number of files and folders

	mostArchive   = mostTree + mostTree/8
	mostDirectory = 32 << 20 // bytes read from an archive to list its files
)

// quota is the remaining room in a folder.
type quota struct{ bytes, files int64 }

func (q *quota) take(name string, size int64) error {
	if q.files--; q.files < 0 {
		return fmt.Errorf("%s: a folder has %d files and folders at most", name, mostFiles)
	}
	if q.bytes -= size; size < 0 || q.bytes < 0 {
		return fmt.Errorf("%s has %d bytes, and a folder %d MB at most", name, size, mostTree>>20)
	}
	return nil
}

// pack writes a folder's archive. A link or a device in the folder is an error.
func pack(w io.Writer, fsys fs.FS) error {
	left := quota{mostTree, mostFiles}
	if err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is a link or a device; only files and folders are sent to other machines: put the file "+
				"itself there", name)
		}
		if err != nil {
			return err
		}
		return left.take(name, info.Size())
	}); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	if err := z.AddFS(fsys); err != nil {
		return err
	}
	return z.Close()
}

// bounded limits the bytes read: zip.NewReader keeps all names in an archive in memory.
type bounded struct {
	io.ReaderAt
	left int64
}

func (b *bounded) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errors.New("the list of its files is too long")
	}
	return b.ReaderAt.ReadAt(p, at)
}

// unpack writes an archive's files into a new folder, and nothing outside it.
func unpack(folder string, archive io.ReaderAt, size int64) error {
	bounded := &bounded{archive, mostDirectory}
	z, err := zip.NewReader(bounded, size)
	if err != nil {
		return fmt.Errorf("the archive is damaged: %w", err)
	}
	bounded.left = math.MaxInt64
	left := quota{mostTree, mostFiles}
	for _, f := range z.File {
		if err := left.take(f.Name, int64(f.UncompressedSize64)); err != nil {
			return err
		}
	}
	return os.CopyFS(folder, z) // opens files only by their path in z, and makes no link
}

// trees reports whether a machine receives folders: only if it builds or starts programs.
func (f *Fleet) trees(name string) bool {
	return slices.ContainsFunc(f.Roles(name), func(r Role) bool { return r == Server || r == Service })
}

// Put stores a folder for an agent, until the Hub is closed, and returns its name for orders.
func (h *Hub) Put(ctx context.Context, fsys fs.FS, agent string) (tree string, err error) {
	ctx, cancel := context.WithTimeout(ctx, hostLimit)
	defer cancel()
	archive, w := io.Pipe()
	defer archive.Close()
	go func() { w.CloseWithError(pack(w, fsys)) }()
	if tree, err = h.wire.put(ctx, agent, archive); err != nil {
		return "", fmt.Errorf("send a folder to %s: %w", agent, err)
	}
	return tree, nil
}

// tree unpacks the named folder, which the controller has put for this agent, into a new one. It unpacks
// nothing if the archive's SHA-256 differs from NATS's.
func (s *session) tree(ctx context.Context, name, folder string) error {
	archive, err := os.Create(folder + ".zip")
	if err != nil {
		return err
	}
	defer os.Remove(archive.Name())
	defer archive.Close()
	ctx, cancel := context.WithTimeout(ctx, hostLimit)
	defer cancel()
	if err := s.link.get(ctx, name, archive); err != nil {
		return fmt.Errorf("get the sources: %w", err)
	}
	info, err := archive.Stat()
	if err != nil {
		return err
	}
	return unpack(folder, archive, info.Size())
}
