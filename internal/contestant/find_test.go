package contestant

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeSDK returns a .tar.gz with a folder top that contains a dotnet for --version.
func fakeSDK(t *testing.T, top, version string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	script := "#!/bin/sh\necho " + version + "\n"
	for _, h := range []*tar.Header{
		{Name: top, Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: top + "dotnet", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(script))},
		{Name: top + "sdk/readme", Typeflag: tar.TypeReg, Mode: 0o644},
	} {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			w.Write([]byte(script))
		}
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

// vendor is a fake of the vendor's download server.
type vendor struct {
	archive []byte
	hash    string
	serve   func(w http.ResponseWriter, archive []byte)
}

func (v *vendor) start(t *testing.T) string {
	t.Helper()
	platform, err := rid()
	if err != nil {
		t.Skip(err)
	}
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	mux.HandleFunc("/10.0/releases.json", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"latest-sdk": "10.0.500",
			"releases": []any{map[string]any{"sdk": map[string]any{
				"version": "10.0.500", "files": []any{map[string]any{"rid": platform, "url": srv.URL + "/sdk.tar.gz",
					"hash": v.hash}},
			}}}})
	})
	mux.HandleFunc("/sdk.tar.gz", func(w http.ResponseWriter, r *http.Request) {
		if v.serve != nil {
			v.serve(w, v.archive)
			return
		}
		w.Write(v.archive)
	})
	return srv.URL
}

// bare hides all toolchains on this machine.
func bare(t *testing.T) (m *Manifest, o FindOptions) {
	t.Helper()
	t.Setenv("PATH", t.TempDir()+":/bin:/usr/bin")
	t.Setenv("DOTNET_ROOT", "")
	t.Setenv("DYNO_DOTNET", "")
	return &Manifest{Toolchain: map[string]string{"dotnet": ">=10.0"}},
		FindOptions{Cache: t.TempDir()}
}

