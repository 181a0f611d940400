package fleet

import (
	"context"
	"net"
	"time"
)

// dialer connects an agent. The kernel asks for the other side of an idle connection, and ends it
// within 8 s once there is no answer: no program runs for it, on either side.
type dialer struct{ ctx context.Context }

// SkipTLSHandshake is for NATS: the connection is in the clear yet.
func (d dialer) SkipTLSHandshake() bool { return false }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(d.ctx, patience)
	defer cancel()
	return (&net.Dialer{Control: impatient, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 3 * time.Second,
		Interval: time.Second, Count: 5}}).DialContext(ctx, network, address)
}
