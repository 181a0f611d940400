package contestant

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var update = flag.Bool("update", false, "copy dyno.go of contestants/go/net-http to the other Go contestants")

func shipped(t *testing.T) []*Manifest {
	t.Helper()
	all, err := List(os.DirFS("../.."))
	if err != nil || len(all) < 50 {
		t.Fatalf("%d manifests, %v", len(all), err)
	}
	return all
}

// TestShippedManifests: what speaks HTTP says whether it can speak HTTP/2, and nobody needs more than 40 lines for hello.
func TestShippedManifests(t *testing.T) {
	for _, m := range shipped(t) {
		if want := slices.Contains([]string{"net/http", "kestrel"}, m.Engine); m.HTTP2 != want {
			t.Errorf("%s: http2 = %t; its engine is %s", m.Name, m.HTTP2, m.Engine)
		}
		n, err := m.CountLines(os.DirFS("../.."))
		if err != nil || n == 0 {
			t.Errorf("%s: %d lines, %v", m.Name, n, err)
		}
		if n > 40 && len(m.Scenarios) == 1 && m.Scenarios[0] == "hello" {
			t.Errorf("%s: %d lines; want at most 40", m.Name, n)
		}
	}
}

// TestOneDynoGo: what dyno alone asks of a Go program is the same in all.
func TestOneDynoGo(t *testing.T) {
	want, err := os.ReadFile("../../contestants/go/net-http/dyno.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range shipped(t) {
		if m.Language != "go" {
			continue
		}
		file := filepath.Join("../..", filepath.FromSlash(m.Path), "dyno.go")
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not that of net-http (%v): go test ./internal/contestant -run TestOneDynoGo -update", file, err)
		}
	}
}

// TestDynoGo builds a program with that file: its hashes are those of go-web-framework-benchmark, it serves its figures, and it stops.
func TestDynoGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	shared, err := os.ReadFile("../../contestants/go/net-http/dyno.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":  "module try\n\ngo 1.24\n",
		"dyno.go": string(shared),
		"main.go": "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tstopped := stopOnTerm(exit)\n\twork()\n\tfmt.Println(hashes(15), handlerWork, handlerDelay)\n\t<-stopped\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "try")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	run := exec.CommandContext(t.Context(), program)
	run.Env = []string{"DYNO_STATS=" + addr, "DYNO_WORK=cpu", "DYNO_DELAY=1ms"}
	run.Stderr = os.Stderr
	out, err := run.StdoutPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "10278 true 1ms" {
		t.Errorf("it prints %q, %v; want 10278 hashes", line, err)
	}
	var before, after map[string]uint64
	for _, into := range []*map[string]uint64{&before, &after} {
		answer, err := http.Get("http://" + addr + "/stats")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(answer.Body).Decode(into); err != nil || answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v, %v", answer.Header, err)
		}
		answer.Body.Close()
	}
	if len(before) != 4 || before["heap_inuse_bytes"] == 0 || after["total_alloc_bytes"] <= before["total_alloc_bytes"] || after["mallocs"] <= before["mallocs"] {
		t.Errorf("figures %v, then %v", before, after)
	}
	if answer, err := http.Get("http://" + addr + "/else"); err != nil || answer.StatusCode != http.StatusNotFound {
		t.Errorf("another path: %v, %v", answer, err)
	}
	run.Process.Signal(syscall.SIGTERM)
	if err := run.Wait(); err != nil {
		t.Errorf("it stops with %v", err)
	}
}
