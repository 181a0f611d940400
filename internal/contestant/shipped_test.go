package contestant

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func shipped(t *testing.T) []*Manifest {
	t.Helper()
	all, err := List(os.DirFS("../.."))
	if err != nil || len(all) < 50 {
		t.Fatalf("%d manifests, %v", len(all), err)
	}
	return all
}

var (
	taken = regexp.MustCompile(`(?:^|[\s"=])(?:\.\./){2,3}shared/([^/"\s]+)`)
	asked = regexp.MustCompile(`DYNO_(ADDR|DELAY|WORK|STATS)|signal\.Notify|SIGTERM`)
)

// TestShippedShare: contestants use the shared harness for dyno's requirements, and each manifest lists all
// shared folders that a module, project file or build command uses, so that the cache notices changes.
func TestShippedShare(t *testing.T) {
	harness := map[string]string{"go": "harness-go", "csharp": "harness-dotnet", "javascript": "harness-node",
		"python": "harness-python", "rust": "harness-rust"}
	for _, m := range shipped(t) {
		dir := m.Dir("../..")
		var shared []string
		for _, found := range taken.FindAllStringSubmatch(strings.Join(m.Build, " "), -1) {
			shared = append(shared, found[1])
		}
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(file)
			switch ext := filepath.Ext(file); {
			case filepath.Base(file) == "go.mod" || ext == ".csproj" || ext == ".rs":
				for _, found := range taken.FindAllSubmatch(text, -1) {
					shared = append(shared, string(found[1]))
				}
			case slices.Contains([]string{".go", ".cs", ".js", ".py"}, ext) && asked.Match(text):
				t.Errorf("%s has %s; the harness does that", file, asked.Find(text))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		slices.Sort(shared)
		shared = slices.Compact(shared)
		if want := harness[m.Language]; !slices.Contains(shared, want) ||
			!slices.Equal(shared, slices.Sorted(slices.Values(m.Shared))) {
			t.Errorf("%s: shared = %q; it takes %q, and wants %q", m.Name, m.Shared, shared, want)
		}
	}
}

// TestHarness tests the shared Go module and builds a program with it: it waits, serves heap figures, and
// stops.
func TestHarness(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	t.Parallel()
	module, err := filepath.Abs("../../contestants/shared/harness-go")
	if err != nil {
		t.Fatal(err)
	}
	test := exec.Command("go", "test", "./...")
	test.Dir = module
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("go test in %s: %v\n%s", module, err, out)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module try\n\ngo 1.24\n\nrequire dyno/harness v0.0.0\n\nreplace dyno/harness => " + module + "\n",
		"main.go": harnessed,
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
	run.Env = []string{"DYNO_ADDR=here", "DYNO_STATS=" + addr, "DYNO_WORK=cpu", "DYNO_DELAY=30ms"}
	run.Stderr = os.Stderr
	out, err := run.StdoutPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "here true" {
		t.Errorf("it prints %q, %v; want its address, and that Work takes 30 ms or more", line, err)
	}
	var before, after map[string]uint64
	for _, into := range []*map[string]uint64{&before, &after} {
		answer, err := http.Get("http://" + addr + "/stats")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(answer.Body).Decode(into); err != nil ||
			answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v, %v", answer.Header, err)
		}
		answer.Body.Close()
	}
	if n := before["goroutines_started"]; n == 0 || after["goroutines_started"] <= n {
		t.Errorf("goroutines started: %d, then %d", n, after["goroutines_started"])
	}
	if len(before) != 5 || before["heap_inuse_bytes"] == 0 ||
		after["total_alloc_bytes"] <= before["total_alloc_bytes"] ||
		after["mallocs"] <= before["mallocs"] {
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

// TestArticles runs contestants' own tests, which cover claims by articles that no run can measure.
func TestArticles(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds two modules")
	}
	t.Parallel()
	for _, name := range []string{"fasthttp", "possum"} {
		dir := filepath.Join("../../contestants/go", name)
		fetch := exec.Command("go", "mod", "download")
		fetch.Dir = dir
		if out, err := fetch.CombinedOutput(); err != nil {
			t.Skipf("no modules of %s: %v\n%s", name, err, out)
		}
		test := exec.Command("go", "test", ".")
		test.Dir = dir
		if out, err := test.CombinedOutput(); err != nil {
			t.Errorf("go test in %s: %v\n%s", dir, err, out)
		}
	}
}

// harnessed is a program that does Work, and serves until it is told to stop, which its server ignores.
const harnessed = `package main

import (
	"context"
	"fmt"
	"time"

	"dyno/harness"
)

func main() {
	harness.Serve(func(addr string) error {
		start := time.Now()
		harness.Work()
		fmt.Println(addr, time.Since(start) >= 30*time.Millisecond)
		select {}
	}, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	})
}
`
