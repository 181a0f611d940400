package bench

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/alike"
	"dyno/internal/load"
	"dyno/internal/load/loop"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

// mutant is a pair of servers under comparison, as dyno compare makes it of two commands: the side
// "honest", and the side "other", which is a cheat or honest, too. Both are verified, agree on a
// contract, are loaded by a real engine over loopback, and what was sampled is compared, in three
// epochs of freshly started processes; loads end by counts of requests, not by time.
//
// To add one, append to the table of TestCheats, or of TestHonest, a mutant with
//
//	paths   what is asked, in dyno's syntax ("/u/{int:1..2000}"); each may have a method: "POST /items"
//	ask     headers and body of all requests
//	honest  a fresh process of the honest side: called once per start
//	other   a fresh process of the other side; start counts its starts from 1: the first is the
//	        verification before all loads, 2 to 4 are the epochs
//	load    requests per trial; 0: 1,500. An epoch has two trials of each side
//
// A cheat passes its test if dyno gives "other" no figure; an honest one, if both get theirs.
type mutant struct {
	name          string
	paths         []string
	ask           scenario.AdHoc
	honest, other func(start int) http.Handler
	load          int64
}

// realGenerator is an engine that loads a test's servers.
type realGenerator struct {
	*fakeGenerator
	engine load.Engine
}

func (g *realGenerator) Open(ctx context.Context, job load.Job) (load.Session, error) {
	job.CPUs, job.Workers, job.Seed = nil, 1, job.Seed+uint64(rand.Uint32())
	s, err := g.engine.Open(ctx, job)
	return steadySession{s}, err
}

// steadySession is a session whose warm-up windows have a number of requests in place of a time, and are all alike:
// who is warm does not depend on how busy this machine is.
type steadySession struct{ load.Session }

// warmingRequests is the number of requests in a warm-up window.
const warmingRequests = 200

func (s steadySession) Run(ctx context.Context, w load.Window) (record.Load, error) {
	if !w.Uncounted || w.Requests > 0 || w.Observe != nil { // no warm-up
		return s.Session.Run(ctx, w)
	}
	length := w.For
	w.For, w.Requests = 0, warmingRequests
	l, err := s.Session.Run(ctx, w)
	l.WindowNS = int64(length)
	return l, err
}

