package fleet

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// A tree is a folder as it travels: its files and folders, their names and contents, and which files may
// be executed. It is named by the SHA-256 of its archive, which is the same on every machine: tar, in the
// order of fs.WalkDir, without times and owners, with the modes 0644 and 0755 alone.

// Limits of a tree.
const (
	mostTree  = 2 << 30 // bytes of all its files
	mostFiles = 200_000 // and folders

	// Of its archive: a file has a header, perhaps a long name, and is filled up to a block.
	mostArchive = mostTree + mostFiles<<11
)

// treeForm is the form of a tree's digest: only what has it becomes part of a path.
var treeForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// quota is what a tree may still hold.
type quota struct{ bytes, files int64 }

// take takes a file or folder off q, of which size bytes are said to follow.
func (q *quota) take(name string, size int64) error {
	switch q.files--; {
	case q.files < 0:
		return fmt.Errorf("%s: a tree has %d files and folders at most", name, mostFiles)
	case size < 0 || size > q.bytes:
		return fmt.Errorf("%s: it has %d bytes, and a tree %d MB at most", name, size, mostTree>>20)
	}
	q.bytes -= size
	return nil
}

// pack writes the archive of a folder. What is neither a file nor a folder is an error.
func pack(w io.Writer, fsys fs.FS) error {
	t, left := tar.NewWriter(w), quota{mostTree, mostFiles}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case d.Type() == fs.ModeDir:
			return errors.Join(left.take(name, 0),
				t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755}))
		case d.Type() == 0:
			return packFile(t, fsys, name, &left)
		}
		return irregular(name, d.Type())
	})
	if err != nil {
		return err
	}
	return t.Close()
}

func packFile(t *tar.Writer, fsys fs.FS, name string, left *quota) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return irregular(name, info.Mode().Type())
	}
	if err := left.take(name, info.Size()); err != nil {
		return err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o644}
	if info.Mode()&0o100 != 0 {
		h.Mode = 0o755
	}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	if n, err := io.Copy(t, f); err != nil || n != h.Size {
		return fmt.Errorf("%s: it has changed while it was read (%w)", name, cause(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// cause returns err, or other if there is none.
func cause(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// irregular returns the error of what is neither a file nor a folder.
func irregular(name string, mode fs.FileMode) error {
	what := "a device, a pipe or a socket"
	if mode&fs.ModeSymlink != 0 {
		what = "a symbolic link"
	}
	return fmt.Errorf("%s is %s; only files and folders are sent to other machines: put what it stands for there", name,
		what)
}

// sums is the SHA-256 and the number of all bytes that are written to it.
type sums struct {
	hash.Hash
	bytes int64
}

func newSums() *sums { return &sums{Hash: sha256.New()} }

func (s *sums) Write(p []byte) (int, error) {
	s.bytes += int64(len(p))
	return s.Hash.Write(p)
}

func (s *sums) digest() string { return hex.EncodeToString(s.Sum(nil)) }

// sumTree returns the digest of a folder, and the number of bytes of its archive.
func sumTree(fsys fs.FS) (digest string, bytes int64, err error) {
	s := newSums()
	err = pack(s, fsys)
	return s.digest(), s.bytes, err
}

// unpack makes files and folders of an archive in an empty folder, and nothing outside. An archive that
// pack cannot have written may be accepted: whoever needs the tree of a digest compares that of the folder.
func unpack(folder string, r io.Reader) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	t, left := tar.NewReader(r), quota{mostTree, mostFiles}
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the archive is damaged: %w", err)
		}
		if err := unpackOne(root, t, h, &left); err != nil {
			return err
		}
	}
}

// unpackOne makes the file or the folder of h, of which r has the contents.
func unpackOne(root *os.Root, r io.Reader, h *tar.Header, left *quota) error {
	name := strings.TrimSuffix(h.Name, "/")
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%q leaves the folder, or is no plain path", h.Name)
	}
	if err := left.take(name, h.Size); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return root.Mkdir(name, 0o755)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%q is neither a file nor a folder (type %q)", name, h.Typeflag)
	}
	if h.Mode != 0o644 && h.Mode != 0o755 {
		return fmt.Errorf("%q has the mode %#o; want 0644 or 0755", name, h.Mode)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(h.Mode))
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
