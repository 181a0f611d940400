package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// lines collects log lines.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, text)
}

// clear forgets all lines.
func (l *lines) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = nil
}

// with returns the lines that contain text.
func (l *lines) with(text string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// once waits until l has a line with text, and a moment for a second one. There must be exactly one.
func (l *lines) once(t *testing.T, text string) {
	t.Helper()
	for range 6000 { // a minute
		if len(l.with(text)) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	if n := len(l.with(text)); n != 1 {
		t.Errorf("%d lines with %q; want one\n%s", n, text, strings.Join(l.with(""), "\n"))
	}
}

// written writes a fleet file for machines with these names, with a free port, and reads it. They are
// generators, except srv, a server.
func written(t *testing.T, names ...string) *Fleet {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("controller = %q\n", ln.Addr())
	ln.Close()
	roles := map[string]Role{"srv": Server}
	for _, n := range names {
		text += fmt.Sprintf("[[%s]]\nname = %q\n", cmp.Or(roles[n], Generator), n)
	}
	name := filepath.Join(t.TempDir(), "fleet.toml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// bench is a controller and its agents, in this process.
type rig struct {
	*Hub
	fleet         *Fleet
	keys          *Keys
	log, agentLog lines
	version       string
	agents        map[string]*Agent
}

func newBench(t *testing.T, names ...string) *rig {
	t.Helper()
	f := written(t, names...)
	k, made, err := f.Keys()
	if err != nil || !made {
		t.Fatal(made, err)
	}
	b := &rig{fleet: f, keys: k, version: "9.9.9", agents: map[string]*Agent{}}
	b.open(t)
	for _, n := range names {
		b.start(t, n)
	}
	return b
}

// A NATS server that cannot start is an error.
func TestNoServer(t *testing.T) {
	f := written(t, "gen1")
	k, _, err := f.Keys()
	if err != nil {
		t.Fatal(err)
	}
	k.Private = nil
	if _, err := Open(f, k, "9.9.9", func(string) {}); err == nil || !strings.Contains(err.Error(), "read the "+
		"fleet's key") {
		t.Error(err)
	}
}

// start starts a machine's agent, with its file and role.
func (b *rig) start(t *testing.T, name string) (stop func() error) {
	t.Helper()
	bundle, err := ReadBundle(b.fleet.BundleFile(name))
	if err != nil {
		t.Fatal(err)
	}
	b.agents[name] = &Agent{Bundle: bundle, Version: b.version, Log: b.agentLog.add, Role: b.fleet.Role(name)}
	return b.run(t, b.agents[name])
}

func (b *rig) open(t *testing.T) {
	t.Helper()
	var err error
	if b.Hub, err = Open(b.fleet, b.keys, b.version, b.log.add); err != nil {
		t.Fatal(err)
	}
	hub := b.Hub
	t.Cleanup(hub.Close)
}

// run runs an agent until the test ends, or stop is called.
func (b *rig) run(t *testing.T, a *Agent) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	var err error
	done := make(chan struct{})
	go func() { err = a.Run(ctx); close(done) }()
	stop = func() error { cancel(); <-done; return err }
	t.Cleanup(func() { stop() })
	return stop
}

// order returns a valid order to an agent that has been greeted.
func (b *rig) order(agent, kind string, body any) Order {
	return Order{protocol + b.version, kind, b.Hello(agent).Session, encoded(body)}
}

// send sends an order unchanged.
func (b *rig) send(t *testing.T, agent string, o any) Answer {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer, err := b.wire.ask(ctx, agent, data)
	if err != nil {
		t.Fatal(err)
	}
	var a Answer
	if err := strict(answer, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// refused reports whether an order was refused with this text.
func (a *Answer) refused(text string) bool {
	return a.Fault != nil && a.Fault.Refused && strings.Contains(a.Fault.Text, text) && a.Body == nil
}

// TestClocks: the controller knows by how much an agent's clock differs.
func TestClocks(t *testing.T) {
	b := newBench(t, "gen1", "gen2")
	b.agents["gen2"].skew = 5e9 // a different clock
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	var at [2]int64
	for i, name := range b.Names() {
		o, err := b.offset(t.Context(), name)
		if err != nil || o.boundNS > 1e9 {
			t.Fatalf("%s: %v, %+v", name, err, o)
		}
		at[i], _ = o.at(b.now())
	}
	// Both agents and the hub began within the test, so their clocks differ by seconds, and by the skew.
	if d := at[1] - at[0]; d < 4e9 || d > 6e9 {
		t.Errorf("the clocks of the agents differ by %d ns; want 5 s", d)
	}
}

// TestRefusedOrders: an order from another session or version, or of an unknown kind, is not carried out, and
// logged in one line.
func TestRefusedOrders(t *testing.T) {
	b := newBench(t, "gen1")
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	first := b.send(t, "gen1", b.order("gen1", string(clock), Done{}))
	if first.Fault != nil || first.Body == nil {
		t.Fatalf("a valid order: %+v", first)
	}
	versioned := b.order("gen1", string(clock), Done{})
	versioned.Version = protocol + "9.9.8"
	foreign := b.order("gen1", string(clock), Done{})
	foreign.Session = token()
	unknown := b.order("gen1", "shell", "rm -rf /")
	excess := b.order("gen1", string(clock), map[string]any{"from": "a", "command": "rm"})
	for _, c := range []struct {
		order any
		want  string
	}{
		{versioned, `version "2/9.9.8", this agent "2/9.9.9"`},
		{foreign, "another session"},
		{unknown, `unknown kind of order "shell"`},
		{excess, `unknown field "command"`},
		{map[string]any{"kind": string(clock), "shell": "rm"}, `unknown field "shell"`},
	} {
		if a := b.send(t, "gen1", c.order); !a.refused(c.want) {
			t.Errorf("answer %+v; want a refusal with %q", a, c.want)
		}
		b.agentLog.once(t, c.want)
	}
	if a := b.send(t, "gen1", b.order("gen1", string(clock), Done{})); a.Fault != nil || a.Body == nil {
		t.Errorf("a valid order after those: %+v", a)
	}
}

// TestStrangers: a client without the fleet's TLS, without a key, or with another key gets nowhere, and is
// logged in one line.
func TestStrangers(t *testing.T) {
	b := newBench(t, "gen1")
	stranger := *b.agents["gen1"].Bundle
	stranger.Secret = token()
	b.agentLog.clear()
	err := (&Agent{Bundle: &stranger, Version: b.version, Log: b.agentLog.add}).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "does not know the key of gen1") {
		t.Errorf("an agent with another key: %v", err)
	}
	b.log.once(t, "authentication error")

	b.log.clear()
	if nc, err := nats.Connect("tls://"+b.fleet.Controller, nats.TLSHandshakeFirst(), nats.NoReconnect(),
		nats.Secure(stranger.client())); err == nil {
		nc.Close()
		t.Error("a client without a key was let in")
	}
	b.log.once(t, "authentication error")

	b.log.clear()
	plain, err := net.Dial("tcp", b.fleet.Controller)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(plain, "CONNECT {}\r\nPING\r\n")
	plain.SetReadDeadline(time.Now().Add(time.Minute))
	answer := make([]byte, 100)
	if n, _ := plain.Read(answer); strings.Contains(string(answer[:n]), "INFO") {
		t.Errorf("a client without TLS was told %q", answer[:n])
	}
	plain.Close()
	b.log.once(t, "TLS handshake error")
}

// TestAnotherAgentsSubjects: an agent can neither give orders nor read or send another agent's messages.
func TestAnotherAgentsSubjects(t *testing.T) {
	b := newBench(t, "gen1", "gen2")
	own := b.agents["gen1"].Bundle
	nc, err := connect("tls://"+own.Controller, own.Name, own.Secret, nats.TLSHandshakeFirst(), nats.Secure(own.client()),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, subject := range []string{orders + "gen2", inboxes + "controller.x"} {
		if err := nc.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		nc.Flush()
		b.log.once(t, fmt.Sprintf("Publish Violation - Subject %q", subject))
	}
	for _, subject := range []string{orders + "gen2", "_INBOX.controller.>", ">"} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		nc.Flush()
		b.log.once(t, fmt.Sprintf("Subscription Violation - Subject %q", subject))
	}
	if got := b.agentLog.with("refused"); len(got) > 0 {
		t.Errorf("orders of an agent came through: %v", got)
	}
}

// TestOneAnswer: an agent answers an order once, and nothing else.
func TestOneAnswer(t *testing.T) {
	b := newBench(t, "gen2")
	b.fleet.Generators = append(b.fleet.Generators, Machine{Name: "gen1"})
	b.Close()
	var err error
	if b.keys, _, err = b.fleet.Keys(); err != nil {
		t.Fatal(err)
	}
	b.open(t)
	bundle, err := ReadBundle(b.fleet.BundleFile("gen1"))
	if err != nil {
		t.Fatal(err)
	}
	b.agents["gen1"] = &Agent{Bundle: bundle}
	nc := b.client(t, "gen1")
	if _, err := nc.Subscribe(orders+"gen1", func(m *nats.Msg) {
		m.Respond([]byte("one"))
		m.Respond([]byte("two"))
	}); err != nil {
		t.Fatal(err)
	}
	nc.Flush()
	if a, err := b.wire.ask(t.Context(), "gen1", []byte("{}")); err != nil || string(a) != "one" {
		t.Errorf("%q, %v", a, err)
	}
	b.log.once(t, "Publish Violation")
}

// TestAnotherController: an agent does not talk to a server with another certificate, and finds its
// controller again when it is back, with a new session.
func TestAnotherController(t *testing.T) {
	b := newBench(t, "gen1")
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	session := b.Hello("gen1").Session
	old := b.order("gen1", string(clock), Done{})
	b.Close()
	b.agentLog.once(t, "the controller is gone")

	keys := b.keys
	other, err := newKeys(b.fleet.Controller)
	if err != nil {
		t.Fatal(err)
	}
	other.Agents = keys.Agents
	b.keys = other
	b.open(t)
	b.agentLog.once(t, errCertificate.Error())
	b.Close()

	b.keys = keys
	b.open(t)
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	if b.Hello("gen1").Session == session {
		t.Error("a second connection has the session of the first")
	}
	if a := b.send(t, "gen1", old); !a.refused("another session") {
		t.Errorf("an order of the session before: %+v", a)
	}
}

// expiring is a context without a deadline that expires when over is closed.
type expiring struct {
	context.Context
	over chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.over }

func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestTwins: of two agents with one file, as on a copied virtual machine, one carries out an order, and the
// refusal of the other says what to do.
func TestTwins(t *testing.T) {
	b := newBench(t, "gen1")
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	b.agentLog.clear()
	b.run(t, &Agent{Bundle: b.agents["gen1"].Bundle, Version: b.version, Log: b.agentLog.add})
	b.agentLog.once(t, "connected to the controller")
	a := b.send(t, "gen1", b.order("gen1", string(clock), Done{}))
	if a.Fault != nil && !a.refused("does another agent run with the same file") {
		t.Errorf("%+v", a)
	}
	b.agentLog.once(t, "refused an order: "+errSession.Error())
}

func TestAbsentAgent(t *testing.T) {
	b := newBench(t, "gen1")
	b.fleet.Generators = append(b.fleet.Generators, Machine{Name: "gen2"})
	ctx := expiring{t.Context(), make(chan struct{})}
	go func() {
		for b.Hello("gen1").Session == "" && t.Context().Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		close(ctx.over)
	}()
	if err := b.Gather(ctx, b.Names()); err == nil || !strings.Contains(err.Error(), "gen2 is not there") ||
		strings.Contains(err.Error(), "gen1") {
		t.Errorf("%v", err)
	}
	if _, err := Open(b.fleet, b.keys, b.version, b.log.add); err == nil ||
		!strings.Contains(err.Error(), "does another dyno use this fleet?") {
		t.Errorf("a second controller: %v", err)
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "no controller",
		"controller = \"10.0.0.1\"\n": `fleet.toml:1:1: "10.0.0.1": want host:port`,
		"controller = \"a:1\"\n":      "no machines",
		"controller = \"a:1\"\n[[generator]]\nname = \"Gen " +
			"1\"\n": "fleet.toml:3:1: ",
		"controller = \"a:1\"\n[[generator]]\nname = \"a\"\n[[generator]]\nname = " +
			"\"a\"\n": "fleet.toml:5:1: ",
		"controller = \"a:1\"\n[[server]]\nname = \"a\"\n[[generator]]\nname = " +
			"\"a\"\n": "fleet.toml:5:1: ",
		"controller = \"a:1\"\n[[generator]]\nname = " +
			"\"controller\"\n": "already taken",
		"controller = \"a:1\"\n[[generator]]\nname = \"a\"\nssh = " +
			"\"-oProxyCommand=rm\"\n": "fleet.toml:4:1: ",
		"controller = \"a:1\"\n[[generator]]\nname = \"a\"\nshh = " +
			"\"b\"\n": "did you mean",
	} {
		name := filepath.Join(t.TempDir(), "fleet.toml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// TestKeysStay: keys are made once; a new machine gets one, a removed machine keeps its key but cannot
// connect, and no key is readable by others.
func TestKeysStay(t *testing.T) {
	f := written(t, "a", "b")
	first, _, err := f.Keys()
	if err != nil {
		t.Fatal(err)
	}
	f.Generators = []Machine{{Name: "b"}, {Name: "c"}}
	second, made, err := f.Keys()
	if err != nil || !made {
		t.Fatal(made, err)
	}
	if first.Agents["b"] != second.Agents["b"] || len(second.Agents["c"]) == 0 ||
		string(first.Certificate) != string(second.Certificate) {
		t.Error("the keys changed")
	}
	if _, made, err = f.Keys(); made || err != nil {
		t.Error(made, err)
	}
	files, err := os.ReadDir(f.Folder())
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if info, err := file.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file.Name(), info.Mode(), err)
		}
	}
	for _, u := range second.users(f) {
		if u.Username == "a" {
			t.Error("a machine that is out of the file may connect")
		}
	}
	if n := len(second.users(f)); n != 3 {
		t.Errorf("%d users; want the controller and two agents", n)
	}
	f.Generators = []Machine{{Name: "a"}, {Name: "b"}}
	third, _, err := f.Keys()
	if err != nil || third.Agents["a"] != first.Agents["a"] {
		t.Error("a machine that came back has another key", err)
	}
	if _, err := ReadBundle(f.BundleFile("a")); err != nil {
		t.Error(err)
	}
}

// TestAnotherBuild: an agent that runs another build for the same system is refused; on another system the
// file always differs.
func TestAnotherBuild(t *testing.T) {
	own, err := program()
	if err != nil {
		t.Fatal(err)
	}
	h, other := &Hub{fleet: &Fleet{}}, digest([]byte("another")) // no machine has a role
	if err := h.admits("gen1", &Hello{Program: own}); err != nil {
		t.Error(err)
	}
	if err := h.admits("gen1", &Hello{Program: Program{own.System, other}}); err == nil ||
		!strings.Contains(err.Error(), "gen1 runs another build of dyno") {
		t.Error(err)
	}
	if err := h.admits("gen1", &Hello{Program: Program{"plan9/386", other}}); err != nil {
		t.Error(err)
	}
}

// TestLargeAnswers: no answer is lost if many arrive at once.
func TestLargeAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("sends 180 MB")
	}
	const each = 15 << 20
	handle("large", every, true, func(*session, *Done) (string, error) { return strings.Repeat("x", each), nil })
	handle("too large", every, false, func(*session, *Done) (string, error) { return strings.Repeat("x", 2*each), nil })
	defer delete(handlers, "large")
	defer delete(handlers, "too large")
	b := gathered(t, "gen1")
	var dropped lines
	b.wire.(*center).conn.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { dropped.add(err.Error()) })
	n := 12 // together more than a NATS client buffers
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			a, err := ask(t.Context(), b.Hub, "gen1", kind[Done, string]("large"), Done{}, time.Hour)
			if errs[i] = err; err == nil && len(a) != each {
				errs[i] = fmt.Errorf("%d bytes", len(a))
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if all := dropped.with(""); len(all) > 0 {
		t.Errorf("the controller dropped some: %v", all)
	}
	if _, err := ask(t.Context(), b.Hub, "gen1", kind[Done, string]("too large"), Done{}, time.Minute); err == nil ||
		!strings.Contains(err.Error(), "the result takes 30 MB") {
		t.Error(err)
	}
}