// scenario makes the requests.
func (m *mutant) scenario(t *testing.T) *scenario.Scenario {
	t.Helper()
	ask, path := m.ask, m.paths[0]
	if method, p, ok := strings.Cut(path, " "); ok && len(m.paths) == 1 {
		ask.Method, path = method, p
	} else if len(m.paths) > 1 {
		path, ask.Paths = "/", nil
		for _, p := range m.paths {
			_, p, _ = strings.Cut(" "+p, " ")
			if _, after, ok := strings.Cut(p, " "); ok {
				p = after
			}
			ask.Paths = append(ask.Paths, p)
		}
	}
	s, _, err := ask.Make(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range m.paths {
		if method, _, ok := strings.Cut(p, " "); ok {
			s.Requests[i].Method = method
		}
	}
	s.Lenient = true
	return s
}

// compare runs a mutant's comparison and returns its record.
func (m *mutant) compare(t *testing.T, engine load.Engine) (*record.Run, error) {
	t.Helper()
	s := m.scenario(t)
	h := &fakeHost{t: t, starts: map[string]int{}, connections: map[string]int{}, scenario: s,
		handlers: map[string]func(int) http.Handler{"honest": m.honest, "other": m.other}}
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	b := &Bench{
		Host: h, Generator: &realGenerator{&fakeGenerator{host: h, rng: rand.New(rand.NewPCG(1, 1))}, engine},
		Scenario: s, Alike: &alike.Sides{Apart: 10 * time.Millisecond},
		Append: func(r record.Record) error {
			if r.Launch != nil && r.Launch.Epoch == 3 {
				enough()
			}
			return nil
		},
		Sync:    func() error { return nil },
		Decided: func(*record.Run) bool { return true }, Standing: unranked,
	}
	n := m.load
	if n == 0 {
		n = 1500
	}
	return b.Run(ctx, wholePlan(record.Plan{
		Format: record.Format, Contestants: []string{"honest", "other"}, Seed: 3, Primary: "throughput", Alpha: .05,
		Margin: .03, Rounds: 2, Pilots: 1, Epochs: []int{2}, Load: record.LoadLength{NS: 4e8, Requests: n},
		BudgetNS: int64(time.Hour), Processes: record.PerPart,
		Levels: []record.Level{{Connections: 4, Pipeline: 1}},
	}))
}

// figured reports whether a side has a figure, and if not, why.
func figured(run *record.Run, err error, side string) (why string, ok bool) {
	if err != nil {
		return err.Error(), false
	}
	if f := run.FailureOf(side); f != nil {
		return f.Reason, false
	}
	n := 0
	for _, t := range run.Trials {
		if t.Contestant == side {
			n++
		}
	}
	return fmt.Sprintf("%d trials, checked: %s", n, run.Checked()), n > 0
}

// write answers with a body, as JSON if it looks like it.
func write(w http.ResponseWriter, body string) {
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		w.Header().Set("Content-Type", "application/json")
	} else {
		w.Header().Set("Content-Type", "text/plain")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	fmt.Fprint(w, body)
}

// kindOfServer is an honest server: its requests, and a function that starts a process, which makes
// bodies.
type kindOfServer struct {
	name  string
	paths []string
	fresh func() func(r *http.Request) string
	coded bool // gzip
}

func id(r *http.Request) int {
	n, _ := strconv.Atoi(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
	return n
}

func stateless(f func(r *http.Request) string) func() func(*http.Request) string {
	return func() func(*http.Request) string { return f }
}

var kindsOfServers = []kindOfServer{
	{name: "clock", paths: []string{"/"}, fresh: stateless(func(*http.Request) string {
		return fmt.Sprintf(`{"id":%d,"status":"up"}`, time.Now().UnixNano())
	})},
	{name: "echo", paths: []string{"/u/{int:1..2000}"}, fresh: stateless(func(r *http.Request) string {
		return fmt.Sprintf("user %d\n", id(r))
	})},
	{name: "echo of JSON", paths: []string{"/u/{int:1..100000}"}, fresh: stateless(func(r *http.Request) string {
		n, tags := id(r), []string{}
		for i := range n % 5 {
			tags = append(tags, fmt.Sprint("t", i))
		}
		text, _ := json.Marshal(map[string]any{"id": n, "name": fmt.Sprint("user ", n), "tags": tags, "admin": n%7 == 0})
		return string(text)
	})},
	{name: "page", paths: []string{"/p/{int:1..50}"}, fresh: stateless(func(r *http.Request) string {
		return fmt.Sprintf("<html>\n<h1>Page %d</h1>\n<p>at %s</p>\n%s</html>\n", id(r),
			time.Now().Format(time.RFC3339Nano), strings.Repeat("<li>item</li>\n", id(r)))
	})},
	{name: "token", paths: []string{"/"}, fresh: stateless(func(*http.Request) string {
		return "token: " + strings.Repeat("xyZ9", 3+rand.IntN(12)) + fmt.Sprintf("%x\n", rand.Uint64())
	})},
	{name: "optional", paths: []string{"/"}, fresh: stateless(func(*http.Request) string {
		if rand.IntN(3) == 0 {
			return fmt.Sprintf(`{"id":%d,"note":null}`, rand.Uint32())
		}
		return fmt.Sprintf(`{"id":%d,"note":"n%d"}`, rand.Uint32(), rand.IntN(1000))
	})},
	{name: "names", paths: []string{"/"}, fresh: stateless(func(*http.Request) string {
		return fmt.Sprintf(`{"sessions":{"%x":%d,"%x":2},"total":2}`, rand.Uint64(), 1+rand.IntN(9), rand.Uint64())
	})},
	{name: "list", paths: []string{"/list"}, fresh: stateless(func(*http.Request) string {
		var b strings.Builder
		for i := range 1 + rand.IntN(20) {
			fmt.Fprintf(&b, `,{"n":%d,"at":%d}`, i, rand.Uint32())
		}
		return "[" + b.String()[1:] + "]"
	})},
	{name: "large", paths: []string{"/"}, fresh: stateless(func(*http.Request) string {
		return fmt.Sprintf(`{"at":%d,"rows":[%s1]}`, time.Now().UnixNano(), strings.Repeat("12345,", 500))
	})},
	{name: "gzip", paths: []string{"/"}, coded: true, fresh: stateless(func(*http.Request) string {
		return fmt.Sprintf(`{"at":%d,"text":"%s"}`, time.Now().UnixNano(), strings.Repeat("word ", 50))
	})},
	{name: "counter", paths: []string{"POST /count"}, fresh: func() func(*http.Request) string {
		var n atomic.Int64
		return func(*http.Request) string { return fmt.Sprintf(`{"count":%d}`, n.Add(1)) }
	}},
	{name: "store", paths: []string{"POST /items/{int:1..500}", "GET /items"}, fresh: func() func(*http.Request) string {
		var mu sync.Mutex
		var items []string
		return func(r *http.Request) string {
			mu.Lock()
			defer mu.Unlock()
			if r.Method == "POST" {
				if items = append(items, fmt.Sprintf(`{"id":%d}`, id(r))); len(items) > 40 {
					items = items[1:]
				}
				return fmt.Sprintf(`{"stored":%d,"items":%d}`, id(r), len(items))
			}
			return `{"items":[` + strings.Join(items, ",") + `]}`
		}
	}},
	{name: "constant", paths: []string{"/"}, fresh: stateless(func(*http.Request) string { return "hello, world\n" })},
	{name: "constant JSON", paths: []string{"/"}, fresh: stateless(func(*http.Request) string {
		return `{"message":"hello","list":[1,2,3]}`
	})},
	{name: "several", paths: []string{"/a", "/u/{int:1..300}", "/t"}, fresh: stateless(func(r *http.Request) string {
		switch {
		case r.URL.Path == "/a":
			return "a page\n"
		case r.URL.Path == "/t":
			return fmt.Sprintf("now %d\n", time.Now().UnixNano())
		}
		return fmt.Sprintf(`{"user":%d}`, id(r))
	})},
}

// defects change a right body. A constant defect makes every answer alike.
var defects = []struct {
	name string
	of   func(body string, r *http.Request) string
}{
	{"empty", func(string, *http.Request) string { return "" }},
	{"truncated", func(body string, _ *http.Request) string { return body[:len(body)*2/3] }},
	{"error of status 200", func(body string, _ *http.Request) string {
		if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
			return `{"error":"overloaded"}`
		}
		return "no such user\n"
	}},
	{"null", func(body string, _ *http.Request) string {
		if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
			return "null"
		}
		return strings.Repeat(" ", len(body))
	}},
	{"one answer for all", nil}, // the process's first
}

