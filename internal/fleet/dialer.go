package fleet

import (
	"context"
	"net"
	"syscall"
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

// impatient ends a connection 8 s after sending bytes that the other side does not acknowledge
// (TCP_USER_TIMEOUT, tcp(7), RFC 5482); by default the kernel tries for a quarter of an hour.
func impatient(_, _ string, c syscall.RawConn) error {
	const userTimeout = 0x12
	var err error
	if e := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, 8000)
	}); e != nil {
		return e
	}
	return err
}
