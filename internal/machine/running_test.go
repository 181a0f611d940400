//go:build linux

package machine

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// listen starts a process with the test binary in a role that prints the n addresses it listens on;
// nothing else here manages the process.
func listen(t *testing.T, role string, n int) (pid int, addrs []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_ROLE="+role)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for lines := bufio.NewScanner(out); len(addrs) < n && lines.Scan(); {
		addr := lines.Text()
		if !strings.Contains(addr, ":") {
			addr = "127.0.0.1:" + addr
		}
		addrs = append(addrs, addr)
	}
	if len(addrs) < n {
		t.Fatalf("it listens on %q", addrs)
	}
	return cmd.Process.Pid, addrs
}

// TestRunning finds a server that somebody else started, by its address, with its children, and
// reads its usage. It does not touch the server.
func TestRunning(t *testing.T) {
	pid, addrs := listen(t, "two ports", 2)
	r, err := FindRunning(addrs[0])
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); len(r.Pids()) < 2 && time.Now().Before(deadline); r.Look() {
		time.Sleep(time.Millisecond)
	}
	if all := r.Pids(); len(all) != 2 || !slices.Contains(all, pid) || !strings.Contains(r.Name(), "machine.test (pid ") {
		t.Errorf("%d, %s; want %d and its child", all, r.Name(), pid)
	}
	other, err := FindRunning(addrs[1])
	if err != nil || !other.Shares(r) || !r.Shares(other) {
		t.Errorf("its other port: %+v, %v", other, err)
	}
	before, err := r.CPU()
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) { // the child spins
		after, err := r.CPU()
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("it used %v, then %v, %v", before, after, err)
		}
		if after > before {
			break
		}
	}
	var u record.Usage
	if err := r.Usage(&u); err != nil || u.Processes != 2 || u.PrivateBytes == nil || *u.PrivateBytes == 0 || u.Threads == nil {
		t.Errorf("%+v, %v", u, err)
	}
	if err := r.Totals(&u); err != nil || *u.OpenSockets < 2 || *u.FileBytes == 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if by, absent := r.Meters(); by["cpu"] == "" || absent["instructions"] == "" || absent["memory"] != "" {
		t.Errorf("%v, %v", by, absent)
	}
	_, addrs = listen(t, "listen", 1)
	if stranger, err := FindRunning(addrs[0]); err != nil || stranger.Shares(r) {
		t.Errorf("another server: %v", err)
	}
	for _, s := range r.current() {
		if s.stopped() {
			t.Errorf("%d is stopped", s.pid)
		}
	}
}

// TestRunningEnds: a server that has ended, or was restarted, is not the one that was found.
func TestRunningEnds(t *testing.T) {
	pid, addrs := listen(t, "listen", 1)
	r, err := FindRunning(addrs[0])
	if err != nil || r.Ended() {
		t.Fatalf("it has not ended: %v", err)
	}
	p, _ := os.FindProcess(pid)
	p.Kill()
	for deadline := time.Now().Add(10 * time.Second); !r.Ended(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it was killed, and has not ended")
		}
	}
	r.Look()
	if _, err := r.CPU(); err == nil {
		t.Error("the CPU clock of one that has ended was read")
	}
	if _, err := FindRunning(addrs[0]); err == nil || !strings.Contains(err.Error(), "no process of this machine "+
		"listens") {
		t.Errorf("nobody listens: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := FindRunning(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "dyno itself") {
		t.Errorf("this process listens: %v", err)
	}
}