// triggers say when a defect begins: in which process, for which requests, in which starts.
var triggers = []struct {
	name string
	load int64
	is   func(start int) func(n int64, r *http.Request) bool
}{
	{"after 400", 0, func(int) func(int64, *http.Request) bool {
		return func(n int64, _ *http.Request) bool { return n > 400 }
	}},
	{"after 2,000", 0, func(int) func(int64, *http.Request) bool {
		return func(n int64, _ *http.Request) bool { return n > 2000 }
	}},
	{"after 10,000", 6500, func(int) func(int64, *http.Request) bool {
		return func(n int64, _ *http.Request) bool { return n > 10_000 }
	}},
	{"one in 25, from the first load on", 0, func(start int) func(int64, *http.Request) bool {
		return func(n int64, _ *http.Request) bool { return start > 1 && n > 100 && n%25 == 0 }
	}},
	{"in the last epoch", 0, func(start int) func(int64, *http.Request) bool {
		return func(n int64, _ *http.Request) bool { return start == 4 && n > 400 }
	}},
}

var writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// handler returns a process of k, with a defect where is selects.
func (k *kindOfServer) handler(defect int, is func(int64, *http.Request) bool) http.Handler {
	body := k.fresh()
	var n atomic.Int64
	var mu sync.Mutex
	first := map[string]string{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := body(r)
		if i := n.Add(1); defect >= 0 {
			mu.Lock()
			kind := r.Method + strings.TrimRight(r.URL.Path, "0123456789")
			if first[kind] == "" {
				first[kind] = text
			}
			kept := first[kind]
			mu.Unlock()
			if is(i, r) {
				if text = kept; defects[defect].of != nil {
					text = defects[defect].of(body(r), r)
				}
			}
		}
		if k.coded && text != "" {
			var b bytes.Buffer
			z := writers.Get().(*gzip.Writer)
			z.Reset(&b)
			z.Write([]byte(text))
			z.Close()
			writers.Put(z)
			w.Header().Set("Content-Encoding", "gzip")
			text = b.String()
		}
		write(w, text)
	})
}

// sixty returns cheats: each kind of server with several defects, and each trigger.
func sixty() (all []mutant) {
	for i := range kindsOfServers {
		k := &kindsOfServers[i]
		for j := range 4 {
			d, at := (i+j)%len(defects), triggers[(i*2+j)%len(triggers)]
			if defects[d].of == nil && (k.name == "counter" || k.name == "store" || strings.HasPrefix(k.name, "constant")) {
				d = (d + 1) % len(defects) // whose shape is right, or which is no defect
			}
			all = append(all, mutant{
				name:  k.name + ", " + defects[d].name + ", " + at.name,
				paths: k.paths, load: at.load,
				honest: func(int) http.Handler { return k.handler(-1, nil) },
				other:  func(start int) http.Handler { return k.handler(d, at.is(start)) },
			})
		}
	}
	return all
}

// inFull is set to run all mutants: DYNO_MUTANTS=all go test -run 'TestCheats|TestHonest' ./internal/bench
var inFull = os.Getenv("DYNO_MUTANTS") == "all"

