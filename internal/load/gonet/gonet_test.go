package gonet

import (
	"testing"

	"dyno/internal/load/loadtest"
)

func TestConformance(t *testing.T) { loadtest.Run(t, Engine{}) }
