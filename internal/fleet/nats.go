package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"dyno/internal/machine"
)

// Subjects. An agent's subjects end with a secret: NATS answers an agent's bucket requests on whatever
// subject the agent names, even one on which the agent may not publish. An agent may read orders to itself
// and its own inbox, and answer an order once; the controller may publish orders. An agent that builds or
// starts programs may also read the objects in its own bucket, to which only the controller writes.
const (
	orders  = "ask." // + the agent's name + "." + its secret
	inboxes = "_INBOX."
	buckets = "tree-" // + the agent's name: buckets in the object store
)

const (
	mostBytes   = 32 << 20            // bytes in one message
	mostPending = 4 << 30             // bytes of messages to the controller, whose agents may all answer at once
	mostStored  = 16 << 30            // bytes of trees, on the controller
	chunk       = 128 << 10           // part of an object
	longestWork = 30 * 24 * time.Hour // limit for the time until the answer to an order
	silence     = 24 * time.Hour      // interval between NATS pings: the kernel finds broken connections (dialer)
)

// center is the controller's end: a NATS server, and its only privileged client.
type center struct {
	server *server.Server
	conn   *nats.Conn
	js     jetstream.JetStream
	store  string
	users  map[string]string // agents' names by public key
	ends   map[string]string // ends of the agents' subjects, by name
}

// listen starts the NATS server on all addresses, including IPv6 if six, and connects to it.
func listen(f *Fleet, six bool, k *Keys, log func(string)) (_ *center, err error) {
	c := &center{users: map[string]string{}, ends: k.ends()}
	for name, seed := range k.Agents {
		c.users[public(seed)] = name
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	options := &server.Options{TLS: true, TLSHandshakeFirst: true, TLSTimeout: 5, AuthTimeout: 6, PingInterval: silence,
		DisableShortFirstPing: true, ConnectErrorReports: 1}
	if options.TLSConfig, err = k.server(); err != nil {
		return nil, err
	}
	if c.store, err = machine.MkdirTemp("", "dyno-fleet-"); err != nil {
		return nil, err
	}
	if err := options.ProcessConfigString(f.configuration(k, c.store)); err != nil {
		return nil, err
	}
	options.ServerName, options.Host, options.NoSigs = "dyno", "0.0.0.0", true
	if six {
		options.Host = "::"
	}
	if c.server, err = server.NewServer(options); err != nil {
		return nil, err
	}
	c.server.SetLoggerV2(&journal{line: log}, true, false, false)
	go c.server.Start()
	if !c.server.ReadyForConnections(10 * time.Second) {
		return nil, errors.New("the server did not start")
	}
	if c.conn, err = connect("", reserved, k.Seed, nats.InProcessServer(c.server)); err != nil {
		return nil, err
	}
	c.js, err = jetstream.New(c.conn)
	return c, err
}

func (c *center) close() {
	if c.conn != nil {
		c.conn.Close()
	}
	if c.server != nil {
		c.server.Shutdown()
		c.server.WaitForShutdown()
	}
	if c.store != "" {
		machine.RemoveTemp(c.store)
	}
}

func (c *center) ask(ctx context.Context, agent string, order []byte) ([]byte, error) {
	msg, err := c.conn.RequestWithContext(ctx, orders+c.ends[agent], order)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, errAbsent
	case err != nil:
		return nil, err
	}
	return msg.Data, nil
}

// twins asks for two answers if there are two connections: one may be dead before the kernel knows.
func (c *center) twins(ctx context.Context, agent string, order []byte) (from []string) {
	all := c.conns(agent)
	if len(all) < 2 || !c.both(ctx, agent, order) {
		return nil
	}
	for _, conn := range all {
		from = append(from, conn.IP)
	}
	return from
}

// conns returns an agent's connections, newest last.
func (c *center) conns(agent string) (all []*server.ConnInfo) {
	list, err := c.server.Connz(&server.ConnzOptions{Username: true, Sort: server.ByCid, Limit: 10_000})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(list.Conns, func(i *server.ConnInfo) bool { return c.users[i.AuthorizedUser] != agent })
}

