package machine

import (
	"strings"
	"testing"
)

func TestRoomFor(t *testing.T) {
	if err := RoomFor(1, 1); err != nil {
		t.Error(err)
	}
	if err := RoomFor(1<<40, 0); err == nil || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("2^40 connections: %v", err)
	}
}
