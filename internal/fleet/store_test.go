package fleet

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nats-io/nats.go"
)

// sources is a folder that may be sent.
var sources = fstest.MapFS{
	"main.go":                            {Data: []byte("package main\n"), Mode: 0o644},
	"build.sh":                           {Data: []byte("#!/bin/sh\n"), Mode: 0o775},
	"static/a b/é.x":                     {Data: bytes.Repeat([]byte("0123456789abcdef"), 40_000), Mode: 0o600},
	"empty":                              {Mode: fs.ModeDir | 0o700},
	strings.Repeat("long/", 60) + "name": {Data: []byte("x"), Mode: 0o444},
}

// wanted asks an agent to unpack what it has taken into a new folder; tests alone use it.
type wanted struct{ Folder string }

func init() {
	handle("tree", []Role{Server}, false, func(s *session, q *wanted) (Done, error) { return Done{}, s.unpacked(q.Folder) })
}

// fetch sends an agent a folder, and lets the agent unpack it.
func (b *rig) fetch(t *testing.T, agent string, fsys fs.FS) (folder string) {
	t.Helper()
	archive, err := archived(fsys)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := b.give(t.Context(), agent, archive); err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(t.TempDir(), "tree")
	if _, err := ask(t.Context(), b.Hub, agent, kind[wanted, Done]("tree"), wanted{folder}, time.Minute); err != nil {
		t.Fatal(err)
	}
	return folder
}

// differences reports differences between a received folder and the sent one.
func differences(t *testing.T, folder string, want fstest.MapFS) {
	t.Helper()
	for name, want := range want {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil || info.IsDir() != want.Mode.IsDir() || !info.IsDir() &&
			info.Mode()&0o111 != 0 != (want.Mode&0o100 != 0) {
			t.Errorf("%s: %v %v; want %v", name, info, err, want.Mode)
		}
		if data, _ := os.ReadFile(filepath.Join(folder, name)); !want.Mode.IsDir() && !bytes.Equal(data, want.Data) {
			t.Errorf("%s has %d bytes; want %d", name, len(data), len(want.Data))
		}
	}
}

// TestTrees: folders arrive unchanged, one after the other.
func TestTrees(t *testing.T) {
	b := gathered(t, "srv")
	for range 2 {
		differences(t, b.fetch(t, "srv", sources), sources)
	}
	if a := b.send(t, "srv", b.order("srv", "tree", wanted{t.TempDir()})); !a.refused("were not sent") {
		t.Errorf("a folder that was not sent: %+v", a)
	}
}

// TestLargeTree: an archive may be larger than a message.
func TestLargeTree(t *testing.T) {
	if testing.Short() {
		t.Skip("it sends 40 MB")
	}
	b := gathered(t, "srv")
	noise := make([]byte, mostBytes+mostBytes/4)
	rand.NewChaCha8([32]byte{}).Read(noise)
	fsys := fstest.MapFS{"large": {Data: noise}}
	differences(t, b.fetch(t, "srv", fsys), fsys)
}

// TestPieces: an archive that is too large is refused, and one that was not used is dropped with the run.
func TestPieces(t *testing.T) {
	s := &session{agent: &Agent{site: ownSite{}}, ctx: t.Context()}
	if _, err := s.take(new([]byte)); err != nil {
		t.Fatal(err)
	}
	s.taken = mostArchive - 1
	if _, err := s.take(&[]byte{1, 2}); err == nil || !strings.Contains(err.Error(), "more than 2304 MB") {
		t.Error(err)
	}
	s.release()
	if err := s.unpacked(filepath.Join(t.TempDir(), "tree")); err == nil || s.archive != nil {
		t.Errorf("%v: sources are left of a run that has ended", err)
	}
}