// connection identifies a connection to a controller's NATS server.
func connection(server string, client uint64) string { return fmt.Sprint(server, " ", client) }

// left reports whether an agent's connection has ended or has been replaced.
func (c *center) left(agent, client string) bool {
	all := c.conns(agent)
	return len(all) == 0 || connection(c.server.ID(), all[len(all)-1].Cid) != client
}

// both reports whether two programs answer one order within half a second.
func (c *center) both(ctx context.Context, agent string, order []byte) bool {
	inbox := c.conn.NewInbox()
	answers, err := c.conn.SubscribeSync(inbox)
	if err != nil {
		return false
	}
	defer answers.Unsubscribe()
	if c.conn.PublishRequest(orders+c.ends[agent], inbox, order) != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	for range 2 {
		if _, err := answers.NextMsgWithContext(ctx); err != nil {
			return false
		}
	}
	return true
}

func (c *center) put(ctx context.Context, agent string, object io.Reader) (tree string, err error) {
	bucket, err := c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: buckets + agent,
		Storage: jetstream.FileStorage})
	if err != nil {
		return "", err
	}
	tree = token()
	_, err = bucket.Put(ctx, jetstream.ObjectMeta{Name: tree}, object)
	return tree, err
}

// secret returns the part of an agent's subjects that only the controller and that agent can know.
func secret(seed []byte) string { return digest(append([]byte("subjects of "), seed...))[:32] }

// ends returns the ends of the agents' subjects, by name.
func (k *Keys) ends() map[string]string {
	all := map[string]string{}
	for name, seed := range k.Agents {
		all[name] = name + "." + secret(seed)
	}
	return all
}

// object is a part of a NATS configuration, which may be JSON.
type object = map[string]any

// configuration returns the configuration of this fleet's server, without TLS, as text. NATS does not accept an
// escaped > in a subject.
func (f *Fleet) configuration(k *Keys, store string) string {
	_, port, _ := net.SplitHostPort(f.Controller)
	n, _ := strconv.Atoi(port)
	text, _ := json.MarshalIndent(object{"port": n, "max_payload": mostBytes, "max_pending": mostPending,
		"jetstream": object{"store_dir": store, "max_file": mostStored, "max_buffered_size": mostArchive,
			"max_buffered_msgs": mostArchive / chunk},
		"accounts": object{"DYNO": object{"jetstream": "enabled", "users": k.users(f)}}}, "", "  ") // plain values never fail
	return strings.ReplaceAll(string(text), `\u003e`, ">") + "\n"
}

// users returns the users, the controller and f's machines, with their permissions.
func (k *Keys) users(f *Fleet) []object {
	all := []object{user(k.Seed, []string{orders + "*.*", "$O.>", "$JS.API.>", "$JS.ACK.>", "$JS.FC.>"},
		[]string{inboxes + reserved + ".>"}, time.Minute)}
	ends := k.ends()
	for _, name := range slices.Sorted(slices.Values(names(f.Machines()))) {
		publish, hear := []string{}, []string{orders + ends[name], inboxes + name + ".>"}
		if f.trees(name) {
			publish = reading(name)
		}
		all = append(all, user(k.Agents[name], publish, hear, longestWork))
	}
	return all
}

// user describes what a user may publish and read, and the time for answering each message once.
func user(seed []byte, publish, read []string, answer time.Duration) object {
	return object{"nkey": public(seed), "permissions": object{"publish": object{"allow": publish},
		"subscribe": object{"allow": read}, "allow_responses": object{"max": 1, "expires": answer.String()}}}
}

// reading returns the subjects on which an agent requests objects in its own bucket.
func reading(name string) []string {
	stream := "OBJ_" + buckets + name
	return []string{"$JS.API.STREAM.INFO." + stream, "$JS.API.DIRECT.GET." + stream + ".>",
		"$JS.API.CONSUMER.CREATE." + stream + ".>", "$JS.API.CONSUMER.DELETE." + stream + ".*", "$JS.FC." + stream + ".>"}
}

