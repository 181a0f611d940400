// Package services proves that a service sends what it is told to, and that the contestants that need it give it back.
package services

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dyno/internal/contestant"
	"dyno/internal/wire"
)

const (
	workers  = 16 // that ask at once
	requests = 30 // of each of them, for each number of records
)

// paths are those of a relay; the first hands on what it gets unread.
var paths = []string{"/testNoProcess", "/testReflection", "/testNoReflection"}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}

// TestRecords proves that what the service sends follows from its number of records and its seed,
// and is what encoding/json would write.
func TestRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, _ := relays(t)
	addr := start(t, root, readService(t, root, "records"), "", "/data")
	data := func(records, seed int) []byte {
		control(t, addr, records, seed)
		body, _, _ := get(t, addr+"/data")
		return body
	}
	for _, n := range []int{0, 1, 10, 500} {
		type record struct {
			Id, Name string
			Time     int64
		}
		records := []record{}
		body := data(n, 7)
		var again bytes.Buffer
		if err := json.Unmarshal(body, &records); err != nil || len(records) != n {
			t.Errorf("%d records: %d, %v", n, len(records), err)
		}
		if json.NewEncoder(&again).Encode(records); !bytes.Equal(body, again.Bytes()) {
			t.Errorf("%d records: encoding/json would write %.200s, not %.200s", n, &again, body)
		}
		// A record has at most 83 bytes, then a comma: 842 for 10, 42,002 for 500.
		if n > 0 && (len(body) > 84*n+2 || bytes.Equal(body, data(n, 8)) || !bytes.Equal(body, data(n, 7))) {
			t.Errorf("%d records are %d bytes, or not those of their seed", n, len(body))
		}
	}
	for _, query := range []string{"", "?records=10", "?records=-1&seed=1", "?records=100001&seed=1",
		"?records=10&seed=x"} {
		resp, err := client.Post(addr+"/control"+query, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("control%s: %s", query, resp.Status)
		}
	}
}

// TestRelays starts the service and each relay, and compares what the three paths answer with what
// the service does, as JSON.
func TestRelays(t *testing.T) {
	if testing.Short() {
		t.Skip("builds contestants")
	}
	root, all := relays(t)
	addr := start(t, root, readService(t, root, "records"), "", "/data")
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			door := open(t, addr)
			relay := start(t, root, m, door.addr, paths[0])
			asked := 0
			for i, records := range []int{10, 30, 100, 500} {
				control(t, addr, records, i+1)
				asked += compare(t, addr, relay)
			}
			for _, path := range []string{"/", "/nowhere", paths[0] + "/x"} {
				if _, status, _ := get(t, relay+path); status != http.StatusNotFound {
					t.Errorf("%s: status %d; want 404", path, status)
				}
			}
			// A client may dial anew for a request while another ends; more are bodies that were
			// not read to their end, or too few kept.
			if n := door.entered.Load(); n > 3*workers {
				t.Errorf("%d connections to the service for %d requests of %d workers: it does not keep them", n, asked,
					workers)
			}
		})
	}
}

// TestRelaysReadJSON gives each relay JSON that the service never sends, right and wrong: what is
// made by hand must read all of it, but for what an article wrote for its own service.
func TestRelaysReadJSON(t *testing.T) {
	if testing.Short() {
		t.Skip("builds contestants")
	}
	var status atomic.Int64
	var body atomic.Value
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		io.WriteString(w, body.Load().(string))
	}))
	defer upstream.Close()
	root, all := relays(t)
	for _, m := range all {
		if m.Name == "dotnet-relay-article" {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			status.Store(http.StatusOK)
			body.Store("[]\n")
			relay := start(t, root, m, strings.TrimPrefix(upstream.URL, "http://"), paths[0])
			for sent, want := range map[string]string{
				"[]": "[]",
				" [ {\r\n\t\"Time\" : -5 , \"Id\":\"a\"\n , \"Name\":\"b\" } " +
					"]\n": `[{"Id":"a","Name":"b","Time":-5}]`,
				`[{"Id":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é","Name":"<&>","Time":9007199254740993}]`:       `[{"Id":"\"\\/\b\f\n\r\té😀é","Name":"<&>","Time":9007199254740993}]`,
				`[{"More":{"x":[1e3,{"y":"}]"},[],{}],"z":null},"Id":"a","Name":"b","Time":1,"Less":true}]`: `[{"Id":"a","Name":"b","Time":1}]`,
			} {
				body.Store(sent)
				for _, path := range paths[1:] {
					answer, code, _ := get(t, relay+path)
					if code != http.StatusOK || !reflect.DeepEqual(parse(t, answer), parse(t, []byte(want))) {
						t.Errorf("%s of %s: status %d: %s", path, sent, code, answer)
					}
				}
			}
			for _, sent := range []string{"[", "{}", `[{"Id":"a"`, `[{"Id":"a}]`, `[{"Id":"a","Name":"b","Time":x}]`} {
				body.Store(sent)
				for _, path := range paths[1:] {
					if answer, code, _ := get(t, relay+path); code < 500 {
						t.Errorf("%s of %s: status %d: %s", path, sent, code, answer)
					}
				}
			}
			status.Store(http.StatusServiceUnavailable)
			body.Store("[]")
			for _, path := range paths {
				if _, code, _ := get(t, relay+path); code < 500 {
					t.Errorf("%s of a service that fails: status %d", path, code)
				}
			}
		})
	}
}

