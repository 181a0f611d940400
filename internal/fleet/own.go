package fleet

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A fleet may use a user's own NATS instead of the controller's. Its clients then outlive the controller.
// NATS reports that a client is gone with an event to its system account, which the fleet's account imports.
const (
	account       = "DYNO"
	systemAccount = "SYS"
	leaving       = "$SYS.ACCOUNT." + account + ".DISCONNECT"
	left          = "left"       // name of leaving in the fleet's account
	present       = "controller" // a controller answers here, so that there is only one
)

// leftEvent reports that a client is gone, with the fields that dyno needs.
type leftEvent struct {
	Server struct {
		ID string `json:"id"`
	} `json:"server"`
	Client struct {
		ID   uint64 `json:"id"`
		User string `json:"user"` // the client's public key
		Name string `json:"name"`
	} `json:"client"`
}

// connection identifies a connection to a NATS server, which may be in a cluster.
func connection(server string, client uint64) string { return fmt.Sprint(server, " ", client) }

// addresses returns the host:port of all comma-separated NATS URLs.
func addresses(urls string) (all []string, err error) {
	for text := range strings.SplitSeq(urls, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || u.Scheme != "tls" && u.Scheme != "nats" || u.Hostname() == "" || u.User != nil ||
			strings.Trim(u.Path, "/") != "" {
			return nil, fmt.Errorf("%q: want the URL of a NATS server, such as tls://nats.example:4222; commas separate "+
				"those of a cluster", text)
		}
		all = append(all, net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "4222")))
	}
	return all, nil
}

// reached returns the agents' destination: one or more host:port, separated by commas.
func (f *Fleet) reached() string {
	if f.NATS == "" {
		return f.Controller
	}
	all, _ := addresses(f.NATS) // check has validated it
	return strings.Join(all, ",")
}

// certificate returns the certificate that agents pin, DER: the fleet's, unless the user's NATS has another.
func (f *Fleet) certificate(k *Keys) ([]byte, error) {
	if f.NATS == "" || f.NATSCertificate == "" {
		return k.Certificate, nil
	}
	data, err := os.ReadFile(f.beside(f.NATSCertificate))
	if err != nil {
		return nil, fmt.Errorf("read nats_certificate: %w", err)
	}
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, fmt.Errorf("%s is no certificate in PEM: want the one that the NATS server shows", f.NATSCertificate)
	}
	return block.Bytes, nil
}

// tlsURLs returns these host:port as URLs for NATS.
func tlsURLs(reached string) string { return "tls://" + strings.ReplaceAll(reached, ",", ",tls://") }

// join connects the controller to the user's NATS.
func join(f *Fleet, k *Keys) (*center, error) {
	c, pinned := newCenter(f, k), &Bundle{Fingerprint: digest(f.pinned)}
	if err := c.enter(k, func(name string) (*nats.Conn, error) {
		return connect(tlsURLs(c.at), reserved, k.Seed, nats.Name(name), nats.TLSHandshakeFirst(),
			nats.Secure(pinned.client()), nats.SetCustomDialer(dialer{context.Background()}), nats.DontRandomize(),
			nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	}); err != nil {
		c.close()
		return nil, fmt.Errorf("use the NATS at %s: %w", c.at, err)
	}
	return c, nil
}

// enter connects the controller, and checks whether the server fits a fleet.
func (c *center) enter(k *Keys, dial func(name string) (*nats.Conn, error)) (err error) {
	const configure = "; give it the configuration that dyno fleet init writes (dyno help fleet)"
	c.conn, err = dial(c.name)
	_, clear := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case clear, errors.Is(err, nats.ErrNoServers):
		return errors.New("nothing answers there that begins with TLS (handshake_first)" + configure)
	case errors.Is(err, nats.ErrAuthorization):
		return errors.New("it does not know the controller's key" + configure)
	case errors.Is(err, errCertificate):
		return errors.New("it has another certificate than the fleet's; name its own in the file as nats_certificate")
	case err != nil:
		return err
	case c.conn.MaxPayload() < mostBytes:
		return fmt.Errorf("its max_payload is %d KB, and answers may have %d MB"+configure, c.conn.MaxPayload()>>10,
			mostBytes>>20)
	}
	if c.js, err = jetstream.New(c.conn); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	switch _, err = c.js.AccountInfo(ctx); {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return errors.New("JetStream is off there" + configure)
	case err != nil:
		return fmt.Errorf("ask for JetStream: %w", err)
	}
	if err := c.alone(ctx); err != nil {
		return err
	}
	if err := c.watch(ctx, dial); errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		return errors.New("it does not say when a client leaves, so agents would go on without their controller" + configure)
	} else if err != nil {
		return err
	}
	c.clear(ctx) // left by a killed controller
	return nil
}

// alone returns an error if the fleet has another controller, and else answers the next one.
func (c *center) alone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	switch _, err := c.conn.RequestWithContext(ctx, present, nil); {
	case err == nil:
		return errors.New("another dyno uses this fleet at this moment; wait until it has ended")
	case !errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("look for another controller: %w", err)
	}
	_, err := c.conn.Subscribe(present, func(m *nats.Msg) { m.Respond(nil) })
	return err
}

// watch records which connections end, and waits until it sees the end of a connection made by dial.
func (c *center) watch(ctx context.Context, dial func(name string) (*nats.Conn, error)) error {
	trial, seen := c.name+"-trial", make(chan struct{})
	var once sync.Once
	c.gone = map[string]bool{} // from here on there is only this controller
	_, err := c.conn.Subscribe(left, func(m *nats.Msg) {
		var e leftEvent
		if json.Unmarshal(m.Data, &e) != nil {
			return
		}
		if e.Client.Name == trial && e.Client.User == c.key {
			once.Do(func() { close(seen) })
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.gone[connection(e.Server.ID, e.Client.ID)] = true
	})
	if err == nil {
		err = c.conn.Flush()
	}
	if err != nil {
		return err
	}
	conn, err := dial(trial)
	if err != nil {
		return err
	}
	conn.Close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-seen:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// clear removes a controller's stored objects. It ignores errors: the next controller tries again.
func (c *center) clear(ctx context.Context) {
	for _, agent := range c.users {
		_ = c.js.DeleteObjectStore(ctx, buckets+agent)
	}
}

// left reports whether an agent's connection has ended or, at the controller's own server, has been replaced.
func (c *center) left(agent, client string) bool {
	if c.server != nil {
		all := c.conns(agent)
		return len(all) == 0 || connection(c.server.ID(), all[len(all)-1].Cid) != client
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone[client] || c.conn.IsClosed()
}

func (c *center) ended() error {
	if c.server != nil || !c.conn.IsClosed() {
		return nil
	}
	return fmt.Errorf("the connection to the NATS at %s ended; is it still there?", c.at)
}

// follow makes a link end with a connection of the controller.
func (l *leaf) follow(controller string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.controller = controller
}

// watch handles the events for clients that leave.
func (l *leaf) watch(key string) error {
	_, err := l.conn.Subscribe(left, func(m *nats.Msg) {
		var e leftEvent
		l.events.Add(1)
		if json.Unmarshal(m.Data, &e) != nil || e.Client.User != key {
			return
		}
		l.mu.Lock()
		gone := e.Client.Name == l.controller
		l.mu.Unlock()
		if gone {
			l.conn.Close()
		}
	})
	return err
}
