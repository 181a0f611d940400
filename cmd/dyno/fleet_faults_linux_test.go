package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// loadHosts are hosts that make loads: ctl with the controller, gen1 and gen2 with agents, srv with a server.
type loadHosts struct {
	*hosts
	server *exec.Cmd
}

const generators = 2

func newHosts(t *testing.T) *loadHosts {
	t.Helper()
	h := &loadHosts{hosts: newFleet(t, "[[generator]]\nname = \"gen1\"\n[[generator]]\nname = \"gen2\"\n", false,
		"ctl", "gen1", "gen2", "srv")}
	h.agent("gen1", "gen2")
	h.server = h.command("srv", "refserver", "null", "--addr", "10.9.0.4:80")
	if err := h.server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.server.Process.Kill(); h.server.Wait() })
	return h
}

// loads is the number of connections that the server has.
func (h *loadHosts) loads() (open int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", h.server.Process.Pid))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		const established = "01"
		if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], ":0050") && f[3] == established {
			open++
		}
	}
	return open
}

// fleetLoad is dyno load of 200 requests.
type fleetLoad struct {
	*exec.Cmd
	stdout, stderr *bytes.Buffer
	began          time.Time
}

const (
	planned   = 200
	serverURL = "http://10.9.0.4/"
)

func (h *loadHosts) load(url string) *fleetLoad {
	h.t.Helper()
	c := h.command("ctl", "load", "--fleet", h.file, "--format", "json", "-r", fmt.Sprint(planned), "-d", "1s", "-c", "4",
		"--timeout", "2s", url)
	l := &fleetLoad{c, &bytes.Buffer{}, &bytes.Buffer{}, time.Now()}
	c.Stdout, c.Stderr = l.stdout, l.stderr
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	return l
}

// wait waits for the end of a load. The error says what is not as it must be: a right result, or one of
// the reasons, or the signal that ended it. end names the end.
func (l *fleetLoad) wait() (end string, err error) {
	timer := time.AfterFunc(time.Minute, func() { l.Process.Kill() })
	err = l.Wait()
	if !timer.Stop() {
		return "", fmt.Errorf("it did not end within a minute\n%s", l.stderr)
	}
	told := l.stderr.String()
	switch status := l.ProcessState.Sys().(syscall.WaitStatus); {
	case status.Signaled():
		return "killed", nil
	case l.stdout.Len() == 0 && err != nil:
		last := told[strings.LastIndex(strings.TrimSpace("\n"+told), "\n")+1:]
		if status.ExitStatus() != 1 || !strings.Contains(last, "gen") && !strings.Contains(last, "interrupted") ||
			strings.Contains(told, "bug in dyno") {
			return "", fmt.Errorf("it ended with %d, which is not clear:\n%s", status.ExitStatus(), told)
		}
		return "no result: " + strings.TrimSpace(last), nil
	}
	var s struct {
		Planned      int64 `json:"planned"`
		NeverStarted int64 `json:"never_started"`
		Started      int64 `json:"started"`
		Interrupted  bool  `json:"interrupted"`
		Generators   []struct {
			Name    string `json:"name"`
			Started int64  `json:"started"`
			BeganNS int64  `json:"began_ns"`
			BoundNS int64  `json:"bound_ns"`
		} `json:"generators"`
	}
	if err := json.Unmarshal(l.stdout.Bytes(), &s); err != nil {
		return "", fmt.Errorf("its result: %w", err)
	}
	sum := int64(0)
	for _, g := range s.Generators {
		sum += g.Started
		if off := max(g.BeganNS, -g.BeganNS) + g.BoundNS; off > 10e6 {
			return "", fmt.Errorf("%s began up to %d ns off", g.Name, off)
		}
	}
	if len(s.Generators) != generators || sum != s.Started || !s.Interrupted &&
		(s.Planned != planned || s.Started+s.NeverStarted != planned) {
		return "", fmt.Errorf("a wrong result: %+v", s)
	}
	if s.Interrupted {
		return "a result until it was interrupted", nil
	}
	return "a result", nil
}

// faultsOfHosts: whatever happens to an agent, a cable or the controller while a load runs, at a time
// drawn from DYNO_SEED, the load has a right result or says why there is none, nothing of it goes on, and
// the next one works with the same agents. DYNO_FAULTS is how many faults there are.
func faultsOfHosts(t *testing.T) {
	h := newHosts(t)
	seed := uint64(number(t, "DYNO_SEED", 1))
	rng, faults := rand.New(rand.NewPCG(seed, 0)), deck[trouble]{cards: h.troubles()}
	h.works(t)
	for i := range number(t, "DYNO_FAULTS", 2) {
		fault, after := faults.draw(rng), time.Duration(rng.Int64N(int64(4*time.Second)))
		if i == 0 { // in the window, by what the kernel gives up late
			fault, after = trouble{faultNamed("cable", "is out for long"), "gen2"}, 2*time.Second
		}
		what := fmt.Sprintf("fault %d of seed %d: after %v %v", i, seed, after.Round(time.Millisecond), fault)
		load := h.load(serverURL)
		time.Sleep(after)
		fault.do(h.hosts, rng, fault.host, load.Cmd)
		end, err := load.wait()
		if err != nil {
			t.Fatalf("%s: %v\n%s", what, err, h.logs[fault.host])
		}
		t.Logf("%s: %s", what, end)
		h.idle(t, what)
		h.works(t)
	}
	for host := range h.agents {
		h.kill(host, syscall.SIGTERM)
	}
	h.gone("at the end", 0, h.all()...)
}

// idle waits until the server has no connections, and checks that no process is left but the agents. The
// kernel tries to end a connection again after up to some seconds, if its cable was out.
func (h *loadHosts) idle(t *testing.T, what string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); h.loads() > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: the load goes on: %d connections", what, h.loads())
		}
	}
	h.gone(what, 0, h.all()...)
}

// works makes a load, and again if this machine is too busy to begin it on time.
func (h *loadHosts) works(t *testing.T) {
	t.Helper()
	end := ""
	for range 20 {
		var err error
		if end, err = h.load(serverURL).wait(); err != nil {
			t.Fatal(err)
		}
		if end == "a result" {
			return
		}
		if !strings.Contains(end, "did not start on time") && !strings.Contains(end, "came") {
			t.Fatalf("a load without a fault: %s", end)
		}
	}
	t.Skipf("this machine is too busy to begin a load on time: %s", end)
}
