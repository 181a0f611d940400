//go:build !linux

package refserver

import (
	"context"
	"errors"
	"fmt"
)

// Serve needs Linux.
func (n *Null) Serve(context.Context, string, string) (Tally, error) {
	return Tally{}, fmt.Errorf("serve null: %w on this system", errors.ErrUnsupported)
}

func (n *Null) serveAll(ctx context.Context, _ *Options) (Tally, error) { return n.Serve(ctx, "", "") }
