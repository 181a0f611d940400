//go:build !linux

package loadtest

import (
	"testing"

	"dyno/internal/load"
)

var silences map[string]func(*testing.T, load.Engine)
