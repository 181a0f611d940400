package bench

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/record"
)

// Servers are started on their level's CPUs, and the record shows which; the server that shows the
// generator's ceiling has all.
func TestServersOnCPUs(t *testing.T) {
	b, h, _, _ := set(t)
	p := small("a", "b")
	p.Levels = []record.Level{{CPUs: 1, Connections: 4, Pipeline: 1}, {CPUs: 2, Connections: 4, Pipeline: 1}}
	p.Pilots = 2
	for level := range p.Levels {
		p.Family = append(p.Family, record.Comparison{A: record.Cell{Contestant: "a", Level: level},
			B: record.Cell{Contestant: "b", Level: level}})
	}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]int{}
	for i := range run.Trials {
		tr := run.Trials[i]
		want := p.LevelOf(tr).CPUs
		seen[want]++
		for j := range run.Launches {
			l := &run.Launches[j]
			if l.Contestant != tr.Contestant || l.Epoch != tr.Epoch || l.Contestant == "null" {
				continue
			}
			if l.Processors == nil || len(l.Processors.CPUs) != want {
				t.Fatalf("%s in epoch %d, loaded at a level of %d CPUs, was given %+v", l.Contestant, l.Epoch, want, l.Processors)
			}
		}
	}
	if seen[1] == 0 || seen[1] != seen[2] {
		t.Errorf("trials by CPUs: %v", seen)
	}
	for i, l := range h.told {
		if l.CPUs == 0 && h.names[i] != "null" || l.CPUs > 0 && h.names[i] == "null" {
			t.Errorf("launch %d, of %s, was told %d CPUs", i, h.names[i], l.CPUs)
		}
	}
}

// A real process is pinned to its CPUs, told their number, and cannot have more than the servers'
// CPUs.
func TestLocalServerOnCPUs(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.NumCPU() < 2 {
		t.Skip("it takes Linux and two CPUs, one of them for the generator")
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	m := &contestant.Manifest{Name: "a", Command: &contestant.Command{Line: "printenv GOMAXPROCS; nproc; exit 3"}}
	l, err := NewLocal(LocalOptions{Root: ".", FS: os.DirFS("."), Folder: t.TempDir(), CPUs: 1,
		Manifests: []*contestant.Manifest{m}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Build(t.Context(), "a", func(string) {}); err != nil {
		t.Fatal(err)
	}
	_, err = l.Launch(t.Context(), "a", Launch{CPUs: 1})
	if f := l.Failure("a", "launch", err); strings.Join(f.LogTail, " ") != "1 1" {
		t.Errorf("it was told %q: %v", f.LogTail, err)
	}
	_, err = l.Launch(t.Context(), "a", Launch{CPUs: 1 << 10})
	if err == nil || !strings.Contains(err.Error(), "it cannot be given 1024 CPUs") {
		t.Errorf("more than there are: %v", err)
	}
}

// As published a process may use all CPUs, and so may dyno and its generator; after that each has its own again.
func TestLocalServerAsPublished(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.NumCPU() < 2 {
		t.Skip("it takes Linux and two CPUs, one of them for the generator")
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	m := &contestant.Manifest{Name: "a", CPUs: 2, Command: &contestant.Command{Line: "nproc; exit 3"}}
	l, err := NewLocal(LocalOptions{Root: ".", FS: os.DirFS("."), Folder: t.TempDir(), AsPublished: true,
		Manifests: []*contestant.Manifest{m}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	all, g := machine.Usable(), l.Generator()
	if _, err := l.Build(t.Context(), "a", func(string) {}); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // Usable is of this thread
	defer runtime.UnlockOSThread()
	for _, free := range []bool{true, false, true} {
		servers, generators := len(all), all
		if !free {
			servers, generators = len(l.Describe().ServerCPUs), l.Describe().GeneratorCPUs
		}
		_, err = l.Launch(t.Context(), "a", Launch{AsPublished: free})
		f := l.Failure("a", "launch", err)
		if got := f.LogTail[len(f.LogTail)-1]; got != strconv.Itoa(servers) || !slices.Equal(g.CPUs(), generators) ||
			!slices.Equal(machine.Usable(), generators) {
			t.Errorf("as published %t: a server on %s CPUs, the generator on %v, dyno on %v", free, got, g.CPUs(),
				machine.Usable())
		}
	}
}

// A contestant that needs more CPUs than there are is unavailable, and not built.
func TestBuildWantsCPUs(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	l, err := NewLocal(LocalOptions{Root: ".", FS: os.DirFS("."), Folder: t.TempDir(),
		Manifests: []*contestant.Manifest{{Name: "cluster", CPUs: 1 << 20}}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = l.Build(t.Context(), "cluster", func(string) {})
	var none *contestant.Unavailable
	if !errors.As(err, &none) || none.Toolchain != "1048576 CPUs for servers" {
		t.Errorf("%v", err)
	}
}
