package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Subjects. An agent may read orders to itself and its own inbox, and answer an order once; the controller may
// publish orders.
const (
	orders  = "ask." // + the agent's name
	inboxes = "_INBOX."
)

const (
	mostBytes   = 32 << 20            // bytes in one message
	mostPending = 4 << 30             // bytes of messages to the controller, whose agents may all answer at once
	longestWork = 30 * 24 * time.Hour // limit for the time until the answer to an order
	silence     = 24 * time.Hour      // interval between NATS pings: the kernel finds broken connections (dialer)
)

// center is the controller's end: a NATS server, and its only privileged client.
type center struct {
	server *server.Server
	conn   *nats.Conn
}

// listen starts the NATS server on all addresses, including IPv6 if six, and connects to it.
func listen(f *Fleet, six bool, k *Keys, log func(string)) (_ *center, err error) {
	c := &center{}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	_, port, _ := net.SplitHostPort(f.Controller)
	n, _ := strconv.Atoi(port)
	options := &server.Options{ServerName: "dyno", Host: "0.0.0.0", Port: n, NoSigs: true, MaxPayload: mostBytes,
		MaxPending: mostPending, Users: k.users(f), TLS: true, TLSHandshakeFirst: true, TLSTimeout: 5, AuthTimeout: 6,
		PingInterval: silence, DisableShortFirstPing: true, ConnectErrorReports: 1}
	if six {
		options.Host = "::"
	}
	if options.TLSConfig, err = k.server(); err != nil {
		return nil, err
	}
	if c.server, err = server.NewServer(options); err != nil {
		return nil, err
	}
	c.server.SetLoggerV2(&journal{line: log}, true, false, false)
	go c.server.Start()
	if !c.server.ReadyForConnections(10 * time.Second) {
		return nil, errors.New("the server did not start")
	}
	c.conn, err = connect("", reserved, k.Own, nats.InProcessServer(c.server))
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
}

func (c *center) ask(ctx context.Context, agent string, order []byte) ([]byte, error) {
	msg, err := c.conn.RequestWithContext(ctx, orders+agent, order)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, errAbsent
	case err != nil:
		return nil, err
	}
	return msg.Data, nil
}

// connection identifies a connection to a controller's NATS server.
func connection(server string, client uint64) string { return fmt.Sprint(server, " ", client) }

// left reports whether an agent's connection has ended, or has been replaced by a newer one.
func (c *center) left(agent, client string) bool {
	list, err := c.server.Connz(&server.ConnzOptions{Username: true, Sort: server.ByCid, Limit: 10_000})
	if err != nil {
		return true
	}
	newest := ""
	for _, i := range list.Conns {
		if i.AuthorizedUser == agent {
			newest = connection(c.server.ID(), i.Cid)
		}
	}
	return newest != client
}

// users returns the users, the controller and f's machines, with their permissions.
func (k *Keys) users(f *Fleet) []*server.User {
	all := []*server.User{user(reserved, k.Own, []string{orders + "*"}, inboxes+reserved+".>")}
	for _, name := range names(f.Machines()) {
		all = append(all, user(name, k.Agents[name], nil, orders+name, inboxes+name+".>"))
	}
	return all
}

// user describes what a user may publish and read. It may answer each message once.
func user(name, password string, publish []string, read ...string) *server.User {
	return &server.User{Username: name, Password: password, Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Allow: publish}, Subscribe: &server.SubjectPermission{Allow: read},
		Response: &server.ResponsePermission{MaxMsgs: 1, Expires: longestWork}}}
}

// connect connects to NATS as a user, without reconnecting.
func connect(url, name, password string, more ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(url, append([]nats.Option{nats.Name(name), nats.NoReconnect(), nats.NoEcho(),
		nats.UseOldRequestStyle(), // each answer has its own queue, which drops nothing
		nats.UserInfo(name, password),
		nats.CustomInboxPrefix(inboxes + name), nats.PingInterval(silence), nats.Timeout(patience)}, more...)...)
}

// leaf is an agent's end.
type leaf struct {
	conn *nats.Conn
	name string // the agent's name
}

// dialNATS is the dial of all agents except in tests.
func dialNATS(ctx context.Context, b *Bundle, lost func()) (link, error) {
	conn, err := connect("tls://"+b.Controller, b.Name, b.Secret, nats.TLSHandshakeFirst(), nats.Secure(b.client()),
		nats.SetCustomDialer(dialer{ctx}), nats.DontRandomize(), nats.ClosedHandler(func(*nats.Conn) { lost() }))
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return nil, errUnknown
	case errors.Is(err, nats.ErrNoServers):
		return nil, errors.New("nothing answers there")
	case err != nil:
		return nil, err
	}
	return &leaf{conn, b.Name}, nil
}

// orders runs receive on NATS's goroutine.
func (l *leaf) orders(receive func(*received)) error {
	sub, err := l.conn.Subscribe(orders+l.name, func(m *nats.Msg) {
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

// client identifies the connection at the server.
func (l *leaf) client() string {
	id, _ := l.conn.GetClientID() // every server since 2019 has one
	return connection(l.conn.ConnectedServerId(), id)
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
