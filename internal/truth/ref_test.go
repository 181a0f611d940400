package truth

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"testing"

	"dyno/internal/scenario"
)

func TestReferenceAnswersDrawnPaths(t *testing.T) {
	any := func(path string, e scenario.Expect) *scenario.Scenario {
		return &scenario.Scenario{Name: "any", Requests: []scenario.Request{{Name: "one", Method: "GET", Path: path, Weight: 1, Expect: e,
			With: map[string]scenario.Input{"who": {Pick: []string{"ann", "bob"}}}}}}
	}
	hello, three := "hello {who}", int64(3)
	teapots, err := scenario.ParseStatuses("418,5xx")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*scenario.Scenario{
		any("/{who}/{int:1..9}/{uuid}", scenario.Expect{Status: 200, Body: &hello}),
		any("/{seq}/x?{who}", scenario.Expect{Statuses: teapots, Length: &three}),
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
		if _, err := scenario.Verify(ctx, s, "tcp", ln.Addr().String(), nil, 0); err != nil {
			t.Error(err)
		}
		stop()
	}
	if Can(any("/id-{int:1..9}{who}", scenario.Expect{Status: 200})) == nil || Can(any("/{who}", scenario.Expect{Status: 200, SHA256: "00"})) == nil {
		t.Error("ref promises what it cannot do")
	}
	if CanNull(any("/{who}", scenario.Expect{Statuses: teapots})) || CanNull(any("/{who}", scenario.Expect{Status: 200, Length: &three})) {
		t.Error("null promises what its contract leaves open")
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
		if _, err := scenario.Verify(ctx, s, "tcp", ln.Addr().String(), nil, 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		stop()
		if err := <-done; err != nil {
			t.Errorf("%s: stop: %v", name, err)
		}
	}
}

func TestCanNull(t *testing.T) {
	project := os.DirFS("../..")
	for name, want := range map[string]bool{"values": true, "values-rest": false, "hello": true, "templates": false, "sessions": false, "sessions-jar": false, "json-relay-noprocess": false} {
		s, err := scenario.Read(project, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := CanNull(s); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What is added is timed where it is spent, by the same looks at the clock in all.
func TestAdded(t *testing.T) {
	body := "value"
	s := &scenario.Scenario{Name: "any", Requests: []scenario.Request{{Name: "one", Method: "GET", Path: "/", Weight: 1, Expect: scenario.Expect{Status: 200, Body: &body}}}}
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
