package bench

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/machine"
)

// A server that goes into the background gets that message; nobody killed it.
func TestDaemonIsToldToStay(t *testing.T) {
	home := t.TempDir()
	p, err := machine.Start(machine.Command{Argv: []string{"sh", "-c", "sleep 60 & exit 0"},
		Env: machine.Environment(home, home, 0, nil), Log: filepath.Join(home, "log")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(0)
	select {
	case <-p.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the shell did not end")
	}
	s := &localServer{Instance: &contestant.Instance{Process: p}}
	if err := exited(s); err == nil || !strings.Contains(err.Error(), "exit status 0, and left 1 of its processes "+
		"behind; "+
		"start a server in the foreground") {
		t.Error(err)
	}
}
