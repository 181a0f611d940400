package fleet

import (
	"context"
	"errors"
	"io"
)

// wire is how the controller reaches its agents: NATS (nats.go), or a network that a test makes up.
type wire interface {
	// ask sends an order to an agent, once, and returns its answer. The error of an agent that is not connected is
	// errAbsent.
	ask(ctx context.Context, agent string, order []byte) (answer []byte, err error)
	// twins returns the addresses of an agent's connections if two programs with its key answer an order; nil if one
	// does, or if it cannot tell.
	twins(ctx context.Context, agent string, order []byte) (from []string)
	// put stores an object for an agent until close, and returns its name.
	put(ctx context.Context, agent string, object io.Reader) (name string, err error)
	// left reports whether an agent's connection (link.client) has ended, or another one of that agent has come, as far as
	// it can tell. It sends nothing.
	left(agent, client string) bool
	// ended says that the controller itself is cut off from all agents, for good; nil: it is not. It sends nothing.
	ended() error
	close()
}

// link is an agent's connection to its controller.
type link interface {
	// orders calls receive with each order to the agent, one at a time and as they come.
	orders(receive func(order *received)) error
	// get writes an object that was put for this agent, by its name. Its error is errNoObject if there is none.
	get(ctx context.Context, name string, to io.Writer) error
	// follow says which connection of the controller the link ends with; "": it has only one.
	follow(controller string)
	// client names the connection; no two of a controller are alike.
	client() string
	// messages returns how many messages were sent and received.
	messages() uint64
	close()
}

// received is an order that came by a link.
type received struct {
	data   []byte
	answer func(data []byte) error // called once at most
}

// dial connects an agent to its controller. lost is called once the connection has ended.
type dial func(ctx context.Context, b *Bundle, lost func()) (link, error)

var (
	errAbsent   = errors.New("no such agent is connected")
	errNoObject = errors.New("the controller has not put it for this agent")
	errUnknown  = errors.New("the controller does not know the agent's key")
)
