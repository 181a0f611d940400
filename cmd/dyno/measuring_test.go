//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/machine"
	"dyno/internal/record"
)

func TestUnsupported(t *testing.T) {
	for _, c := range commands().Command {
		want := slices.Contains([]string{"load", "report", "check", "audit", "list", "init", "version", "refserver"}, c.Path)
		if err := unsupported(&c, "darwin"); (err == nil) != want || unsupported(&c, "linux") != nil {
			t.Errorf("dyno %s: %v", c.Path, err)
		}
	}
	if err := unsupported(&commandRow{Path: "run"}, "darwin"); !strings.Contains(err.Error(), "dyno run needs Linux, "+
		"and this is darwin") {
		t.Error(err)
	}
}

// TestOneRunAMachine: a second measuring command says which command is measuring, and measures
// nothing.
func TestOneRunAMachine(t *testing.T) {
	t.Setenv(machine.RuntimeVariable, t.TempDir())
	t.Chdir("../..")
	other := machine.Holder{Pid: 4711, Command: "dyno run x", Folder: "/runs/x", SinceUnixNS: 1e18}
	lock, err := machine.LockMachine(t.Context(), other, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	out := filepath.Join(t.TempDir(), "run")
	for _, args := range [][]string{
		{"run", "--contestants", "net-http,ref+20%", "--offline", "--run-folder", out},
		{"compare", "contestants/go/net-http", "contestants/go/net-http", "--offline", "--run-folder", out},
		{"doctor", "--quick"},
	} {
		var stdout, stderr bytes.Buffer
		code := dyno(args, &stdout, &stderr)
		want := "dyno run x (pid 4711, since 2001-09-0"
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

// TestWaitingIsNoPartOfARun: a run that waited for another begins, and is named, when that ends.
func TestWaitingIsNoPartOfARun(t *testing.T) {
	state := t.TempDir()
	t.Setenv(machine.RuntimeVariable, t.TempDir())
	other := machine.Holder{Pid: 4711, Command: "dyno run x", SinceUnixNS: time.Date(2026, 9, 4, 12, 0, 0, 0, time.Local).UnixNano()}
	lock, err := machine.LockMachine(t.Context(), other, nil)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("dyno-made", "run", "--contestants", "ref,ref+50%", "--controls", "none", "--wait", "--offline")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	cmd.Dir = t.TempDir()
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "waiting for") {
	}
	if want := "waiting for dyno run x (pid 4711, since 2026-09-04 12:00:00)"; lines.Text() != want {
		t.Errorf("%q, want %q", lines.Text(), want)
	}
	time.Sleep(1100 * time.Millisecond) // folders are named after seconds
	released := time.Now()
	lock.Release()
	for lines.Scan() {
	}
	cmd.Wait()
	folders, _ := filepath.Glob(filepath.Join(state, "dyno", "runs", "*"))
	if len(folders) != 1 {
		t.Fatal(folders)
	}
	run, err := record.Open(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	named, err := time.Parse("20060102T150405Z", filepath.Base(folders[0]))
	if begun := time.Unix(0, run.Plan.Origin.StartedUnixNS); err != nil || begun.Before(released) ||
		named.Before(released.Truncate(time.Second)) {
		t.Errorf("released %v, begun %v, in %s, %v", released, begun, folders[0], err)
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
