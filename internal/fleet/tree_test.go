package fleet

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// sources is a folder as it may be sent.
var sources = fstest.MapFS{
	"main.go":                            {Data: []byte("package main\n"), Mode: 0o644},
	"build.sh":                           {Data: []byte("#!/bin/sh\n"), Mode: 0o775},
	"static/a b/é.x":                     {Data: bytes.Repeat([]byte("0123456789abcdef"), 40_000), Mode: 0o600},
	"empty":                              {Mode: fs.ModeDir | 0o700},
	strings.Repeat("long/", 60) + "name": {Data: []byte("x"), Mode: 0o444},
}

// TestTreeDigest: it depends on names, contents and who may execute, and on nothing else.
func TestTreeDigest(t *testing.T) {
	sum := func(change func(fstest.MapFS)) string {
		fsys := fstest.MapFS{}
		for name, f := range sources {
			copied := *f
			fsys[name] = &copied
		}
		change(fsys)
		digest, _, err := sumTree(fsys)
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	same := sum(func(fstest.MapFS) {})
	if got := sum(func(f fstest.MapFS) {
		f["main.go"].ModTime, f["main.go"].Mode, f["empty"].Mode = time.Now(), 0o600, fs.ModeDir|0o555
	}); got != same {
		t.Error("it depends on a time, or on the umask")
	}
	for what, change := range map[string]func(fstest.MapFS){
		"content": func(f fstest.MapFS) { f["main.go"].Data = []byte("package mair\n") },
		"name":    func(f fstest.MapFS) { f["main.gp"] = f["main.go"]; delete(f, "main.go") },
		"mode":    func(f fstest.MapFS) { f["main.go"].Mode = 0o755 },
		"folder":  func(f fstest.MapFS) { delete(f, "empty") },
	} {
		if sum(change) == same {
			t.Errorf("it does not depend on a %s", what)
		}
	}
	const known = "f7e9a3b75ba034ce36d9556bec4802d9b5809f7f57477639da13b4cfc9a7c965"
	if same != known {
		t.Errorf("it is %s, and was %s: another version of dyno would have another", same, known)
	}
}

// TestUnfitFolders: links, devices and what is too much are not sent.
func TestUnfitFolders(t *testing.T) {
	for want, fsys := range map[string]fs.FS{
		"a is a symbolic link": fstest.MapFS{"a": {Mode: fs.ModeSymlink, Data: []byte("b")}, "b": {}},
		"a is a device":        fstest.MapFS{"a": {Mode: fs.ModeNamedPipe}},
		"at most":              sized{fstest.MapFS{"a": {}}, mostTree + 1},
		"changed while":        sized{fstest.MapFS{"a": {}}, 5},
	} {
		if _, _, err := sumTree(fsys); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	folder := t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(folder, "etc")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := sumTree(os.DirFS(folder)); err == nil || !strings.Contains(err.Error(), "etc is a symbolic link") {
		t.Errorf("%v", err)
	}
	for q, want := range map[quota]string{{5, 1}: "6 bytes", {6, 0}: "200000 files", {6, 1}: ""} {
		if err := q.take("a", 6); want == "" && err != nil || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// sized is a file system whose files say that they have size bytes.
type sized struct {
	fs.FS
	size int64
}

type sizedFile struct {
	fs.File
	fs.FileInfo
	size int64
}

func (f sizedFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f sizedFile) Size() int64                { return f.size }

func (s sized) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if err != nil || name == "." {
		return f, err
	}
	info, err := f.Stat()
	return sizedFile{f, info, s.size}, err
}

// archive is a tar of these headers, each with as many bytes as follow there, and without an end.
func archive(headers ...*tar.Header) []byte {
	var b bytes.Buffer
	for _, h := range headers {
		t := tar.NewWriter(&b)
		if err := t.WriteHeader(h); err != nil {
			panic(err)
		}
		if h.Size < 1<<20 {
			t.Write(make([]byte, h.Size))
		}
		t.Flush()
	}
	return b.Bytes()
}

// hostile are archives that are refused, with a part of the reason.
func hostile() map[string][]byte {
	file := func(name string) *tar.Header {
		return &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: 5}
	}
	typed := func(name string, kind byte, link string) *tar.Header {
		return &tar.Header{Typeflag: kind, Name: name, Linkname: link, Mode: 0o644}
	}
	huge, sticky, odd := file("huge"), file("setuid"), file("odd")
	huge.Size, sticky.Mode, odd.Mode = 1<<60, 0o4755, 0o666
	return map[string][]byte{
		`"../outside" leaves the folder`:    archive(file("../outside")),
		`"/outside" leaves the folder`:      archive(file("/outside")),
		`"a/../../outside" leaves`:          archive(typed("a/", tar.TypeDir, ""), file("a/../../outside")),
		`"./a" leaves the folder, or is no`: archive(file("./a")),
		`"a//b" leaves`:                     archive(file("a//b")),
		`"a//" leaves`:                      archive(typed("a//", tar.TypeDir, "")),
		`"../" leaves`:                      archive(typed("../", tar.TypeDir, "")),
		`"./" leaves`:                       archive(typed("./", tar.TypeDir, "")),
		`"link" is neither a file`:          archive(typed("link", tar.TypeSymlink, "/etc"), file("link/outside")),
		`"hard" is neither a file`:          archive(typed("hard", tar.TypeLink, "/etc/passwd")),
		`"zero" is neither a file`:          archive(typed("zero", tar.TypeChar, "")),
		`"disk" is neither a file`:          archive(typed("disk", tar.TypeBlock, "")),
		`"pipe" is neither a file`:          archive(typed("pipe", tar.TypeFifo, "")),
		`"setuid" has the mode 04755`:       archive(sticky),
		`"odd" has the mode 0666`:           archive(odd),
		"1152921504606846976 bytes":         archive(huge),
		"exists":                            archive(file("a"), file("a")),
		"no such file":                      archive(file("a/b")),
		"not a directory":                   archive(file("a"), file("a/b")),
		"unexpected EOF":                    archive(file("a"))[:514],
		"the archive is damaged":            bytes.Repeat([]byte("x"), 2048),
		"":                                  nil,
	}
}

// TestHostileArchives: what leaves the folder, is no file, or is too large is refused, and does nothing
// outside.
func TestHostileArchives(t *testing.T) {
	for want, data := range hostile() {
		parent := t.TempDir()
		folder := filepath.Join(parent, "tree")
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		err := unpack(folder, bytes.NewReader(data))
		if want == "" {
			if err != nil {
				t.Errorf("an empty archive: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		if list, _ := os.ReadDir(parent); len(list) != 1 {
			t.Errorf("%s: it has made %v", want, list)
		}
	}
}

// FuzzUnpack: whatever the archive, all that it makes are files and folders in the folder, within the
// limits; and the cache takes it only if it is what pack makes of them.
func FuzzUnpack(f *testing.F) {
	for _, data := range hostile() {
		f.Add(data)
	}
	var valid bytes.Buffer
	if err := pack(&valid, fstest.MapFS{"a/b": {Data: []byte("c"), Mode: 0o755}, "d": {}}); err != nil {
		f.Fatal(err)
	}
	f.Add(valid.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		parent := t.TempDir()
		c := &cache{folder: filepath.Join(parent, "trees"), most: mostCached, log: func(string) {}}
		sums := newSums()
		sums.Write(data)
		folder, release, err := c.get(sums.digest(), func(w io.Writer) error { _, err := w.Write(data); return err })
		if list, _ := os.ReadDir(parent); len(list) != 1 {
			t.Fatalf("%v is outside", list)
		}
		list, _ := os.ReadDir(c.folder)
		if _, refused := errors.AsType[refusedTree](err); err != nil && (len(list) != 0 || !refused) {
			t.Fatalf("%v, and %v is left", err, list)
		}
		if err != nil {
			return
		}
		defer release()
		var again bytes.Buffer
		if err := pack(&again, os.DirFS(folder)); err != nil || !bytes.Equal(again.Bytes(), data) {
			t.Fatalf("it was taken, and is another: %v", err)
		}
	})
}

// TestCacheBound: when a cache is full, the tree that was not used for longest is removed, none that is in
// use, and what has no place is an error.
func TestCacheBound(t *testing.T) {
	var log lines
	c := &cache{folder: filepath.Join(t.TempDir(), "trees"), most: 100_000, log: log.add}
	get := func(n int) (digest string, release func(), err error) {
		fsys := fstest.MapFS{"file": {Data: bytes.Repeat([]byte{byte(n)}, 30_000)}}
		if digest, _, err = sumTree(fsys); err != nil {
			t.Fatal(err)
		}
		_, release, err = c.get(digest, func(w io.Writer) error { return pack(w, fsys) })
		return digest, release, err
	}
	age := func(digest string, by time.Duration) {
		old := time.Now().Add(-by)
		if err := os.Chtimes(filepath.Join(c.folder, digest), old, old); err != nil {
			t.Fatal(err)
		}
	}
	var digests []string
	var releases []func()
	for n := range 3 {
		d, release, err := get(n)
		if err != nil {
			t.Fatal(err)
		}
		digests, releases = append(digests, d), append(releases, release)
		age(d, time.Hour*time.Duration(10-n))
	}
	if _, _, err := get(3); err == nil || !strings.Contains(err.Error(), "is full") {
		t.Errorf("a fourth tree beside three in use: %v", err)
	}
	releases[0]()
	releases[0]() // which changes nothing
	releases[1]()
	if _, release, err := get(0); err != nil { // now it is the one used last
		t.Fatal(err)
	} else {
		release()
	}
	if err := os.Mkdir(filepath.Join(c.folder, partial+"killed"), 0o700); err != nil {
		t.Fatal(err)
	}
	d, release, err := get(3)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	list, _ := os.ReadDir(c.folder)
	var have []string
	for _, e := range list {
		have = append(have, e.Name())
	}
	want := []string{digests[0], digests[2], d}
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("%v; want %v", have, want)
	}
}
