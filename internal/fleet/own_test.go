package fleet

import (
	"context"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"dyno/internal/loader"
	"dyno/internal/record"
)

// ownNATS runs a NATS server with a configuration until the test ends, or stop is called.
func ownNATS(t *testing.T, text string, log func(string)) (stop func()) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(name)
	if err != nil {
		t.Fatal(err)
	}
	o.NoSigs, o.NoLog = true, false
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.SetLoggerV2(&journal{line: log}, true, false, false)
	go s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server did not start")
	}
	stop = func() { s.Shutdown(); s.WaitForShutdown() }
	t.Cleanup(stop)
	return stop
}

// elsewhere returns a fleet at a user's own NATS, and that server's configuration. b is not open yet.
func elsewhere(t *testing.T, names ...string) (b *rig, text string) {
	t.Helper()
	f := written(t, names...)
	_, port, _ := net.SplitHostPort(f.Controller)
	machines, err := os.ReadFile(f.path)
	if err == nil {
		err = os.WriteFile(f.path, append([]byte("nats = \"tls://127.0.0.1:"+port+"\"\n"), machines...), 0o600)
	}
	if err == nil {
		f, err = Read(f.path)
	}
	if err != nil {
		t.Fatal(err)
	}
	k, _, err := f.Keys()
	if err != nil {
		t.Fatal(err)
	}
	file, err := f.WriteConfiguration(k)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{fleet: f, keys: k, version: "9.9.9", agents: map[string]*Agent{}}, string(data)
}

// atOwnNATS returns a controller and agents at a user's own NATS, and functions that stop these agents.
func atOwnNATS(t *testing.T, names ...string) (b *rig, stop map[string]func() error) {
	t.Helper()
	b, text := elsewhere(t, names...)
	ownNATS(t, text, b.log.add)
	stop = map[string]func() error{}
	for _, n := range names {
		stop[n] = b.start(t, n)
	}
	b.open(t)
	if err := b.Gather(t.Context(), b.All()); err != nil {
		t.Fatal(err)
	}
	return b, stop
}

// TestOwnNATS: with dyno's configuration, a user's own NATS can replace the controller's.
func TestOwnNATS(t *testing.T) {
	b, _ := atOwnNATS(t, "gen1", "gen2", "srv")
	url, n := counting(t)
	s := b.punctual(t, loader.Request{URL: url, Requests: 500, Connections: 5}, func() { n.Store(0) })
	if s.Load.Succeeded != 500 || n.Load() != 500 {
		t.Errorf("%d succeeded, the server saw %d; want 500", s.Load.Succeeded, n.Load())
	}
	digest, err := b.Put(t.Context(), sources, "srv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.fetch(t, "srv", digest); err != nil {
		t.Error(err)
	}
	if states, err := b.Check(t.Context()); err != nil || len(states) != 3 {
		t.Errorf("%+v, %v", states, err)
	}
	nc := b.client(t, "gen1")
	for _, subject := range []string{orders + "gen2", "$JS.API.STREAM.DELETE.OBJ_tree-srv", present, left,
		"$JS.API.STREAM.INFO.OBJ_tree-srv", "$SYS.REQ.SERVER.PING"} {
		if err := nc.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		nc.Flush()
		b.log.once(t, fmt.Sprintf("Publish Violation - Subject %q", subject))
	}
	stranger := *b.agents["gen1"].Bundle
	if anonymous, err := nats.Connect("tls://"+stranger.Controller, nats.TLSHandshakeFirst(), nats.NoReconnect(),
		nats.Secure(stranger.client())); err == nil {
		anonymous.Close()
		t.Error("a client without a key was let in")
	}
	b.log.once(t, "authentication error")
	stranger.Seed = seed()
	if err := (&Agent{Bundle: &stranger, Version: b.version, Log: b.agentLog.add}).Run(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "does not know the key of gen1") {
		t.Errorf("an agent with another key: %v", err)
	}
	if _, err := Open(b.fleet, b.keys, b.version, b.log.add); err == nil ||
		!strings.Contains(err.Error(), "another dyno uses this fleet") {
		t.Errorf("a second controller: %v", err)
	}
	b.Close()
	b.open(t) // the next command
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.fetch(t, "srv", digest); err == nil { // not greeted by this controller
		t.Error("an agent carries out an order of a controller that did not greet it")
	}
}

// TestOwnNATSLostController: agents without their controller stop although their NATS is there; the next
// controller finds them, and leftovers of the first do not disturb it.
func TestOwnNATSLostController(t *testing.T) {
	b, _ := atOwnNATS(t, "gen1", "gen2")
	url, n := counting(t)
	ended := b.loading(t, t.Context(), url, n)
	b.wire.(*center).conn.Close() // as if it was killed: its streams stay
	silent(t, n)
	if err := <-ended; err == nil {
		t.Error("a load without its controller has a summary")
	}
	b.open(t)
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	if s := b.punctual(t, loader.Request{URL: url, Requests: 100, Connections: 2}, func() {}); s.Load.Succeeded != 100 {
		t.Errorf("%+v", s.Load)
	}
}