// chosen reports whether case i is among those tried: one in n, from one on that DYNO_SAMPLE draws, which .ci/run sets;
// of a short test, the first.
func chosen(n, i int) bool {
	first := int(crc32.ChecksumIEEE([]byte(os.Getenv("DYNO_SAMPLE")))) % n
	if testing.Short() {
		first, n = 0, math.MaxInt
	}
	return inFull || i%n == first
}

// TestCheats: no server that answers wrongly, whenever that begins, has a figure.
func TestCheats(t *testing.T) {
	for i, m := range sixty() {
		if !chosen(13, i) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			run, err := m.compare(t, loop.Engine{})
			why, ok := figured(run, err, "other")
			if ok {
				t.Errorf("it has a figure: %s", why)
			}
			if inFull {
				t.Log(why)
				if why, ok := figured(run, err, "honest"); !ok {
					t.Logf("nor has the honest side: %s", why)
				}
			}
		})
	}
}

// TestHonest: servers whose bodies vary and whose state changes have their figures, except for two
// in sixty.
func TestHonest(t *testing.T) {
	var failed atomic.Int64
	t.Run("all", func(t *testing.T) {
		for i := range 4 * len(kindsOfServers) {
			if !chosen(13, i) {
				continue
			}
			k := &kindsOfServers[i%len(kindsOfServers)]
			t.Run(fmt.Sprintf("%s %d", k.name, i/len(kindsOfServers)), func(t *testing.T) {
				t.Parallel()
				fresh := func(int) http.Handler { return k.handler(-1, nil) }
				m := mutant{paths: k.paths, honest: fresh, other: fresh}
				run, err := m.compare(t, loop.Engine{})
				for _, side := range []string{"honest", "other"} {
					if why, ok := figured(run, err, side); !ok {
						failed.Add(1)
						t.Logf("%s has no figure: %s", side, why)
					} else if inFull {
						t.Log(why)
					}
				}
			})
		}
	})
	if n := failed.Load(); n > 2 {
		t.Errorf("%d honest servers have no figure", n)
	}
}

// TestKindsOfServersAnswer: this file's servers answer.
func TestKindsOfServersAnswer(t *testing.T) {
	for i := range kindsOfServers {
		w := httptest.NewRecorder()
		kindsOfServers[i].handler(-1, nil).ServeHTTP(w, httptest.NewRequest("GET", "/u/7", nil))
		if w.Body.Len() == 0 {
			t.Errorf("%s: no body", kindsOfServers[i].name)
		}
	}
}

// TestNamespaces: sides that move to network namespaces are asked again there. A side that answers
// differently there, because its database cannot be reached, has no figure.
func TestNamespaces(t *testing.T) {
	for name, c := range map[string]struct {
		there string
		fails bool
	}{"alike": {"rows\n", false}, "empty": {"", true}} {
		t.Run(name, func(t *testing.T) {
			h := &fakeHost{t: t, starts: map[string]int{}, connections: map[string]int{},
				apart: map[string]bool{"a": true, "b": true}, handlers: map[string]func(int) http.Handler{}}
			for side := range h.apart {
				h.handlers[side] = func(start int) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if start == 1 {
							write(w, "rows\n")
						} else {
							write(w, c.there)
						}
					})
				}
			}
			s, _, err := (&scenario.AdHoc{}).Make(t.Context(), "/")
			if err != nil {
				t.Fatal(err)
			}
			s.Lenient, h.scenario = true, s
			b := &Bench{Host: h, Generator: &fakeGenerator{host: h, rng: rand.New(rand.NewPCG(1, 1))}, Scenario: s,
				Alike: &alike.Sides{}, Append: func(record.Record) error { return nil }}
			p := wholePlan(small("a", "b"))
			b.run, b.servers, b.exact = &record.Run{Plan: p}, map[string]Server{}, newExact()
			if err := b.verifyAll(t.Context(), []record.Contestant{{Name: "a"}, {Name: "b"}}); err != nil {
				t.Fatal(err)
			}
			if h.starts["a"] != 2 || len(b.run.Alike.Apart) != 2 || len(b.run.Contestants) != 2 {
				t.Errorf("started %d times, %+v", h.starts["a"], b.run.Alike)
			}
			f := b.run.FailureOf("a")
			if (f != nil) != c.fails || f != nil && !strings.Contains(f.Reason, "the network is cut") {
				t.Errorf("%+v", f)
			}
			if also := strings.Join(b.run.CheckedAlso(), ""); !strings.Contains(also, "the network is cut") {
				t.Errorf("it is not told: %q", also)
			}
		})
	}
}
