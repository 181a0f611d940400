package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/machine"
)

// TestKilledController: what a killed controller stored is removed at once, and if its supervisor was killed
// as well, by the next command.
func TestKilledController(t *testing.T) {
	dyno, err := exec.LookPath("dyno") // testscript puts this program there
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	folder, temp := t.TempDir(), t.TempDir()
	busy, free := filepath.Join(folder, "busy.toml"), filepath.Join(folder, "free.toml")
	for file, port := range map[string]int{busy: ln.Addr().(*net.TCPAddr).Port, free: freePort(t)} {
		text := fmt.Sprintf("controller = \"127.0.0.1:%d\"\n[[generator]]\nname = \"gen1\"\n[[server]]\nname = \"srv1\"\n"+
			"address = \"10.0.0.9\"\n", port)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runs := 0
	command := func(of, file string) *exec.Cmd {
		c := exec.Command(dyno, "fleet", "check", file)
		if of == "run" {
			runs++
			c = exec.Command(dyno, "run", "--contestants", "ref,ref+50%", "--controls", "none", "--offline", "--fleet", file,
				"--run-folder", filepath.Join(folder, fmt.Sprint(runs)))
		}
		c.Env = append(os.Environ(), "TMPDIR="+temp, machine.RuntimeVariable+"="+folder)
		return c
	}
	left := func() int {
		stores, err := filepath.Glob(filepath.Join(temp, "dyno-fleet-*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(stores)
	}
	wait := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	for _, killed := range []struct {
		of   string
		both bool
	}{{"check", false}, {"check", true}, {"run", false}, {"run", true}} {
		c, both := command(killed.of, free), killed.both // waits for an agent
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		wait("the controller stores nothing", func() bool { return left() == 1 })
		if both {
			supervisors := childrenOf(t, c.Process.Pid)
			if len(supervisors) == 0 {
				t.Skip("this kernel does not list the children of a process")
			}
			for _, pid := range supervisors {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		c.Process.Kill()
		c.Wait()
		if both {
			time.Sleep(100 * time.Millisecond)
			if left() != 1 {
				t.Error("who removed it?")
			}
			if out, err := command(killed.of, busy).CombinedOutput(); err == nil ||
				!strings.Contains(string(out), "does another dyno use") {
				t.Fatalf("%v: %s", err, out)
			}
		}
		wait(fmt.Sprint("the store of a killed controller is left: ", killed), func() bool { return left() == 0 })
	}
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

// childrenOf returns the children of all threads of a process.
func childrenOf(t *testing.T, pid int) (all []int) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range threads {
		data, _ := os.ReadFile(name) // of a thread that has ended: none
		for _, word := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(word); err == nil {
				all = append(all, n)
			}
		}
	}
	return all
}
