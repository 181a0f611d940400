package refserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Options configures a reference server.
type Options struct {
	Scenarios []*scenario.Scenario // at least one
	// Addrs are the listening addresses, host:port; without AtClear there is no HTTP/1.1 in the clear.
	Addrs     map[wire.Listener]string
	Cert, Key string        // PEM files, for AtTLS
	Delay     time.Duration // a reference waits for this before each response
	Hash      bool          // a reference hashes for each response
}

// Run serves as c until ctx is done. It returns the server's counts for a line of JSON: a null server's
// Tally, a reference's Added.
func (c *Control) Run(ctx context.Context, o Options) (counted any, err error) {
	if c.Null {
		null, _, err := NullOf(o.Scenarios[0], o.Scenarios[1:]...)
		if err != nil {
			return nil, err
		}
		null.Manner = c.Manner
		return null.serveAll(ctx, &o)
	}
	s, err := Join(o.Scenarios)
	if err == nil {
		err = Can(s)
	}
	if err != nil {
		return nil, err
	}
	extra := time.Duration(c.Extra * float64(RefCost))
	ref := &Reference{Scenario: s, Delay: o.Delay, Hash: o.Hash, Turns: TurnsFor(extra)}
	service, err := s.SourceAddr()
	if err != nil {
		return nil, err
	}
	if service != "" {
		ref.Ask = scenario.Ask(ctx, wire.TCP(service))
	}
	err = o.each(ctx, func(ctx context.Context, ln net.Listener, at wire.Listener) error {
		return serveUntil(ctx, ln, ref.server(at))
	})
	if err != nil {
		return nil, err
	}
	return ref.Added(), nil
}

// each serves at all addresses at once until ctx ends or one of them fails, which ends the others. A TLS
// listener makes the handshakes.
func (o *Options) each(ctx context.Context,
	serve func(context.Context, net.Listener, wire.Listener) error,
) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	defer all.Wait()
	ended := make(chan error, len(o.Addrs))
	for at, addr := range o.Addrs {
		ln, err := o.listen(at, addr)
		if err != nil {
			stop()
			return err
		}
		all.Go(func() {
			err := serve(ctx, ln, at)
			stop()
			ended <- err
		})
	}
	all.Wait()
	close(ended)
	var errs []error
	for err := range ended {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// listen opens the listener for one address.
func (o *Options) listen(at wire.Listener, addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil || at != wire.AtTLS {
		return ln, err
	}
	pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
	if err != nil {
		ln.Close()
		return nil, fmt.Errorf("%s, %s: %w", wire.CertVariable, wire.KeyVariable, err)
	}
	return tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{pair},
		NextProtos: []string{wire.ALPN2, wire.ALPN1}}), nil
}

// serveConns calls serve in a goroutine for each connection on ln until ctx ends, which closes the connections.
// It returns when all are closed.
func serveConns(ctx context.Context, ln net.Listener, serve func(net.Conn)) error {
	var all sync.WaitGroup
	defer all.Wait()
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	for {
		c, err := ln.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		all.Go(func() {
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			serve(c)
		})
	}
}
