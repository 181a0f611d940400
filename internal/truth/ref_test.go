package truth

import (
	"context"
	"net"
	"os"
	"testing"

	"dyno/internal/scenario"
)

func TestReferenceKeepsEveryShippedContract(t *testing.T) {
	project := os.DirFS("../..")
	names, err := scenario.Names(project)
	if err != nil || len(names) == 0 {
		t.Fatalf("scenarios %v, %v", names, err)
	}
	for _, name := range names {
		s, err := scenario.Read(project, name)
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
	for name, want := range map[string]bool{"values": true, "values-rest": false} {
		s, err := scenario.Read(project, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := CanNull(s); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
