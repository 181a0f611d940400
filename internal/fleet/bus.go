package fleet

import (
	"context"
	"errors"
)

// bus connects the controller to its agents: NATS (nats.go), or a simulated network in tests.
type bus interface {
	// ask sends an order to an agent, once, and returns the answer. The error for an agent that is not
	// connected is errAbsent.
	ask(ctx context.Context, agent string, order []byte) (answer []byte, err error)
	// left reports whether an agent's connection (link.client) has ended or been replaced, as far as it can
	// tell. It sends nothing.
	left(agent, client string) bool
	close()
}

// link is an agent's connection to its controller.
type link interface {
	// orders calls receive with each order to the agent, one at a time and in order of arrival.
	orders(receive func(order *received)) error
	// client identifies the connection; it is unique for a controller.
	client() string
	close()
}

// received is an order that arrived on a link.
type received struct {
	data   []byte
	answer func(data []byte) error // called at most once
}

// dial connects an agent to its controller. lost is called when the connection has ended.
type dial func(ctx context.Context, b *Bundle, lost func()) (link, error)

var (
	errAbsent  = errors.New("its connection ended; is the machine still there?")
	errUnknown = errors.New("the controller does not know the agent's key")
)
