package foreign

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Nothing is written through a link, and neither a link nor a FIFO is opened.
func TestNoLinkIsFollowed(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	victim := filepath.Join(other, "victim")
	if err := os.WriteFile(victim, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.Symlink(victim, at("link")), os.Symlink("inside", at("near")), os.Symlink(other, at("logs")),
		os.Symlink(filepath.Join(other, "none"), at("dangling")), syscall.Mkfifo(at("fifo"), 0o600),
		os.WriteFile(at("inside"), []byte("a"), 0o644), os.Mkdir(at("tls"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(string) (*os.File, error){"append": Append, "create": Create, "open": OpenIn} {
		for _, file := range []string{"link", "near", "dangling", "fifo", "tls"} {
			if f, err := open(at(file)); err == nil {
				f.Close()
				t.Errorf("%s of %s: no error", name, file)
			} else if name != "create" && !strings.Contains(err.Error(), "not a file") {
				t.Errorf("%s of %s: %v", name, file, err)
			}
		}
	}
	if _, err := Open(at("fifo")); err == nil || !strings.Contains(err.Error(), "a named pipe, not a file") {
		t.Errorf("a FIFO: %v", err)
	}
	if err := Folders(dir, "tls", "none"); err != nil {
		t.Error(err)
	}
	if err := Folders(dir, "tls", "logs"); err == nil || !strings.Contains(err.Error(), at("logs")) {
		t.Errorf("a linked folder: %v", err)
	}
	page := func(w io.Writer) error { _, err := io.WriteString(w, "page"); return err }
	for _, file := range []string{"link", "dangling", "fifo", "new"} {
		if err := Replace(dir, file, 0o600, page); err != nil {
			t.Error(err)
		}
		if st, err := os.Lstat(at(file)); err != nil || !st.Mode().IsRegular() || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, st.Mode(), err)
		}
	}
	failed := errors.New("disk full")
	if err := Replace(dir, "new", 0o600, func(io.Writer) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if text, err := os.ReadFile(at("new")); string(text) != "page" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := os.ReadFile(victim); string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(other, "none")); err == nil {
		t.Error("written through a link that led nowhere")
	}
	for _, e := range entries(t, dir) {
		if strings.HasPrefix(e, ".") {
			t.Errorf("%s is left", e)
		}
	}
}

func entries(t *testing.T, dir string) (names []string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestOwnerOnly(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(name, []byte("k"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := OwnerOnly(name); err != nil {
		t.Error(err)
	}
	for _, mode := range []fs.FileMode{0o640, 0o604} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if err := OwnerOnly(name); err == nil || !strings.Contains(err.Error(), "chmod 600 "+name) {
			t.Errorf("%o: %v", mode, err)
		}
	}
}

func TestFS(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.Mkdir(at("a"), 0o755), os.WriteFile(at("a/b.toml"), []byte("x"), 0o644),
		os.Symlink("a/b.toml", at("near.toml")), os.Symlink("/etc/hostname", at("far.toml")),
		syscall.Mkfifo(at("fifo.toml"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a/b.toml": true, "near.toml": true, "far.toml": false, "fifo.toml": false,
		"../x": false, "none": false} {
		if _, err := fs.ReadFile(FS(dir), name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := fs.Glob(FS(dir), "*/*.toml"); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}