// TestOwnNATSLostGenerator: an agent that is lost during a load ends the load at once; other clients that
// come and go do not.
func TestOwnNATSLostGenerator(t *testing.T) {
	b, stop := atOwnNATS(t, "gen1", "gen2")
	url, n := counting(t)
	ended := b.loading(t, t.Context(), url, n)
	if h, err := Open(b.fleet, b.keys, b.version, b.log.add); err == nil { // leaves at once
		h.Close()
		t.Error("there are two controllers")
	}
	before := n.Load()
	for range 6000 {
		if n.Load() > before+20 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	select {
	case err := <-ended:
		t.Fatalf("the load ended when another client left: %v", err)
	default:
	}
	stop["gen2"]()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "gen2 was lost") {
		t.Errorf("%v", err)
	}
	silent(t, n)
}

// TestOwnNATSEnds: if the NATS itself ends, no machine is blamed, and nothing waits for machines.
func TestOwnNATSEnds(t *testing.T) {
	names := []string{"gen1", "gen2"}
	b, text := elsewhere(t, names...)
	stop := ownNATS(t, text, b.log.add)
	for _, n := range names {
		b.start(t, n)
	}
	b.open(t)
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	h := &Host{hub: b.Hub, generators: names, machines: names, work: t.Context(), gone: map[string]bool{}, place: map[string]Place{},
		generating: map[string]record.Host{}}
	if err := h.take(t.Context(), names); err != nil {
		t.Fatal(err)
	}
	url, n := counting(t)
	ended := b.loading(t, t.Context(), url, n)
	stop()
	gone := "the connection to the NATS at " + b.fleet.reached() + " ended"
	if err := <-ended; err == nil || !strings.HasPrefix(err.Error(), gone) {
		t.Errorf("a load: %v", err)
	}
	if _, err := h.Generator().CPU(); err == nil {
		t.Error("an order is answered without a NATS")
	}
	if l := h.Lost(); l == nil || !strings.Contains(l.Reason, gone) {
		t.Errorf("%+v", l)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := h.Rejoin(ctx); ctx.Err() != nil || err == nil || !strings.Contains(err.Error(), gone) {
		t.Errorf("machines are waited for: %v", err)
	}
}

// TestUnfitNATS: a NATS without a required feature is refused, with advice.
func TestUnfitNATS(t *testing.T) {
	for want, change := range map[string][2]string{
		"JetStream is off there; give it the configuration": {"\"jetstream\": \"enabled\",", ""},
		"max_payload is 1024 KB":                            {"\"max_payload\": 33554432", "\"max_payload\": 1048576"},
		"it does not say when a client leaves":              {"\"to\": \"left\"", "\"to\": \"gone\""},
		"it does not know the controller's key":             {},
		"nothing answers there that begins with TLS":        {"\"handshake_first\": true", "\"handshake_first\": false"},
	} {
		b, text := elsewhere(t, "gen1")
		if change[0] == "" {
			change = [2]string{public(b.keys.Seed), public(seed())}
		}
		changed := strings.Replace(text, change[0], change[1], 1)
		if changed == text {
			t.Fatalf("the configuration has no %q", change[0])
		}
		t.Run(want, func(t *testing.T) {
			ownNATS(t, changed, b.log.add)
			h, err := Open(b.fleet, b.keys, b.version, b.log.add)
			if err == nil {
				h.Close()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v; want %q", err, want)
			}
		})
	}
	b, _ := elsewhere(t, "gen1")
	if _, err := Open(b.fleet, b.keys, b.version, b.log.add); err == nil || !strings.Contains(err.Error(), "nothing answers") {
		t.Errorf("no server: %v", err)
	}
	other, text := elsewhere(t, "gen1")
	ownNATS(t, text, b.log.add)
	other.fleet.pinned = b.fleet.pinned
	if _, err := Open(other.fleet, other.keys, b.version, b.log.add); err == nil ||
		!strings.Contains(err.Error(), "another certificate") {
		t.Errorf("another certificate: %v", err)
	}
}

// TestNATSCertificate: a NATS with its own certificate is identified by that.
func TestNATSCertificate(t *testing.T) {
	f := written(t, "gen1")
	f.NATS, f.NATSCertificate = "tls://a:1,nats://b", "own.pem"
	if _, _, err := f.Keys(); err == nil || !strings.Contains(err.Error(), "own.pem: no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.WriteFile(f.beside("own.pem"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Keys(); err == nil || !strings.Contains(err.Error(), "own.pem is no certificate in PEM") {
		t.Errorf("a file that is none: %v", err)
	}
	own, err := newKeys("own")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.beside("own.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: own.Certificate}), 0o600); err != nil {
		t.Fatal(err)
	}
	k, _, err := f.Keys()
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadBundle(f.BundleFile("gen1"))
	if err != nil || b.Controller != "a:1,b:4222" || b.Fingerprint != digest(own.Certificate) ||
		b.ControllerKey != public(k.Seed) {
		t.Errorf("%+v, %v", b, err)
	}
	if text := f.Configuration(k, "x"); !strings.Contains(text, f.beside("own.pem")) {
		t.Error(text)
	}
	f.NATS, f.NATSCertificate = "", ""
	if _, _, err := f.Keys(); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadBundle(f.BundleFile("gen1")); err != nil || b.Controller != f.Controller || b.ControllerKey != "" ||
		b.Fingerprint != digest(k.Certificate) {
		t.Errorf("%+v, %v", b, err)
	}
}