// connect connects to NATS as a user, without reconnecting.
func connect(url, name string, seed []byte, more ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(url, append([]nats.Option{nats.Name(name), nats.NoReconnect(), nats.NoEcho(),
		nats.UseOldRequestStyle(), // each answer has its own queue, which drops nothing

		nats.Nkey(public(seed), pair(seed).Sign),
		nats.CustomInboxPrefix(inboxes + name), nats.PingInterval(silence), nats.Timeout(patience)}, more...)...)
}

// leaf is an agent's end.
type leaf struct {
	conn *nats.Conn
	js   jetstream.JetStream
	name string // the agent's name
	end  string // end of its subjects
}

// dialNATS is the dial of all agents except in tests.
func dialNATS(ctx context.Context, b *Bundle, lost func()) (link, error) {
	conn, err := connect("tls://"+b.Controller, b.Name, b.Seed, nats.TLSHandshakeFirst(), nats.Secure(b.client()),
		nats.SetCustomDialer(dialer{ctx}), nats.DontRandomize(), nats.ClosedHandler(func(*nats.Conn) { lost() }))
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return nil, errUnknown
	case errors.Is(err, nats.ErrNoServers):
		return nil, errors.New("nothing answers there")
	case err != nil:
		return nil, err
	}
	l := &leaf{conn: conn, name: b.Name, end: b.Name + "." + secret(b.Seed)}
	if l.js, err = jetstream.New(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return l, nil
}

// orders runs receive on NATS's goroutine.
func (l *leaf) orders(receive func(*received)) error {
	sub, err := l.conn.Subscribe(orders+l.end, func(m *nats.Msg) {
		receive(&received{m.Data, func(data []byte) error {
			if m.Reply == "" {
				return nil
			}
			return m.Respond(data)
		}})
	})
	if err != nil {
		return err
	}
	sub.SetPendingLimits(1000, 2*mostBytes)
	return l.conn.Flush()
}

func (l *leaf) get(ctx context.Context, tree string, to io.Writer) error {
	bucket, err := l.js.ObjectStore(ctx, buckets+l.name)
	var r jetstream.ObjectResult
	if err == nil {
		r, err = bucket.Get(ctx, tree)
	}
	switch {
	case errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrBucketNotFound):
		return errNoObject
	case err != nil:
		return err
	}
	defer r.Close()
	n, err := io.Copy(to, io.LimitReader(r, mostArchive+1)) // at the end r compares the SHA-256 with NATS's
	if n > mostArchive {
		return fmt.Errorf("the archive has more than %d MB", mostArchive>>20)
	}
	return err
}

// client identifies the connection at the server.
func (l *leaf) client() string {
	id, _ := l.conn.GetClientID() // every server since 2019 has one
	return connection(l.conn.ConnectedServerId(), id)
}

func (l *leaf) messages() uint64 {
	s := l.conn.Stats()
	return s.InMsgs + s.OutMsgs
}

func (l *leaf) close() { l.conn.Close() }

// journal logs each client that the NATS server refuses, in one line.
type journal struct{ line func(string) }

func (j *journal) Errorf(format string, v ...any) { j.line("refused: " + fmt.Sprintf(format, v...)) }
func (j *journal) Fatalf(format string, v ...any) { j.line("NATS: " + fmt.Sprintf(format, v...)) }
func (j *journal) Warnf(string, ...any)           {}
func (j *journal) Noticef(string, ...any)         {}

// Debugf logs only one of NATS's debug messages: a client that does not speak TLS.
func (j *journal) Debugf(format string, v ...any) {
	if strings.Contains(format, "TLS handshake error") {
		j.Errorf(format, v...)
	}
}
func (j *journal) Tracef(string, ...any) {}
