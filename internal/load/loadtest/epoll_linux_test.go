package loadtest

import (
	"testing"

	"dyno/internal/load/epoll"
)

func TestEpollConforms(t *testing.T) { conform(t, epoll.Engine{}) }