// relays are the manifests of the contestants that need the service.
func relays(t *testing.T) (root string, all []*contestant.Manifest) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if all, err = contestant.List(os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(m *contestant.Manifest) bool {
		return !slices.Contains(m.Scenarios, "json-relay-noprocess")
	})
	if len(all) < 9 {
		t.Fatalf("%d relays", len(all))
	}
	return root, sampled(all, 2)
}

// sampled draws n contestants where DYNO_SAMPLE, a seed, is set, as .ci/run does: to build all takes minutes.
func sampled(all []*contestant.Manifest, n int) []*contestant.Manifest {
	seed := os.Getenv("DYNO_SAMPLE")
	if seed == "" {
		return all
	}
	order := func(m *contestant.Manifest) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(seed+"\n"+m.Name))) }
	slices.SortFunc(all, func(a, b *contestant.Manifest) int { return strings.Compare(order(a), order(b)) })
	return all[:min(n, len(all))]
}

func readService(t *testing.T, root, name string) *contestant.Manifest {
	t.Helper()
	m, err := contestant.ReadService(os.DirFS(root), name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// start builds and launches a program that lives until the test ends, and returns its http:// address.
func start(t *testing.T, root string, m *contestant.Manifest, service, probed string) string {
	t.Helper()
	return startIn(t, t.TempDir(), root, m, service, probed)
}

// absent holds why programs could not be built, by name: to find that out takes long.
var absent = map[string]error{}

// startIn starts a program whose home lies in dir.
func startIn(t *testing.T, dir, root string, m *contestant.Manifest, service, probed string) string {
	t.Helper()
	if err := absent[m.Name]; err != nil {
		t.Skip(err)
	}
	tc, err := contestant.Find(t.Context(), m, contestant.FindOptions{Offline: true})
	if err != nil {
		t.Skip(err)
	}
	b, err := contestant.Build(t.Context(), m, tc, contestant.BuildOptions{Root: root,
		Log: filepath.Join(dir, "build.log")})
	var none *contestant.Unavailable
	if errors.As(err, &none) {
		absent[m.Name] = err
		t.Skip(err)
	}
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "build.log"))
		t.Fatalf("%v\n%s", err, log)
	}
	if _, _, err := b.Identify(); err != nil {
		t.Fatal(err)
	}
	probe := func(_ context.Context, to wire.Endpoint) error {
		resp, err := client.Get("http://" + to.Addr + probed)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", probed, resp.Status)
		}
		return nil
	}
	i, err := contestant.Launch(t.Context(), b, contestant.LaunchOptions{Dir: filepath.Join(dir, "home"),
		Log: filepath.Join(dir, "run.log"), Env: map[string]string{"DYNO_RECORDS": service}, Probe: probe})
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

// door passes connections on to the service and counts them.
type door struct {
	addr    string
	entered atomic.Int64
}

func open(t *testing.T, service string) *door {
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
			out, err := net.Dial("tcp", strings.TrimPrefix(service, "http://"))
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

func control(t *testing.T, service string, records, seed int) {
	t.Helper()
	resp, err := client.Post(fmt.Sprintf("%s/control?records=%d&seed=%d", service, records, seed), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		t.Fatalf("control: %s", resp.Status)
	}
}

// compare asks all three paths from several workers at once and returns how many answers it compared.
func compare(t *testing.T, service, relay string) int {
	t.Helper()
	sent, _, _ := get(t, service+"/data")
	want := parse(t, sent)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range requests {
				path := paths[i%len(paths)]
				body, status, head := get(t, relay+path)
				switch {
				case status != http.StatusOK:
					t.Errorf("%s: status %d", path, status)
				case head.Get("Content-Type") != "application/json":
					t.Errorf("%s: Content-Type %q", path, head.Get("Content-Type"))
				case path == paths[0] && !bytes.Equal(body, sent):
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
