package refserver

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

func TestReferenceAnswersDrawnPaths(t *testing.T) {
	any := func(path string, e scenario.Expect) *scenario.Scenario {
		return &scenario.Scenario{Name: "any", Requests: []scenario.Request{{Name: "one", Method: "GET", Path: path,
			Weight: 1, Expect: e,
			With: map[string]scenario.Input{"who": {Pick: []string{"ann", "bob"}}}}}}
	}
	hello := "hello {who}"
	teapots, err := scenario.ParseStatuses("418,5xx")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*scenario.Scenario{
		any("/{who}/{int:1..9}/{uuid}", scenario.Expect{Status: 200, Body: &hello}),
		any("/{seq}/x?{who}", scenario.Expect{Statuses: teapots}),
	} {
		if err := Can(s); err != nil {
			t.Fatal(err)
		}
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ref := Reference{Scenario: s}
		go ref.Serve(ctx, ln)
		if _, err := scenario.Verify(ctx, s, wire.TCP(ln.Addr().String()), nil, 0); err != nil {
			t.Error(err)
		}
		stop()
	}
	if Can(any("/id-{int:1..9}{who}", scenario.Expect{Status: 200})) == nil {
		t.Error("ref promises what it cannot do")
	}
	for _, e := range []scenario.Expect{{Statuses: teapots}, {Status: 200, Body: &hello}} {
		if _, _, err := NullOf(any("/{who}", e)); err == nil {
			t.Errorf("null promises what its contract leaves open: %+v", e)
		}
	}
}

func TestReferenceKeepsEveryShippedContract(t *testing.T) {
	project := os.DirFS("../..")
	names, err := scenario.Names(project)
	if err != nil || len(names) == 0 {
		t.Fatalf("scenarios %v, %v", names, err)
	}
	for _, name := range names {
		s, err := scenario.Read(project, name)
		if err == nil {
			s, err = s.Bind(func(string) ([]byte, error) { return []byte(`[{"Id":"a"}]`), nil })
		}
		if err != nil {
			t.Fatal(err)
		}
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		ref := Reference{Scenario: s, Turns: 10}
		go func() { done <- ref.Serve(ctx, ln) }()
		if _, err := scenario.Verify(ctx, s, wire.TCP(ln.Addr().String()), nil, 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		stop()
		if err := <-done; err != nil {
			t.Errorf("%s: stop: %v", name, err)
		}
	}
}

// answers is the number of responses that the null server needs, by shipped scenario; -1: not possible.
var answers = map[string]int{
	"values": 1, "values-rest": 3, "hello": 1, "templates": 3, "sessions": 2, "sessions-jar": 2,
	"json-relay-noprocess": -1, "routes-one": 1, "routes-github": -1,
}

func TestNullOfShippedScenarios(t *testing.T) {
	for name, want := range answers {
		n, _, err := NullOf(shipped(t, name))
		if got := -1; err == nil {
			if got = max(1, len(n.Answers)); got != want {
				t.Errorf("%s: %d answers, want %d", name, got, want)
			}
		} else if want >= 0 {
			t.Error(err)
		}
	}
	_, also, err := NullOf(shipped(t, "sessions"), shipped(t, "json-relay-noprocess"), shipped(t, "sessions-jar"),
		shipped(t, "templates"))
	if want := []string{"sessions-jar", "templates"}; err != nil || !slices.Equal(also, want) {
		t.Errorf("besides sessions %v, %v; want %v", also, err, want)
	}
}

func shipped(t *testing.T, name string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Read(os.DirFS("../.."), name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The added cost is timed where it is spent, with the same number of clock readings in all.
func TestAdded(t *testing.T) {
	body := "value"
	s := &scenario.Scenario{Name: "any", Requests: []scenario.Request{{Name: "one", Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Body: &body}}}}
	var at [2]Added
	for i, turns := range []int{0, 20_000} {
		ref := Reference{Scenario: s, Turns: turns}
		if ref.Added() != (Added{}) {
			t.Error("it added something before the first request")
		}
		h := ref.Handler()
		for range 4 * sampleEvery {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		}
		at[i] = ref.Added()
	}
	if at[0].Sampled != 4 || at[1].Sampled != 4 || at[1].P50NS <= at[0].P50NS {
		t.Errorf("%+v", at)
	}
}

// A reference measures a request's cost with its own clock and count.
func TestOwnCost(t *testing.T) {
	body := "value"
	s := &scenario.Scenario{Name: "any", Requests: []scenario.Request{{Name: "one", Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Body: &body}}}}
	ref := Reference{Scenario: s, Turns: 2_000}
	h := ref.Handler()
	for n := range 3*ownEvery + 1 {
		if n == ownEvery+1 && ref.Added().OwnNS != 0 {
			t.Error("one reading says nothing")
		}
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	a := ref.Added()
	switch {
	case cpuTime() == 0:
		t.Skip("the CPU clock of a process is not read here")
	case a.OwnNS < float64(a.P50NS)/2: // P50NS is a part of OwnNS
		t.Errorf("%+v", a)
	}
}
