//go:build !linux

package loadtest

import (
	"testing"

	"dyno/internal/load"
)

var stops map[string]func(*testing.T, load.Engine)

func beChild(*testing.T, load.Engine) {}
