package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/machine"
	"dyno/internal/refserver"
	"dyno/internal/stats"
)

// TestMain is a reference server where this program starts itself as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "refserver" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
		stop()
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// Each server answers blocks of requests over a number of connections, one at a time on each.
const addedBlocks, addedBlock, addedConns = 800, 2000, 64

// asked is a started server, and what a request took in each block: the block's time by the client's clock, the CPU
// time of the server's process, its instructions.
type asked struct {
	*machine.Process
	fds  []int // of its connections; they do not block
	took [3][]float64
}

// What ref+x% adds to a request, as it says and by instruments that it does not read: the table of page.md. Each
// server is asked in turn.
func TestAddedCost(t *testing.T) {
	if os.Getenv("DYNO_ADDED") == "" {
		t.Skip("measures for two minutes, on a machine with nothing else to do: DYNO_ADDED=1")
	}
	h, dir := machine.Describe(), t.TempDir()
	restore, err := machine.PinSelf(h.GeneratorCPUs)
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	names, all := words("ref|ref+5%|ref+10%|ref+50%"), []*asked(nil)
	for _, name := range names {
		all = append(all, ask(t, name, dir, h.ServerCPUs))
	}
	order := source(liveSeed, h.BootID, 0)
	for range addedBlocks {
		for _, i := range order.Perm(len(all)) {
			all[i].block(t)
		}
	}
	rows, readings := table{words("server|its own clock, ns|client's clock, ns|CPU clock, ns|instructions")}, int64(0)
	for i, a := range all {
		var own refserver.Added
		for _, fd := range a.fds {
			syscall.Close(fd)
		}
		if err := a.Stop(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		if last := strings.Join(a.LogTail(1), ""); json.Unmarshal([]byte(last), &own) != nil || own.Sampled == 0 {
			t.Fatalf("%s does not say what it added: %q", names[i], last)
		}
		if i == 0 {
			readings = own.P50NS
			continue
		}
		row := []string{names[i], strconv.FormatInt(own.P50NS-readings, 10)}
		for m, took := range a.took {
			if len(took) == 0 {
				row = append(row, "not counted")
				continue
			}
			for j := range took {
				took[j] -= all[0].took[m][j]
			}
			j := stats.Joint([][]float64{took}, Alpha, 1)[0] // its location, as of a pair's epochs
			row = append(row, fmt.Sprintf("%.0f (%.0f–%.0f)", j.Log, j.Log-j.Crit*j.SE, j.Log+j.Crit*j.SE))
		}
		rows = append(rows, row)
	}
	t.Logf("%s\n\n%v", h.CPU, rows)
}

// ask starts a reference server.
func ask(t *testing.T, name, dir string, cpus []int) *asked {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	p, err := machine.Start(machine.Command{Argv: []string{os.Args[0], "refserver", name}, Dir: dir, CPUs: cpus,
		Log: filepath.Join(dir, name+".log"), Env: machine.Environment(dir, dir, 0, map[string]string{"DYNO_ADDR": addr})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			break
		}
		if time.Since(began) > 10*time.Second {
			t.Fatal(err)
		}
	}
	a := &asked{Process: p}
	for range addedConns {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := conn.(syscall.Conn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		fd, failed := -1, error(nil)
		if err := raw.Control(func(own uintptr) { fd, failed = syscall.Dup(int(own)) }); err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		conn.Close()
		a.fds = append(a.fds, fd)
	}
	return a
}

// block sends a block of requests. The client never sleeps, so the server need not wake it, and always has requests to
// answer: where both sleep, a longer answer is partly hidden by the way to sleep.
func (a *asked) block(t *testing.T) {
	t.Helper()
	question, answer, counted := []byte("GET / HTTP/1.1\r\nHost: ref\r\n\r\n"), make([]byte, 4096), a.Count()
	before, err := a.CPU()
	if err != nil {
		t.Fatal(err)
	}
	start, asked, answered := time.Now(), 0, 0
	for _, fd := range a.fds {
		if _, err := syscall.Write(fd, question); err != nil {
			t.Fatal(err)
		}
		asked++
	}
	for answered < addedBlock {
		for _, fd := range a.fds {
			n, err := syscall.Read(fd, answer)
			if err == syscall.EAGAIN {
				continue
			}
			if err != nil || !bytes.HasPrefix(answer[:max(n, 0)], []byte("HTTP/1.1 200 OK\r\n")) {
				t.Fatalf("%v: %q", err, answer[:max(n, 0)])
			}
			if answered++; asked < addedBlock {
				if _, err := syscall.Write(fd, question); err != nil {
					t.Fatal(err)
				}
				asked++
			}
		}
	}
	took := time.Since(start)
	after, err := a.CPU()
	if err != nil {
		t.Fatal(err)
	}
	a.took[0] = append(a.took[0], float64(took)/addedBlock)
	a.took[1] = append(a.took[1], float64(after-before)/addedBlock)
	if n := counted(); n != nil {
		a.took[2] = append(a.took[2], float64(*n)/addedBlock)
	}
}
