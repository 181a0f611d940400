package main

import (
	"bufio"
	"crypto/tls"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"dyno/internal/machine"
)

// mainAnswering is a server that already runs: it prints the addresses that it listens on, one per
// line, and gives the same answer to everything until it is killed.
func mainAnswering() {
	status, media := flag.Int("status", 200, ""), flag.String("type", "application/json", "")
	body, ports := flag.String("body", `{"users":[{"id":1},{"id":2}]}`, ""), flag.Int("ports", 1, "")
	secure := flag.Bool("tls", false, "")
	flag.Parse()
	done := make(chan error)
	for range *ports {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Println(ln.Addr())
		if *secure {
			s := httptest.NewTLSServer(nil) // for its certificate
			ln = tls.NewListener(ln, &tls.Config{Certificates: s.TLS.Certificates})
			s.Close()
		}
		go func() {
			done <- http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", *media)
				w.WriteHeader(*status)
				fmt.Fprint(w, *body)
			}))
		}()
	}
	panic(<-done)
}

// TestCompareServers runs testdata/compare: dyno compare against servers in their own processes.
// Loads are made up if the command is dyno-made.
func TestCompareServers(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/compare",
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv(machine.RuntimeVariable, filepath.Join(env.WorkDir, "runtime"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			for _, s := range []struct {
				vars string
				args []string
			}{
				{"ONE TWO", []string{"-ports", "2"}},
				{"SAME", nil},
				{"SECURE", []string{"-tls"}},
				{"TEAPOT", []string{"-status", "418"}},
				{"HTML", []string{"-type", "text/html"}},
				{"SPACED", []string{"-body", `{"users": [{"id": 1}, {"id": 2}]}`}},
				{"THREE", []string{"-body", `{"users":[{"id":1},{"id":3}]}`}},
			} {
				if err := answering(env, strings.Fields(s.vars), s.args); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// answering starts a server and puts the addresses that it listens on into variables.
func answering(env *testscript.Env, vars, args []string) error {
	cmd := exec.Command("answering", args...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	env.Defer(func() { cmd.Process.Signal(os.Kill); cmd.Wait() })
	lines := bufio.NewScanner(out)
	for _, name := range vars {
		if !lines.Scan() {
			return fmt.Errorf("answering %q did not say where", args)
		}
		env.Setenv(name, lines.Text())
	}
	return nil
}
