package bench

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno/internal/alike"
	"dyno/internal/load"
	"dyno/internal/load/loop"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// alikeOthers are shipped scenarios whose mutants are those of others; upload takes long, too.
var alikeOthers = []string{"tfb-plaintext", "pipelined", "limited-conn", "json-br", "tfb-queries", "upload"}

// wholeLoads are the scenarios whose mutants, among them all late ones, are verified with whole loads.
var wholeLoads = []string{"hello", "sessions-jar", "tfb-db"}

// TestMutants: for every shipped scenario the reference is accepted, and each mutant is found. That loads send more
// requests than late mutants answer correctly is tested with some scenarios; with the others, loads and mutants have a
// tenth of these requests.
func TestMutants(t *testing.T) {
	project := os.DirFS("../..")
	names, err := scenario.Names(project)
	if err != nil {
		t.Fatal(err)
	}
	late := map[string]bool{}
	each := func(t *testing.T, whole bool) {
		for _, name := range names {
			s, err := scenario.Read(project, name)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(alikeOthers, name) || (slices.Contains(wholeLoads, name) && !testing.Short()) != whole {
				continue
			}
			if testing.Short() && name != "templates" && name != "sessions-jar" {
				continue // all of them would take minutes with the race detector
			}
			for _, m := range refMutantsOf(s) {
				late[m.Name] = late[m.Name] || whole
			}
			t.Run(name, func(t *testing.T) { check(t, loop.Engine{}, s) })
		}
	}
	t.Run("whole", func(t *testing.T) { each(t, true) })
	t.Run("tenth", func(t *testing.T) {
		whole, after := loads, lateAfter
		t.Cleanup(func() { loads, lateAfter = whole, after })
		loads, lateAfter = slices.Clone(loads), lateAfter/10
		for i := range loads {
			loads[i].requests /= 10
		}
		each(t, false)
	})
	for name, tried := range late {
		if strings.HasPrefix(name, "late") && !tried && !testing.Short() {
			t.Errorf("%s is not tried with whole loads", name)
		}
	}
}

// TestMutantsOfEcho uses a contract whose responses depend on the request, unlike the shipped ones.
func TestMutantsOfEcho(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	body, refused := "id {id}, of {id}", ""
	s := &scenario.Scenario{Name: "echo", Requests: []scenario.Request{
		{Name: "echo", Method: "GET", Path: "/{id}", Weight: 1, With: map[string]scenario.Input{"id": {Int: [2]int64{1,
			1_000_000}}},
			Expect: scenario.Expect{Status: 200, Body: &body, Headers: map[string]string{"Content-Type": "text/plain",
				"X-Kind": ""}}},
		{Name: "text", Method: "GET", Path: "/abc", Expect: scenario.Expect{Status: 404}},
		{Name: "put", Method: "PUT", Path: "/{id}", Weight: 1, With: map[string]scenario.Input{"id": {Int: [2]int64{1,
			9}}}, Expect: scenario.Expect{Status: 204, Body: &refused}},
	}}
	for _, want := range []string{"constant-id", "any-id", "mixed-up", "unordered", "late"} {
		found := false
		for _, m := range refMutantsOf(s) {
			found = found || m.Name == want
		}
		if !found {
			t.Errorf("the mutant %s does not apply", want)
		}
	}
	check(t, loop.Engine{}, s)
}

func check(t *testing.T, e load.Engine, s *scenario.Scenario) {
	t.Parallel()
	findings, err := findMutants(t.Context(), e, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		switch {
		case f.Err != nil:
			t.Errorf("%q: %v", f.Mutant, f.Err)
		case f.Mutant == "" && f.Check != "":
			t.Errorf("the reference is rejected: %s", f.Reason)
		case !f.right():
			t.Errorf("%s (%s) is not found", f.Mutant, f.Does)
		default:
			t.Logf("%-15s %-25s %.300s", f.Mutant, f.Check, f.Reason)
		}
	}
}

// TestSidesAreSentOneSequence: a side that answers slowly shortens the sequence of both.
func TestSidesAreSentOneSequence(t *testing.T) {
	b, h, _, _ := set(t)
	var mu sync.Mutex
	asked := map[string]map[int]int{"a": {}, "b": {}} // by start
	serve := func(name string) func(int) http.Handler {
		return func(start int) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				asked[name][start]++
				n := asked[name][start]
				mu.Unlock()
				if name == "b" && n > 40 {
					time.Sleep(50 * time.Millisecond)
				}
				write(w, "hello\n")
			})
		}
	}
	h.handlers = map[string]func(int) http.Handler{"a": serve("a"), "b": serve("b")}
	s, _, err := (&scenario.AdHoc{}).Make(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	h.scenario, b.Scenario, b.Alike = s, s, &alike.Sides{}
	p := small("a", "b")
	p.Controls, p.Ceiling, p.Pilots, p.Epochs, p.BudgetNS = nil, "", 0, []int{1}, int64(12*time.Second)
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || run.Alike.InTurn == 0 || len(run.Trials) != 4 {
		t.Fatal(run.Alike, len(run.Trials), err)
	}
	if n := asked["b"][2]; n != asked["a"][2] || n > 100 || n < run.Alike.InTurn {
		t.Errorf("requests by start: %v; sequence of %d", asked, run.Alike.InTurn)
	}
}

// TestInTurn: at least one request is sent, and none after the time, or beyond the number.
func TestInTurn(t *testing.T) {
	b, h, _, _ := set(t)
	b.run, b.exact = &record.Run{Plan: wholePlan(small("a"))}, newExact()
	server, err := b.launch(t.Context(), "a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	for most, within := range map[int]time.Duration{1: 0, 7: time.Hour} {
		answers, err := h.scenario.InTurn(t.Context(), server.At(b.run.Plan.First().HTTP), max(most, 7), within)
		if err != nil || len(answers) != most {
			t.Errorf("%d answers in %v; want %d (%v)", len(answers), within, most, err)
		}
	}
}

// TestPipelineOfOne: a server that closes a connection on which a second request waits, as Bun's does while a handler
// waits, keeps the contract of a scenario with pipeline = 1 alone.
func TestPipelineOfOne(t *testing.T) {
	s, err := scenario.Read(os.DirFS("../.."), "hello")
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for c, err := ln.Accept(); err == nil; c, err = ln.Accept() {
			go func() {
				defer c.Close()
				b := bufio.NewReader(c)
				for r, err := http.ReadRequest(b); err == nil && b.Buffered() == 0; r, err = http.ReadRequest(b) {
					answer := "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
					if r.URL.Path == "/hello" {
						answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nhello world"
					}
					io.WriteString(c, answer)
				}
			}()
		}
	}()
	to := contracted{Endpoint: wire.TCP(ln.Addr().String()), Differs: []string{scenario.NoDate + ": it has none"}}
	for pipeline, keeps := range map[int]bool{0: false, 1: true, 8: false} {
		s.Pipeline = pipeline
		if _, err := keepsContract(t.Context(), loop.Engine{}, s, to); (err == nil) != keeps {
			t.Errorf("pipeline = %d: %v", pipeline, err)
		}
	}
}
