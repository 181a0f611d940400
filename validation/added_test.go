package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
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

// Each server answers blocks of requests, one request after the other.
const addedBlocks, addedBlock = 1000, 200

// asked is a started server, and what a request took in each block: by the client's clock the median, by the CPU clock
// of the server's process, and in its instructions.
type asked struct {
	*machine.Process
	conn net.Conn
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
		a.conn.Close()
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
			return &asked{Process: p, conn: conn}
		}
		if time.Since(began) > 10*time.Second {
			t.Fatal(err)
		}
	}
}

// block sends a block of requests, each after the response to the one before.
func (a *asked) block(t *testing.T) {
	t.Helper()
	counted, in, trips := a.Count(), bufio.NewReader(a.conn), []float64(nil)
	before, err := a.CPU()
	if err != nil {
		t.Fatal(err)
	}
	for range addedBlock {
		start := time.Now()
		if _, err := io.WriteString(a.conn, "GET / HTTP/1.1\r\nHost: ref\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		trips = append(trips, float64(time.Since(start)))
	}
	after, err := a.CPU()
	if err != nil {
		t.Fatal(err)
	}
	a.took[0] = append(a.took[0], stats.Median(trips))
	a.took[1] = append(a.took[1], float64(after-before)/addedBlock)
	if n := counted(); n != nil {
		a.took[2] = append(a.took[2], float64(*n)/addedBlock)
	}
}
