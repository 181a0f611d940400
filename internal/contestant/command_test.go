package contestant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/wire"
)

// listenVariable makes this program a server: it listens on the named ports, where 0 means PORT, and responds
// with ANSWER. "none" means no port.
const listenVariable = "CONTESTANT_TEST_LISTEN"

func TestMain(m *testing.M) {
	if ports := os.Getenv(listenVariable); ports != "" {
		listenOn(strings.Fields(ports))
	}
	os.Exit(m.Run())
}

func listenOn(ports []string) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, os.Getenv("ANSWER")) })
	for _, p := range ports {
		addr := p
		switch {
		case p == "none":
			continue
		case p == "told":
			addr = os.Getenv("DYNO_ADDR")
		case p == "0":
			addr = "127.0.0.1:" + os.Getenv("PORT")
		case !strings.Contains(p, ":"):
			addr = "127.0.0.1:" + p
		}
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go http.Serve(ln, answer)
	}
	select {}
}

// command returns a contestant that is this program, listening on ports.
func command(t *testing.T, ports, more string) *Built {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("%s='%s' %s %s", listenVariable, ports, more, self)
	return Commanded(&Manifest{Name: "mine", Command: &Command{Line: line, Dir: t.TempDir()}})
}

// launched starts b with a short timeout, and returns the response.
func launched(t *testing.T, b *Built, o LaunchOptions) (i *Instance, answer string, err error) {
	t.Helper()
	dir := t.TempDir()
	o.Dir, o.Log, o.Timeout = filepath.Join(dir, "home"), filepath.Join(dir, "log"), 10*time.Second
	o.Probe = func(ctx context.Context, to wire.Endpoint) error {
		conn, err := to.Dial(ctx, &net.Dialer{})
		if err != nil {
			return err
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		text, err := io.ReadAll(conn)
		_, answer, _ = strings.Cut(string(text), "\r\n\r\n")
		return err
	}
	i, err = Launch(t.Context(), b, o)
	if err == nil {
		t.Cleanup(func() { i.Stop() })
	}
	return i, answer, err
}

func needsLinux(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), "needs Linux") {
		t.Skip(err)
	}
}

// TestAddress: a server listens on an address that other machines reach, or the error says so.
func TestAddress(t *testing.T) {
	const address = "127.0.0.2" // exists on Linux
	port, err := freePort(address)
	if err != nil {
		t.Skip(err)
	}
	for _, ports := range []string{"told", fmt.Sprintf(":%d", port)} {
		i, answer, err := launched(t, command(t, ports, "ANSWER=a"), LaunchOptions{Address: address})
		needsLinux(t, err)
		if err != nil || answer != "a" || !strings.HasPrefix(i.Addr, address+":") {
			t.Fatalf("%q: %v, %q", ports, err, answer)
		}
		if err := i.End(); err != nil {
			t.Error(err)
		}
	}
	if _, _, err = launched(t, command(t, "0", ""), LaunchOptions{Address: address}); err == nil ||
		!strings.Contains(err.Error(), "on 127.0.0.1:") || !strings.Contains(err.Error(), "DYNO_ADDR (127.0.0.2)") {
		t.Errorf("of a server that other machines do not reach: %v", err)
	}
}

// Launch finds a command's port wherever it listens.
func TestCommandPorts(t *testing.T) {
	free := func() string {
		port, err := freePort(loopback)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(port)
	}
	other, third := free(), free()
	for _, c := range []struct {
		ports, more string
		fixed       string
	}{
		{"0", "ANSWER=a", ""},
		{other, "ANSWER=a", other},
		{other + " 0", "ANSWER=a", ""}, // the offered port
		{"[::1]:" + other, "ANSWER=a", other},
		{":" + other, "ANSWER=a", other}, // all addresses
	} {
		i, answer, err := launched(t, command(t, c.ports, c.more), LaunchOptions{})
		needsLinux(t, err)
		if err != nil {
			if strings.Contains(c.ports, "::") && strings.Contains(err.Error(), "cannot assign") {
				continue // no IPv6 here
			}
			t.Errorf("%q: %v", c.ports, err)
			continue
		}
		if got := fmt.Sprint(i.Fixed()); got != c.fixed && !(got == "0" && c.fixed == "") || answer != "a" {
			t.Errorf("%q: it listens at %s, fixed %s, answers %q", c.ports, i.Addr, got, answer)
		}
		if err := i.End(); err != nil {
			t.Error(err)
		}
	}
	_, _, err := launched(t, command(t, other+" "+third, ""), LaunchOptions{})
	if err == nil || !strings.Contains(err.Error(), "it listens on the ports ") ||
		!strings.Contains(err.Error(), other) ||
		!strings.Contains(err.Error(), third) || !strings.Contains(err.Error(), "{port}") {
		t.Errorf("on two ports: %v", err)
	}
}

