//go:build linux

package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// beStray moves one thread to the CPUs in STRAY_CPUS.
func beStray() {
	var set unix.CPUSet
	for _, text := range strings.Fields(os.Getenv("STRAY_CPUS")) {
		var cpu int
		fmt.Sscan(text, &cpu)
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	select {}
}

// TestStrayed: a process that moves a thread to CPUs that it was not pinned to is detected; one
// that uses fewer CPUs is not.
func TestStrayed(t *testing.T) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	cpus := cpuNumbers(&all)
	if len(cpus) < 2 {
		t.Skip("there is one CPU")
	}
	for name, c := range map[string]struct {
		start, moves []int
		want         bool
	}{
		"stays":      {cpus[:1], cpus[:1], false},
		"moves away": {cpus[:1], cpus[1:2], true},
		"takes more": {cpus[:1], cpus[:2], true},
		"takes less": {cpus[:2], cpus[:1], false},
		"not pinned": {nil, cpus[:1], false},
	} {
		t.Run(name, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			home := t.TempDir()
			env := map[string]string{"PROC_ROLE": "stray", "STRAY_CPUS": strings.Trim(fmt.Sprint(c.moves), "[]")}
			p, err := Start(Command{Argv: []string{self}, Env: Environment(home, home, 0, env), CPUs: c.start,
				Log: filepath.Join(home, "log")})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop(0)
			eventually(t, "ready", logged(p, 1))
			if err := p.Freeze(); err != nil {
				t.Fatal(err)
			}
			if err := p.Strayed(); c.want != (err != nil) || err != nil &&
				!strings.Contains(err.Error(), "was pinned to") {
				t.Errorf("%v", err)
			}
		})
	}
}
