package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Subjects. An agent may read orders to itself and its own inbox, answer an order once, and publish
// results of its own; the controller may publish orders and read results.
const (
	orders  = "order."  // + name of the agent
	results = "result." // likewise
	inboxes = "_INBOX."
	stream  = "results"
)

const (
	mostBytes = 32 << 20        // of one message
	silence   = 24 * time.Hour  // between the pings of NATS: the kernel looks for broken connections (dialer)
	patience  = 5 * time.Second // for the answer to an order that takes no time
	coming    = 15 * time.Second
)

// Hub is the controller: NATS's server and its only privileged client. It is safe for concurrent use.
type Hub struct {
	fleet   *Fleet
	version string
	server  *server.Server
	conn    *nats.Conn
	js      jetstream.JetStream
	store   string
	log     func(string)
	began   time.Time
	users   map[string]string // names of the agents, by public key

	mu     sync.Mutex
	agents map[string]*member
}

// member is an agent as the controller knows it.
type member struct {
	session string
	number  uint64
	hello   Hello
	client  uint64 // NATS's number of its connection
}

// Open starts the server of f on the port of f.Controller, on all addresses. version is that of dyno;
// log gets one line for each attempt to do what is not allowed.
func Open(f *Fleet, k *Keys, version string, log func(string)) (*Hub, error) {
	h := &Hub{fleet: f, version: protocol + version, log: log, began: time.Now(), agents: map[string]*member{},
		users: map[string]string{}}
	for name, seed := range k.Agents {
		h.users[public(seed)] = name
	}
	config, err := k.server()
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(f.Controller)
	number, _ := strconv.Atoi(port)
	if ln, err := net.Listen("tcp", ":"+port); err != nil { // in the system's words: the server would only log it
		return nil, fmt.Errorf("wait for agents: %w; does another dyno use this fleet? Else change the port of "+
			"controller, and run dyno fleet up", err)
	} else if err := ln.Close(); err != nil {
		return nil, err
	}
	if h.store, err = os.MkdirTemp("", "dyno-fleet-"); err != nil {
		return nil, fmt.Errorf("wait for agents: %w", err)
	}
	options := &server.Options{ServerName: "dyno", Host: "0.0.0.0", Port: number, NoSigs: true, NoLog: false,
		TLS: true, TLSConfig: config, TLSHandshakeFirst: true, TLSTimeout: 5, AuthTimeout: 6,
		Nkeys: k.users(), JetStream: true, StoreDir: h.store, JetStreamMaxMemory: 1 << 30, JetStreamMaxStore: 1 << 20,
		MaxPayload: mostBytes, MaxPending: 4 * mostBytes, PingInterval: silence, DisableShortFirstPing: true,
		ConnectErrorReports: 1}
	if strings.Contains(f.Controller, "[") { // IPv6, and IPv4 where the system maps it
		options.Host = "::"
	}
	if err := h.serve(options, k); err != nil {
		h.Close()
		return nil, fmt.Errorf("wait for agents: %w", err)
	}
	return h, nil
}

func (h *Hub) serve(options *server.Options, k *Keys) (err error) {
	if h.server, err = server.NewServer(options); err != nil {
		return err
	}
	h.server.SetLoggerV2(&journal{line: h.log}, true, false, false)
	go h.server.Start()
	if !h.server.ReadyForConnections(10 * time.Second) {
		return errors.New("the server did not start")
	}
	if h.conn, err = connect("", reserved, k.Seed, nats.InProcessServer(h.server)); err != nil {
		return err
	}
	if h.js, err = jetstream.New(h.conn); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err = h.js.CreateStream(ctx, jetstream.StreamConfig{Name: stream, Subjects: []string{results + "*"},
		Storage: jetstream.MemoryStorage, Duplicates: time.Hour, MaxAge: time.Hour})
	return err
}

// Close ends the server; all agents stop what they do and wait for the next one.
func (h *Hub) Close() {
	if h.conn != nil {
		h.conn.Close()
	}
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
	os.RemoveAll(h.store)
}

// users returns who may connect, and what each may do.
func (k *Keys) users() []*server.NkeyUser {
	users := []*server.NkeyUser{{Nkey: public(k.Seed), Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{orders + "*", "$JS.API.>", "$JS.ACK.>"}},
		Subscribe: &server.SubjectPermission{Allow: []string{inboxes + reserved + ".>", bulks + "*"}}}}}
	for name, seed := range k.Agents {
		users = append(users, &server.NkeyUser{Nkey: public(seed), Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: []string{results + name, bulks + name}},
			Subscribe: &server.SubjectPermission{Allow: []string{orders + name, inboxes + name + ".>"}},
			Response:  &server.ResponsePermission{MaxMsgs: 1, Expires: time.Minute}}})
	}
	return users
}

