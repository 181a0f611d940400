package truth

import (
	"context"
	"net"
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
