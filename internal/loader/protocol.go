package loader

import (
	"context"
	"errors"
	"fmt"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// protocol sets HTTP/2, if the flags ask for it, and checks on a separate connection, before the load,
// whether the server speaks it.
func (r *Request) protocol(ctx context.Context, t *scenario.Target) error {
	if !r.HTTP2 {
		return nil
	}
	if t.HTTP2 = true; t.TLS != nil {
		t.TLS.NextProtos = []string{wire.ALPN2}
	}
	err := scenario.Greet(ctx, t.Endpoint, r.Timeout)
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted while connecting")
	case err != nil:
		return unopened(fmt.Errorf("open %s: %w", t.Addr, err), t.Endpoint)
	}
	return nil
}
