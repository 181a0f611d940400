//go:build !linux

package loadtest

import (
	"testing"

	"dyno/internal/load"
)

var limits map[string]func(*testing.T, load.Engine)
