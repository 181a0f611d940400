package loadtest

import (
	"testing"

	"dyno/internal/load/loop"
)

func TestEpollConforms(t *testing.T) { conform(t, loop.Engine{}) }