// client connects with an agent's key.
func (b *rig) client(t *testing.T, agent string) *nats.Conn {
	t.Helper()
	own := b.agents[agent].Bundle
	nc, err := connect("tls://"+own.Controller, own.Name, own.Secret, nats.TLSHandshakeFirst(), nats.Secure(own.client()),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// TestUnfitFolders: links and devices are not sent.
func TestUnfitFolders(t *testing.T) {
	for want, fsys := range map[string]fs.FS{
		"a is a link or a device": fstest.MapFS{"a": {Mode: fs.ModeSymlink, Data: []byte("b")}, "b": {}},
		"p is a link or a device": fstest.MapFS{"p": {Mode: fs.ModeNamedPipe}},
	} {
		if err := pack(io.Discard, fsys); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// archive returns a zip of files with these headers, each with some text.
func archive(headers ...zip.FileHeader) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, h := range headers {
		w, err := z.CreateHeader(&h)
		if err != nil {
			panic(err)
		}
		w.Write([]byte("/etc")) // an error for a folder
	}
	z.Close()
	return b.Bytes()
}

// typed returns the header of a special file.
func typed(name string, mode fs.FileMode) zip.FileHeader {
	h := zip.FileHeader{Name: name}
	h.SetMode(mode)
	return h
}

// hostile are archives that try to write outside the folder.
var hostile = map[string][]byte{
	"outside":      archive(zip.FileHeader{Name: "../outside"}),
	"absolute":     archive(zip.FileHeader{Name: "/outside"}),
	"far outside":  archive(zip.FileHeader{Name: "a/../../../outside"}),
	"backslashes":  archive(zip.FileHeader{Name: `..\outside`}),
	"a link":       archive(typed("link", fs.ModeSymlink|0o777), zip.FileHeader{Name: "link/outside"}),
	"a device":     archive(typed("disk", fs.ModeDevice|0o666)),
	"a pipe":       archive(typed("pipe", fs.ModeNamedPipe|0o666)),
	"setuid":       archive(typed("setuid", fs.ModeSetuid|0o755)),
	"twice":        archive(zip.FileHeader{Name: "a"}, zip.FileHeader{Name: "a"}),
	"a file above": archive(zip.FileHeader{Name: "a"}, zip.FileHeader{Name: "a/b"}),
	"damaged":      bytes.Repeat([]byte("x"), 2048),
	"cut":          archive(zip.FileHeader{Name: "a"})[:40],
	"empty":        nil,
}

// unpacked unpacks an archive, and checks that it creates only files and folders in the folder.
func unpacked(t *testing.T, data []byte) error {
	parent := t.TempDir()
	folder := filepath.Join(parent, "tree")
	err := unpack(folder, bytes.NewReader(data), int64(len(data)))
	if list, _ := os.ReadDir(parent); len(list) > 1 || len(list) == 1 && list[0].Name() != "tree" {
		t.Errorf("it has made %v", list)
	}
	if _, outside := os.Lstat("/outside"); outside == nil {
		t.Error("it has made /outside")
	}
	filepath.WalkDir(folder, func(name string, d fs.DirEntry, _ error) error {
		if d != nil && !d.IsDir() && (!d.Type().IsRegular() || d.Type()&fs.ModeSetuid != 0) {
			t.Errorf("%s is %v", name, d.Type())
		}
		return nil
	})
	return err
}

// TestHostileArchives: links, devices and damaged archives are refused, and nothing is created outside the folder.
func TestHostileArchives(t *testing.T) {
	for what, data := range hostile {
		err := unpacked(t, data)
		if refused := strings.HasPrefix(what, "a ") || what == "twice" || what == "damaged" || what == "cut" ||
			what == "empty"; refused &&
			err == nil {
			t.Errorf("%s is unpacked", what)
		}
	}
	if err := unpacked(t, archive()); err != nil {
		t.Errorf("an empty archive: %v", err)
	}
}

// FuzzUnpack: any archive creates only files and folders in the folder.
func FuzzUnpack(f *testing.F) {
	for _, data := range hostile {
		f.Add(data)
	}
	var valid bytes.Buffer
	if err := pack(&valid, fstest.MapFS{"a/b": {Data: []byte("c"), Mode: 0o755}, "d": {}}); err != nil {
		f.Fatal(err)
	}
	f.Add(valid.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) { unpacked(t, data) })
}