func TestFetchFromVendor(t *testing.T) {
	sdk := fakeSDK(t, "./", "10.0.500")
	sum := sha512.Sum512(sdk)
	right := hex.EncodeToString(sum[:])
	for name, c := range map[string]struct {
		vendor vendor
		want   string // error; empty for success
	}{
		"fetched": {vendor{archive: sdk, hash: right}, ""},
		"checksum wrong": {vendor{archive: sdk, hash: strings.Repeat("0", 128)},
			"but 000000000000… is published; the download was discarded"},
		"no checksum": {vendor{archive: sdk}, "no SHA-512"},
		"truncated": {vendor{archive: sdk, hash: right, serve: func(w http.ResponseWriter, b []byte) {
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
			w.Write(b[:len(b)/2])
		}}, "the download ended after"},
		"shortened": {vendor{archive: sdk, hash: right,
			serve: func(w http.ResponseWriter, b []byte) { w.Write(b[:len(b)/2]) }}, "was discarded"},
		"refused": {vendor{archive: sdk, hash: right,
			serve: func(w http.ResponseWriter, b []byte) { http.Error(w, "no", http.StatusForbidden) }},
			"403 Forbidden"},
		"too old": func() struct {
			vendor vendor
			want   string
		} {
			old := fakeSDK(t, "./", "9.0.1")
			s := sha512.Sum512(old)
			return struct {
				vendor vendor
				want   string
			}{vendor{archive: old, hash: hex.EncodeToString(s[:])}, "download: version 9.0.1"}
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			m, o := bare(t)
			o.Vendor = c.vendor.start(t)
			var notes []string
			o.Note = func(s string) { notes = append(notes, s) }
			tc, err := Find(t.Context(), m, o)
			if c.want == "" {
				if err != nil || tc.Version != "10.0.500" || tc.Origin != "download" ||
					tc.Env["DOTNET_ROOT"] != tc.Dir {
					t.Fatalf("%+v, %v", tc, err)
				}
				if len(notes) < 2 {
					t.Errorf("no progress: %q", notes)
				}
				o.Offline, o.Vendor = true, "http://127.0.0.1:1"
				if again, err := Find(t.Context(), m, o); err != nil || again.Origin != "cache" {
					t.Errorf("it was not kept in the cache: %+v, %v", again, err)
				}
				return
			}
			var none *Unavailable
			if !errors.As(err, &none) || !strings.Contains(err.Error(), c.want) || none.Hint == "" {
				t.Errorf("error %v; want %q", err, c.want)
			}
			left, _ := filepath.Glob(filepath.Join(o.Cache, "*.partial*"))
			if len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestVendorOutOfReach(t *testing.T) {
	m, o := bare(t)
	o.Vendor = "http://127.0.0.1:1"
	_, err := Find(t.Context(), m, o)
	var none *Unavailable
	if !errors.As(err, &none) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("error %v", err)
	}
	o.Offline = true
	if _, err := Find(t.Context(), m, o); err == nil || !strings.Contains(err.Error(), "--offline prevents") {
		t.Errorf("offline: %v", err)
	}
	f := AsFailure("x", err)
	if !f.Unavailable() || !strings.Contains(f.Hint, "install the .NET SDK") {
		t.Errorf("failure %+v", f)
	}
}

func TestFetchIsCancelled(t *testing.T) {
	m, o := bare(t)
	ctx, cancel := context.WithCancel(t.Context())
	v := vendor{archive: fakeSDK(t, "./", "10.0.500"), hash: strings.Repeat("0", 128),
		serve: func(w http.ResponseWriter, b []byte) {
			w.Header().Set("Content-Length", "1000000")
			w.Write(b)
			w.(http.Flusher).Flush()
			cancel()
			<-ctx.Done()
		}}
	o.Vendor = v.start(t)
	if _, err := Find(ctx, m, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(o.Cache, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Find searches the places in the order of doc/design.md.
func TestOrderOfPlaces(t *testing.T) {
	m, o := bare(t)
	o.Offline = true
	install := func(dir, version string) string {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "dotnet"), []byte("#!/bin/sh\necho "+version+"\n"),
			0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	want := func(origin, version string) {
		t.Helper()
		tc, err := Find(t.Context(), m, o)
		if err != nil || tc.Origin != origin || tc.Version != version {
			t.Errorf("found %s %s, %v; want %s %s", tc.Origin, tc.Version, err, origin, version)
		}
	}
	archive := filepath.Join(t.TempDir(), "dotnet-sdk-10.0.1-linux-x64.tar.gz")
	sdk := fakeSDK(t, "dotnet/", "10.0.1") // the folder has the program's name
	if err := os.WriteFile(archive, sdk, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DYNO_DOTNET", archive)
	want("DYNO_DOTNET", "10.0.1")
	t.Setenv("DYNO_DOTNET", "")
	want("cache", "10.0.1")
	install(filepath.Join(o.Cache, "dotnet-10.0.2"), "10.0.2")
	want("cache", "10.0.2")
	t.Setenv("DOTNET_ROOT", install(t.TempDir(), "10.0.3"))
	want("DOTNET_ROOT", "10.0.3")
	t.Setenv("PATH", install(t.TempDir(), "10.0.4")+":"+os.Getenv("PATH"))
	want("PATH", "10.0.4")
	t.Setenv("DYNO_DOTNET", install(t.TempDir(), "10.0.5"))
	want("DYNO_DOTNET", "10.0.5")
	t.Setenv("DYNO_DOTNET", "/nowhere")
	if _, err := Find(t.Context(), m, o); err == nil || !strings.Contains(err.Error(), "DYNO_DOTNET: stat /nowhere") {
		t.Errorf("a wrong DYNO_DOTNET: %v", err)
	}
	t.Setenv("DYNO_DOTNET", "")
	t.Setenv("PATH", install(t.TempDir(), "9.0.100")+":/bin:/usr/bin")
	want("DOTNET_ROOT", "10.0.3") // PATH has one that is too old
}

func TestArchiveThatLeadsOutIsRefused(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	w.WriteHeader(&tar.Header{Name: "../evil", Typeflag: tar.TypeReg, Mode: 0o644, Size: 1})
	w.Write([]byte("x"))
	w.Close()
	z.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.tar.gz")
	os.WriteFile(file, b.Bytes(), 0o644)
	if err := unpack(t.Context(), file, filepath.Join(dir, "out", "in"), "dotnet"); err == nil {
		t.Error("an entry outside the folder was written")
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "evil")); err == nil {
		t.Error("the file is there")
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		version, floor string
		want           bool
	}{
		{"1.26.8", ">=1.24", true}, {"1.9.1", ">=1.24", false}, {"10.0.401", ">=10.0", true},
		{"9.0.1", ">=10.0", false}, {"v12.2.11", ">=12.2.11", true},
		{"10.0.100-rc.1", ">=10.0", true}, {"1.24", ">=1.24.0", true}, {"go1.26.8", ">=1.26.9", false},
		{"1.26rc1", ">=1.24", true}, {"\x1b[31m19.0.1", ">=10.0", false},
	} {
		if got := atLeast(c.version, c.floor); got != c.want {
			t.Errorf("%s %s: %v", c.version, c.floor, got)
		}
	}
}

// Where no host is found, one short sentence says so: it stands in the headline of a report.
func TestFetchWithoutANetwork(t *testing.T) {
	_, _, err := get(t.Context(), "http://no-such-host.invalid/releases.json")
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) || err == nil ||
		err.Error() != "fetch no-such-host.invalid: the host is not found; is there a network?" {
		t.Error(err)
	}
}
