package loadtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// stops are about a generator that does not run for a while: one in a process of its own is
// stopped.
var stops = map[string]func(*testing.T, load.Engine){
	"stopped: waits for an answer": func(t *testing.T, e load.Engine) { stopped(t, "sleeps", e) },
	"stopped: spins":               func(t *testing.T, e load.Engine) { stopped(t, "spins", e) },
	"stopped: waits for its time":  func(t *testing.T, e load.Engine) { stopped(t, "open", e) },
}

// childEnv holds "MODE ADDRESS" in the child, childMark begins the line in which it prints the
// Load.
const (
	childEnv  = "DYNO_LOADTEST_CHILD"
	childMark = "seen: "
)

// stopped: what passed while the generator was stopped is a gap, and no CPU time of its spinning.
func stopped(t *testing.T, mode string, _ load.Engine) {
	asked, answer := make(chan bool, 1), make(chan bool)
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			if p.n == 1 {
				asked <- true
				if mode != "open" {
					<-answer
				}
			}
			p.say(value)
		}
	})
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.Split(t.Name(), "/")[0]+"$")
	cmd.Env = append(os.Environ(), childEnv+"="+mode+" "+s.Addr().String())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	<-asked
	time.Sleep(50 * time.Millisecond) // in which it begins to wait
	if err := syscall.Kill(cmd.Process.Pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	for !status.Stopped() {
		_, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		if err != nil && err != syscall.EINTR || status.Exited() {
			t.Fatalf("the child was not stopped: %v, %v: %s", status, err, out.String())
		}
	}
	began := time.Now()
	close(answer)
	time.Sleep(350 * time.Millisecond)
	long := int64(time.Since(began))
	if err := syscall.Kill(cmd.Process.Pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	_, text, _ := strings.Cut(out.String(), childMark)
	var l record.Load
	if bad := json.NewDecoder(strings.NewReader(text)).Decode(&l); err != nil || bad != nil ||
		l.Succeeded != l.Planned || l.Succeeded == 0 {
		t.Fatalf("%v, %v: %s", err, bad, out.String())
	}
	if l.GapNS < long-int64(load.Nap) {
		t.Errorf("a gap of %d ns; the generator was stopped for %d", l.GapNS, long)
	}
	if l.SpunNS > l.WindowNS-long || l.LoopCPUNS < 0 {
		t.Errorf("spun for %d ns of a window of %d, stopped for %d of it: %d ns of CPU besides", l.SpunNS, l.WindowNS,
			long, l.LoopCPUNS)
	}
}

// beChild makes the load that a parent asks for, and ends the process.
func beChild(t *testing.T, e load.Engine) {
	mode, addr, ok := strings.Cut(os.Getenv(childEnv), " ")
	if !ok {
		return
	}
	j := load.Job{Endpoint: wire.TCP(addr), Scenario: values(), Connections: 1, Workers: 1, Timeout: never,
		Spin: mode == "spins"}
	w := load.Window{Requests: 1}
	if mode == "open" { // it sleeps until its second request is due
		w.Requests, w.Schedule = 2, constant(1)
	}
	l := run(t, open(t, e, j), w)
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(childMark + string(text))
	os.Exit(0)
}
