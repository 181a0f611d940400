//go:build !linux

package refserver

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Serve fails with an error that wraps errors.ErrUnsupported.
func (n *Null) Serve(context.Context, string, string) (Tally, error) {
	return Tally{}, fmt.Errorf("the null server needs Linux, and this is %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func (n *Null) serveAll(ctx context.Context, _ *Options) (Tally, error) { return n.Serve(ctx, "", "") }

// cpuTime returns 0, which says that it is unknown.
func cpuTime() time.Duration { return 0 }
