//go:build !linux

package truth

import (
	"context"
	"errors"
	"fmt"
)

// ServeNull needs Linux.
func ServeNull(context.Context, string, string, []byte) error {
	return fmt.Errorf("serve null: %w on this system", errors.ErrUnsupported)
}
