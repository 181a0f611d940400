//go:build !linux

package loadtest

import (
	"testing"

	"dyno/internal/load"
)

var stops, silences, limits map[string]func(*testing.T, load.Engine)

func beChild(*testing.T, load.Engine) {}
