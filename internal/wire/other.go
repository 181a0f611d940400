//go:build !linux

package wire

import (
	"errors"
	"fmt"
	"runtime"
)

var errSystem = fmt.Errorf("network namespaces need Linux, and this is %s: %w", runtime.GOOS, errors.ErrUnsupported)

// InNamespace runs f; it knows no namespace but dyno's own.
func InNamespace(file string, f func() error) error {
	if file != "" {
		return errSystem
	}
	return f()
}

// NewNamespace fails with an error that wraps errors.ErrUnsupported.
func NewNamespace() error { return errSystem }

// NamespacesAllowed fails with an error that wraps errors.ErrUnsupported.
func NamespacesAllowed() error { return errSystem }

// ReadSocket returns false: dyno does not read this system's counts.
func ReadSocket(int) (s Socket, ok bool) { return s, false }
