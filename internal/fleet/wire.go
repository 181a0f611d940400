package fleet

import (
	"context"
	"errors"
	"time"
)

// wire is how the controller reaches its agents: NATS (nats.go), or a network that a test makes up.
type wire interface {
	// ask sends an order to an agent and returns its answer. The error of an agent that is not
	// connected is errAbsent; that of an answer that does not come until ctx is done is ctx's.
	ask(ctx context.Context, agent string, order []byte) (answer []byte, err error)
	// twins returns the addresses of an agent's connections if two programs with its key answer an order, which
	// order makes; nil if one does, or if it cannot tell.
	twins(ctx context.Context, agent string, order func() []byte) (from []string)
	// results calls heed with each result that an agent reported, those of before too, until stop is
	// called. The agent's name is that of its key.
	results(ctx context.Context, heed func(agent string, result []byte)) (stop func(), err error)
	// fillings calls got with the size of each message of an agent's link.fill, until stop is called.
	fillings(agent string, got func(bytes int)) (stop func(), err error)
	// put stores a piece for an agent, until close. has reports whether it was.
	put(ctx context.Context, agent, name string, piece []byte) error
	has(ctx context.Context, agent, name string) (bool, error)
	// connections returns the numbers of the connections of all agents that are there now, by name; no
	// two of a controller are alike. It sends nothing.
	connections() map[string]uint64
	// ended says that the controller itself is cut off from all agents, for good; nil: it is not. It sends nothing.
	ended() error
	close()
}

// link is an agent's connection to its controller.
type link interface {
	// orders calls receive with each order to the agent, one at a time and as they come.
	orders(receive func(order *received)) error
	// report sends a result. It returns nil once the controller's side has stored it: one of each id.
	report(ctx context.Context, id string, result []byte) error
	// get returns a piece that was put for this agent; errNoPiece if there is none. It fails if it has
	// more than most bytes.
	get(ctx context.Context, name string, most int64) ([]byte, error)
	// fill sends bytes that nobody reads.
	fill(data []byte) error
	// flush returns when all that was sent has arrived.
	flush(timeout time.Duration) error
	// follow says which connection of the controller the link ends with; "": it has only one.
	follow(controller string)
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
	errAbsent  = errors.New("no such agent is connected")
	errNoPiece = errors.New("the controller has not put it for this agent")
	errUnknown = errors.New("the controller does not know the agent's key")
)