// connect connects to NATS as a user, once: who is cut off connects anew.
func connect(url, name string, seed []byte, more ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(url, append([]nats.Option{nats.Name(name), nats.NoReconnect(), nats.NoEcho(),
		nats.Nkey(public(seed), func(nonce []byte) ([]byte, error) { return sign(seed, nonce), nil }),
		nats.CustomInboxPrefix(inboxes + name), nats.PingInterval(silence), nats.Timeout(patience)}, more...)...)
}

// Names returns the names of the machines, in the order of the file.
func (h *Hub) Names() (names []string) {
	for _, m := range h.fleet.Generators {
		names = append(names, m.Name)
	}
	return names
}

// Gather waits until all agents are there, and greets them. Its error says which are not, and why.
func (h *Hub) Gather(ctx context.Context) error {
	return h.each(func(name string) error { return h.Greet(ctx, name) })
}

// each calls do for all agents at once and returns their errors.
func (h *Hub) each(do func(agent string) error) error {
	errs := make([]error, len(h.fleet.Generators))
	var all sync.WaitGroup
	for i, name := range h.Names() {
		all.Go(func() { errs[i] = do(name) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// Greet waits until an agent is there and begins a session with it.
func (h *Hub) Greet(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, coming)
	defer cancel()
	for {
		answer, err := ask[Greeting, Hello](ctx, h, name, hello, Greeting{})
		if err == nil {
			h.mu.Lock()
			m := h.member(name)
			m.session, m.hello, m.client = answer.Session, *answer, h.clients()[name]
			h.mu.Unlock()
			return h.admits(name, answer)
		}
		if !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, errAnswer) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not there: no agent with its key connected to %s within %v; is dyno agent running "+
				"on it, and does a firewall let it through?", name, h.fleet.Controller, coming)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// admits returns an error if an agent is another program than this one.
func (h *Hub) admits(name string, a *Hello) error {
	own, err := program()
	if err != nil {
		return err
	}
	if a.System == own.System && a.Digest != own.Digest {
		return fmt.Errorf("%s runs another build of dyno (SHA-256 %.12s…, here %.12s…); run dyno fleet up, or copy "+
			"this dyno there", name, a.Digest, own.Digest)
	}
	return nil
}

// member returns what is known of an agent; h.mu is held.
func (h *Hub) member(name string) *member {
	if h.agents[name] == nil {
		h.agents[name] = &member{}
	}
	return h.agents[name]
}

// clients returns the numbers of the connections of all agents that are there now. It sends nothing.
func (h *Hub) clients() map[string]uint64 {
	list, err := h.server.Connz(&server.ConnzOptions{Username: true, Limit: 10_000})
	if err != nil {
		return nil
	}
	found := map[string]uint64{}
	for _, c := range list.Conns {
		found[h.users[c.AuthorizedUser]] = c.Cid
	}
	return found
}

// Hello returns how an agent presented itself when it was greeted.
func (h *Hub) Hello(name string) Hello {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.member(name).hello
}

// errAnswer is the error of an order without an answer in time.
var errAnswer = errors.New("no answer")

// ask sends an order to an agent and returns its answer: a *RefusedError, or the agent's own error.
func ask[Q, A any](ctx context.Context, h *Hub, name, kind string, q Q) (*A, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	m := h.member(name)
	m.number++
	o := Order{Version: h.version, Kind: kind, Session: m.session, Number: m.number, Digest: digest(body), Body: body}
	h.mu.Unlock()
	data, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	msg, err := h.conn.RequestWithContext(ctx, orders+name, data)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%s: %w to %q in time; is the machine still there?", name, errAnswer, kind)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var answer Answer
	if err := strict(msg.Data, &answer); err != nil {
		return nil, fmt.Errorf("%s: its answer to %q cannot be read: %w", name, kind, err)
	}
	switch {
	case answer.Refused != "":
		return nil, &RefusedError{name, answer.Refused}
	case answer.Failed != "":
		return nil, fmt.Errorf("%s: %s", name, answer.Failed)
	}
	a := new(A)
	if err := strict(answer.Body, a); err != nil {
		return nil, fmt.Errorf("%s: its answer to %q cannot be read: %w", name, kind, err)
	}
	return a, nil
}

// journal writes what NATS's server reports of clients that it refuses, a line each.
type journal struct{ line func(string) }

func (j *journal) Errorf(format string, v ...any) { j.line("refused: " + fmt.Sprintf(format, v...)) }
func (j *journal) Fatalf(format string, v ...any) { j.line("NATS: " + fmt.Sprintf(format, v...)) }
func (j *journal) Warnf(string, ...any)           {}
func (j *journal) Noticef(string, ...any)         {}

// Debugf writes of all that NATS holds for detail only this: a client that does not speak TLS.
func (j *journal) Debugf(format string, v ...any) {
	if strings.Contains(format, "TLS handshake error") {
		j.Errorf(format, v...)
	}
}
func (j *journal) Tracef(string, ...any) {}

// token draws a text that nobody can guess.
func token() string { return rand.Text() }
