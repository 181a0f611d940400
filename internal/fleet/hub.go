package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	patience = 5 * time.Second // limit for the answer to an order that takes no time
	coming   = 15 * time.Second
)

// Hub is the controller. It is safe for concurrent use.
type Hub struct {
	fleet   *Fleet
	version string
	wire    bus
	log     func(string)
	began   time.Time

	mu     sync.Mutex
	agents map[string]Hello // their last Hello
}

// Open starts f's NATS server on the port of f.Controller, on all addresses. version is dyno's; log gets one
// line for each attempt that is not allowed.
func Open(f *Fleet, k *Keys, version string, log func(string)) (*Hub, error) {
	_, port, _ := net.SplitHostPort(f.Controller)
	if ln, err := net.Listen("tcp", ":"+port); err != nil { // returns the system's error, which the server would only log
		return nil, fmt.Errorf("wait for agents: %w; does another dyno use this fleet? Else change the port of "+
			"controller, and run dyno fleet up", err)
	} else if err := ln.Close(); err != nil {
		return nil, err
	}
	// IPv6, with IPv4 where the system maps it, if the address is IPv6.
	w, err := listen(f, strings.Contains(f.Controller, "["), k, log)
	if err != nil {
		return nil, fmt.Errorf("wait for agents: %w", err)
	}
	return newHub(f, version, w, log), nil
}

func newHub(f *Fleet, version string, w bus, log func(string)) *Hub {
	return &Hub{fleet: f, version: protocol + version, wire: w, log: log, began: time.Now(), agents: map[string]Hello{}}
}

// Close ends the server; all agents stop their work and wait for the next controller.
func (h *Hub) Close() { h.wire.close() }

// Names returns the names of the generators, in the file's order.
func (h *Hub) Names() []string { return names(h.fleet.Generators) }

func names(machines []Machine) (all []string) {
	for _, m := range machines {
		all = append(all, m.Name)
	}
	return all
}

// errInterrupted is the error for a wait whose context is done.
var errInterrupted = errors.New("interrupted")

// Gather waits until these machines' agents are there, and greets them. The error says which are missing, and
// why.
func (h *Hub) Gather(ctx context.Context, machines []string) error {
	err := each(machines, func(_ int, name string) error { return h.Greet(ctx, name) })
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return errInterrupted
	}
	return err
}

// All returns the names of all machines.
func (h *Hub) All() []string { return names(h.fleet.Machines()) }

// each calls do for all names concurrently and returns the errors.
func each(names []string, do func(i int, name string) error) error {
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { errs[i] = do(i, name) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// Greet waits until an agent is there and begins a session with it.
func (h *Hub) Greet(ctx context.Context, name string) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, coming)
	defer cancel()
	for {
		answer, err := ask(ctx, h, name, hello, Done{}, patience)
		if err == nil {
			h.mu.Lock()
			h.agents[name] = answer
			h.mu.Unlock()
			return h.admits(name, &answer)
		}
		if _, unheard := errors.AsType[*LostError](err); !unheard && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not there: no agent with its key answered at %s within %v; is dyno agent running "+
				"on it, and does a firewall let it through?", name, h.fleet.Controller, time.Since(began).Round(time.Second))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// admits returns an error if an agent runs another build, or if its owner does not allow its machine's role.
func (h *Hub) admits(name string, a *Hello) error {
	own, err := program()
	if err != nil {
		return err
	}
	if a.System == own.System && a.Digest != own.Digest {
		return fmt.Errorf("%s runs another build of dyno (SHA-256 %.12s…, here %.12s…); run dyno fleet up, or copy "+
			"this dyno there", name, a.Digest, own.Digest)
	}
	if role := h.fleet.Role(name); a.Role != role {
		return fmt.Errorf("%s is a %s in %s, but its agent allows only the role %s; run dyno fleet up, or start it there "+
			"with dyno agent --role %[2]s", name, role, filepath.Base(h.fleet.path), a.Role)
	}
	return nil
}

// Hello returns an agent's answer to its last greeting.
func (h *Hub) Hello(name string) Hello {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.agents[name]
}

// order returns an order to an agent.
func (h *Hub) order(name, kind string, body []byte) Order {
	return Order{h.version, kind, h.Hello(name).Session, body}
}

// token returns a random text that cannot be guessed.
func token() string { return rand.Text() }
