//go:build !linux

package epoll

import (
	"context"
	"errors"
	"fmt"

	"dyno/internal/load"
)

// Engine needs Linux.
type Engine struct{}

// Open fails: use load/gonet.
func (Engine) Open(context.Context, load.Job) (load.Session, error) {
	return nil, fmt.Errorf("open epoll engine: %w on this system", errors.ErrUnsupported)
}