// {port} is filled in, and the environment is the user's except for PORT and DYNO_ADDR.
func TestCommandLine(t *testing.T) {
	t.Setenv("PORT", "1")
	t.Setenv("MINE", "yours")
	b := command(t, "{port}", `ANSWER="$PORT $DYNO_ADDR $MINE"`)
	i, answer, err := launched(t, b, LaunchOptions{})
	needsLinux(t, err)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(i.Addr)
	if want := port + " 127.0.0.1:" + port + " yours"; answer != want {
		t.Errorf("%q; want %q", answer, want)
	}
}

// A command that does not serve gives a reason.
func TestCommandFails(t *testing.T) {
	for line, want := range map[string]string{
		"exit 3":          "it exited before it was ready: exit status 3",
		"true":            "with status 0, and left no process",
		"sleep 60 &":      "with status 0, and left processes in the background; start a server in the foreground",
		"no-such-program": "the shell did not find the program (exit status 127)",
	} {
		b := Commanded(&Manifest{Name: "mine", Command: &Command{Line: line, Dir: t.TempDir()}})
		_, _, err := launched(t, b, LaunchOptions{})
		needsLinux(t, err)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", line, err, want)
		}
	}
	b, dir := command(t, "none", ""), t.TempDir()
	_, err := Launch(t.Context(), b, LaunchOptions{Dir: dir, Log: filepath.Join(dir, "log"), Timeout: time.Second})
	if err == nil || !strings.Contains(err.Error(), "it was not ready within 1s: it does not listen on any TCP port") {
		t.Errorf("one that never listens: %v", err)
	}
}

// A command that compiles before it serves has more time.
func TestCommandCompiles(t *testing.T) {
	b, dir := command(t, "0", ""), t.TempDir()
	b.Manifest.Command.Line = "end=$(($(date +%s%N) + 2000000000)); while [ $(date +%s%N) -lt $end ]; do :; done; " +
		b.Manifest.Command.Line
	probe := func(context.Context, wire.Endpoint) error { return nil }
	i, err := Launch(t.Context(), b, LaunchOptions{Dir: dir, Log: filepath.Join(dir, "log"),
		Timeout: 1500 * time.Millisecond,
		Probe:   probe})
	needsLinux(t, err)
	if err != nil {
		t.Fatal(err)
	}
	i.Stop()
}

// A command that answers, but wrongly, has no more time, however much CPU it uses.
func TestCommandAnswersWrongly(t *testing.T) {
	b, dir := command(t, "0", ""), t.TempDir()
	b.Manifest.Command.Line = "while :; do :; done & " + b.Manifest.Command.Line
	probe := func(context.Context, wire.Endpoint) error { return errors.New("status 401") }
	_, err := Launch(t.Context(), b, LaunchOptions{Dir: dir, Log: filepath.Join(dir, "log"), Timeout: 2 * time.Second,
		Probe: probe})
	needsLinux(t, err)
	want := "it was not ready within 2s: it listens, but the first request fails: status 401"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// Two commands with the same fixed port run side by side in separate networks.
func TestCommandOwnNetwork(t *testing.T) {
	if err := wire.NamespacesAllowed(); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"one", "two"} {
		i, answer, err := launched(t, command(t, "3000", "ANSWER="+name), LaunchOptions{OwnNetwork: true})
		if err != nil {
			t.Fatal(err)
		}
		if answer != name || i.Addr != "127.0.0.1:3000" || i.Fixed() != 3000 {
			t.Errorf("%s: %q at %s", name, answer, i.Addr)
		}
	}
}

