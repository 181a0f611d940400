package fleet

import (
	"context"
	"net"
	"time"
)

// dialer connects an agent. The kernel probes an idle connection, and ends it within 8 s without an answer:
// no program on either side has to run for this.
type dialer struct{ ctx context.Context }

// SkipTLSHandshake tells NATS that the connection is not encrypted yet.
func (d dialer) SkipTLSHandshake() bool { return false }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(d.ctx, patience)
	defer cancel()
	return (&net.Dialer{Control: impatient, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 3 * time.Second,
		Interval: time.Second, Count: 5}}).DialContext(ctx, network, address)
}
