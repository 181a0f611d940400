// Package companions proves that the relays give back what their companion sends.
package companions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dyno/internal/conf"
	"dyno/internal/contestant"
)

const (
	workers  = 16 // that ask at once
	requests = 30 // of each of them, for each number of records
)

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}

// TestRelays starts the companion and each relay, and compares what the three paths answer with what the companion does, as JSON.
func TestRelays(t *testing.T) {
	if testing.Short() {
		t.Skip("builds contestants")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	companion := readCompanion(t, root, "records")
	addr := start(t, root, companion, "", "/data")
	all, err := contestant.List(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	relays := 0
	for _, m := range all {
		if !slices.Contains(m.Scenarios, "json-relay-noprocess") {
			continue
		}
		relays++
		t.Run(m.Name, func(t *testing.T) {
			door := open(t, addr)
			relay := start(t, root, m, door.addr, "/testNoProcess")
			asked := 0
			for i, records := range []int{10, 30, 100, 500} {
				control(t, addr, records, i+1)
				asked += compare(t, addr, relay)
			}
			for path, want := range map[string]int{"/": http.StatusNotFound, "/testNoProcess/x": http.StatusNotFound} {
				if _, status, _ := get(t, relay+path); status != want {
					t.Errorf("%s: status %d; want %d", path, status, want)
				}
			}
			// A client may dial anew for a request while another ends; more are bodies that were not read to their end or not closed.
			if n := door.entered.Load(); n > 3*workers {
				t.Errorf("%d connections to the companion for %d requests of %d workers: it does not keep them", n, asked, workers)
			}
		})
	}
	if relays < 7 {
		t.Errorf("%d relays", relays)
	}
}

// readCompanion reads a companion.toml, which has the keys of a contestant.toml.
func readCompanion(t *testing.T, root, name string) *contestant.Manifest {
	t.Helper()
	m := &contestant.Manifest{Path: "companions/" + name}
	if _, err := conf.Read(os.DirFS(root), m.Path+"/companion.toml", m); err != nil {
		t.Fatal(err)
	}
	return m
}

// start builds and launches a program that lives until the test ends, and returns its http:// address.
func start(t *testing.T, root string, m *contestant.Manifest, companion, probed string) string {
	t.Helper()
	tc, err := contestant.Find(t.Context(), m, contestant.FindOptions{Root: root, Offline: true})
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	b, err := contestant.Build(t.Context(), m, tc, contestant.BuildOptions{Root: root, Log: filepath.Join(dir, "build.log")})
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "build.log"))
		t.Fatalf("%v\n%s", err, log)
	}
	if _, _, err := b.Identify(); err != nil {
		t.Fatal(err)
	}
	if companion != "" {
		b.Env["DYNO_COMPANION"] = companion
	}
	probe := func(_ context.Context, addr string) error {
		resp, err := client.Get("http://" + addr + probed)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", probed, resp.Status)
		}
		return nil
	}
	i, err := contestant.Launch(t.Context(), b, contestant.LaunchOptions{Dir: filepath.Join(dir, "home"), Log: filepath.Join(dir, "run.log"), Probe: probe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Stop(); err != nil {
			t.Errorf("stop %s: %v", m.Name, err)
		}
		if err := i.Process.Err(); err != nil {
			t.Errorf("%s did not end by itself, with status 0: %v", m.Name, err)
		}
		if log, _ := os.ReadFile(filepath.Join(dir, "run.log")); len(log) > 0 {
			t.Errorf("%s wrote to its log: %s", m.Name, log)
		}
	})
	return "http://" + i.Addr
}

// door passes connections on to the companion and counts them.
type door struct {
	addr    string
	entered atomic.Int64
}

func open(t *testing.T, companion string) *door {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	d := &door{addr: l.Addr().String()}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			d.entered.Add(1)
			out, err := net.Dial("tcp", strings.TrimPrefix(companion, "http://"))
			if err != nil {
				in.Close()
				continue
			}
			pass := func(to, from net.Conn) {
				io.Copy(to, from)
				to.Close()
			}
			go pass(out, in)
			go pass(in, out)
		}
	}()
	return d
}

func control(t *testing.T, companion string, records, seed int) {
	t.Helper()
	resp, err := client.Post(fmt.Sprintf("%s/control?records=%d&seed=%d", companion, records, seed), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		t.Fatalf("control: %s", resp.Status)
	}
}

// compare asks all three paths from several workers at once and returns how many answers it compared.
func compare(t *testing.T, companion, relay string) int {
	t.Helper()
	sent, _, _ := get(t, companion+"/data")
	want := parse(t, sent)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range requests {
				path := []string{"/testNoProcess", "/testReflection", "/testNoReflection"}[i%3]
				body, status, head := get(t, relay+path)
				switch {
				case status != http.StatusOK:
					t.Errorf("%s: status %d", path, status)
				case head.Get("Content-Type") != "application/json":
					t.Errorf("%s: Content-Type %q", path, head.Get("Content-Type"))
				case path == "/testNoProcess" && !bytes.Equal(body, sent):
					t.Errorf("%s: not the same bytes: %.200s", path, body)
				case !reflect.DeepEqual(parse(t, body), want):
					t.Errorf("%s: other records: %.200s", path, body)
				default:
					continue
				}
				return
			}
		})
	}
	wg.Wait()
	return workers * requests
}

func get(t *testing.T, url string) (body []byte, status int, head http.Header) {
	resp, err := client.Get(url)
	if err != nil {
		t.Errorf("%v", err)
		return nil, 0, nil
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		t.Errorf("%s: %v", url, err)
	}
	return body, resp.StatusCode, resp.Header
}

// parse reads JSON strictly, whole numbers as they are written.
func parse(t *testing.T, body []byte) any {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Errorf("%v: %.200s", err, body)
	} else if _, err := d.Token(); err != io.EOF {
		t.Errorf("something follows the JSON: %.200s", body)
	}
	return v
}