// The offered port is accepted at once, another one only when no further port has appeared for a while.
func TestPortSearch(t *testing.T) {
	at := func(ports ...uint16) (list []netip.AddrPort) {
		for _, p := range ports {
			list = append(list, netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), p))
		}
		return list
	}
	began := time.Now()
	s := &portSearch{offered: 80}
	for _, c := range []struct {
		after time.Duration
		ports []netip.AddrPort
		found uint16
	}{{0, nil, 0}, {0, at(9), 0}, {settled - 1, at(9), 0}, {settled, at(9, 8), 0}, {2*settled - 1, at(8), 0},
		{3 * settled, at(8), 8}} {
		if err := s.look(c.ports, began.Add(c.after)); err != nil || s.at.Port() != c.found {
			t.Errorf("after %v: %v, %v; want %d", c.after, s.at, err, c.found)
		}
	}
	s = &portSearch{offered: 80}
	if err := s.look(at(9, 80, 8), began); err != nil || s.at.Port() != 80 {
		t.Errorf("%v, %v", s.at, err)
	}
}

// Of several ports a command may name one.
func TestNamedPort(t *testing.T) {
	at := func(port uint16) netip.AddrPort { return netip.AddrPortFrom(netip.IPv6Unspecified(), port) }
	for line, want := range map[string]uint16{"uwsgi --http :9090 -w 4": 9090, "serve 90": 0, "serve 9090 9091": 0} {
		s := portSearch{offered: 80, line: line}
		s.look([]netip.AddrPort{at(9090), at(9091)}, time.Now())
		err := s.look([]netip.AddrPort{at(9090), at(9091)}, time.Now().Add(settled))
		if s.at.Port() != want || (err == nil) != (want != 0) {
			t.Errorf("%s: %v, %v", line, s.at, err)
		}
	}
}

func TestCommandWords(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.js", "data.db", "server", "b c.js"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]struct{ program, language, files string }{
		"node --inspect a.js data.db":        {"node", "javascript", "a.js"},
		"./server --db data.db":              {"server", "", "server"},
		"PORT={port} exec java -jar x.jar":   {"java", "java", ""},
		"nice -n 5 node a.js 2>&1 | tee log": {"node", "javascript", "a.js"},
		"sh -c 'exec node \"a.js\"'":         {"node", "javascript", "a.js"},
		"node 'b c.js'":                      {"node", "javascript", "b c.js"},
		// a.js in the other folder does not exist
		"cd sub && node a.js":                               {"node", "javascript", ""},
		"cd ..; cd " + filepath.Base(dir) + " && node a.js": {"node", "javascript", "a.js"},
		"cd sub && 'python3' -m uvicorn a:app":              {"python3", "", ""},
		"npm start":                                         {"npm", "javascript", ""},
		"":                                                  {"", "", ""},
	} {
		c := Command{Line: line, Dir: dir}
		var files []string
		for _, f := range c.files() {
			files = append(files, filepath.Base(f))
		}
		if c.Program() != want.program || c.Language() != want.language || strings.Join(files, " ") != want.files {
			t.Errorf("%s: %q, %q, %q", line, c.Program(), c.Language(), files)
		}
		if m := (&Manifest{Language: c.Language()}); m.Managed() != slices.Contains([]string{"node", "npm", "java"},
			c.Program()) {
			t.Errorf("%s: managed %v", line, m.Managed())
		}
	}
	hash := func(line string) string {
		b := Commanded(&Manifest{Command: &Command{Line: line, Dir: dir}})
		if _, _, err := b.Identify(); err != nil {
			t.Error(err)
		}
		return b.Hash
	}
	os.WriteFile(filepath.Join(dir, "b.js"), nil, 0o644)
	os.WriteFile(filepath.Join(dir, "c.js"), []byte("1"), 0o644)
	if a, b, c := hash("sh a.js"), hash("sh b.js"), hash("sh c.js"); a != b || a == c || a == hash("sh a.js x") {
		t.Error("equal files of unequal names are one server, unequal files or words are not")
	}
}
