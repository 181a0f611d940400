//go:build !linux

package wire

import (
	"errors"
	"fmt"
	"runtime"
)

var errSystem = fmt.Errorf("network namespaces need Linux, and this is %s: %w", runtime.GOOS, errors.ErrUnsupported)

// Do runs f; it knows no namespace but dyno's own.
func InNamespace(file string, f func() error) error {
	if file != "" {
		return errSystem
	}
	return f()
}

// New fails with an error that wraps errors.ErrUnsupported.
func NewNamespace() error { return errSystem }

// Allowed fails with an error that wraps errors.ErrUnsupported.
func NamespacesAllowed() error { return errSystem }
