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
