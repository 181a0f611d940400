//go:build unix

package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/machine"
	"dyno/internal/record"
)

func TestUnsupported(t *testing.T) {
	if err := unsupported("dyno run", "linux"); err != nil {
		t.Error(err)
	}
	err := unsupported("dyno run", "darwin")
	if err == nil || !strings.Contains(err.Error(), "dyno run needs Linux, and this is darwin, which lacks cgroups and /proc") {
		t.Error(err)
	}
}

// TestOneRunAMachine: a second measuring command says which command is measuring, and measures
// nothing.
func TestOneRunAMachine(t *testing.T) {
	t.Setenv(machine.RuntimeVariable, t.TempDir())
	t.Chdir("../..")
	other := machine.Holder{Pid: 4711, Command: "dyno run x", Folder: "/runs/x", SinceUnixNS: 1e18}
	release, err := machine.LockMachine(t.Context(), other, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	out := filepath.Join(t.TempDir(), "run")
	for _, args := range [][]string{
		{"run", "--contestants", "net-http,ref+20%", "--offline", "--out", out},
		{"compare", "contestants/go/net-http", "contestants/go/net-http", "--offline", "--out", out},
		{"doctor", "--quick"},
	} {
		var stdout, stderr bytes.Buffer
		code := dyno(args, &stdout, &stderr)
		want := "pid 4711 (dyno run x), into /runs/x, since "
		if code != exitFailed || !strings.Contains(stderr.String(), want) {
			t.Errorf("%v: exit %d, %q; want %q", args, code, stderr.String(), want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a run folder was made")
	}
}

// TestHangup: a hangup ends a command like Ctrl-C, unless it was started to ignore it, as by nohup.
func TestHangup(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, ignored := range []bool{false, true} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := ln.Addr().String()
		ln.Close()
		var stderr bytes.Buffer
		cmd := &exec.Cmd{Path: self, Args: []string{"dyno", "refserver", "null", "--addr", addr}, Stderr: &stderr}
		if ignored {
			signal.Ignore(syscall.SIGHUP)
		}
		err = cmd.Start()
		heedHangup()
		if err != nil {
			t.Fatal(err)
		}
		answers := func() bool {
			conn, err := net.Dial("tcp", addr)
			if err == nil {
				conn.Close()
			}
			return err == nil
		}
		for deadline := time.Now().Add(30 * time.Second); !answers(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				cmd.Process.Kill()
				t.Fatalf("it does not answer: %s", &stderr)
			}
		}
		cmd.Process.Signal(syscall.SIGHUP)
		if ignored {
			if !answers() {
				t.Error("it heeded a signal that it was to ignore")
			}
			cmd.Process.Signal(os.Interrupt)
		}
		if err := cmd.Wait(); err != nil || !strings.HasPrefix(stderr.String(), "{") {
			t.Errorf("ignored %v: %v; it said %q, not what it had done", ignored, err, &stderr)
		}
	}
}

// TestUnread: a command whose output nobody reads is told to end, and prints nothing more.
func TestUnread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	ended := 0
	if _, err := (&outlet{w, func() { ended++ }}).Write([]byte("x")); !errors.Is(err, syscall.EPIPE) || ended != 1 {
		t.Errorf("%v, told %d times", err, ended)
	}
	t.Chdir("../..")
	var stderr bytes.Buffer
	if code := dyno([]string{"list"}, w, &stderr); code != exitFailed || stderr.Len() > 0 {
		t.Errorf("exit %d, %q", code, &stderr)
	}
}

// TestRoomForFiles: a run with more connections than this process may open does not begin, and says
// what to do.
func TestRoomForFiles(t *testing.T) {
	const tooMany = 3 << 30 // more than a kernel can be set to
	small := record.Level{Connections: 10}
	for name, p := range map[string]*record.Plan{
		"level":  {Levels: []record.Level{{Connections: tooMany}}},
		"levels": {Levels: []record.Level{small, {Connections: tooMany}}},
	} {
		if err := roomFor(p); err == nil || !strings.Contains(err.Error(), "raise the limit with: ulimit -n 322122") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := roomFor(&record.Plan{Levels: []record.Level{small}}); err != nil {
		t.Error(err)
	}
}
