package load

import (
	"math"
	"testing"
	"time"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

func TestPrepare(t *testing.T) {
	s := func(headers ...scenario.HeaderLine) *scenario.Scenario {
		return &scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1, Headers: headers,
			Expect: scenario.Expect{Status: 200}}}}
	}
	j := Job{Endpoint: wire.TCP("127.0.0.1:1"), Scenario: s(), Connections: 1}
	if mix, err := j.Prepare(); err != nil || mix == nil || j.Timeout != 10*time.Second || j.Pipeline != 1 ||
		j.PerConnection != 0 {
		t.Errorf("%+v, %v, %v", j, mix, err)
	}
	j = Job{Endpoint: wire.TCP("127.0.0.1:1"), Timeout: 1, Pipeline: 2,
		Scenario: s(scenario.HeaderLine{Name: "Connection", Value: "close"}), Connections: 1}
	if _, err := j.Prepare(); err != nil || j.Timeout != 1 || j.Pipeline != 2 || j.PerConnection != 1 {
		t.Errorf("a request that closes: %+v, %v", j, err)
	}
	if _, err := (&Job{Scenario: s()}).Prepare(); err == nil {
		t.Error("no connections, and no error")
	}
}

func TestDeadline(t *testing.T) {
	ends := &Schedule{Stages: []Stage{{For: 5, From: 1, To: 1}}}
	endless := &Schedule{Stages: []Stage{{From: 1, To: 1}}}
	for _, c := range []struct {
		w    Window
		want int64 // of a window that begins at 100
		ends bool
	}{
		{Window{}, math.MaxInt64, false},
		{Window{For: 7}, 107, true},
		{Window{Requests: 3}, math.MaxInt64, true},
		{Window{Schedule: endless}, math.MaxInt64, false},
		{Window{Schedule: ends}, 105, true},
		{Window{Schedule: ends, For: 3}, 103, true},
		{Window{Schedule: ends, For: 9}, 105, true},
		{Window{Schedule: ends, Requests: 3}, math.MaxInt64, true},
		{Window{Schedule: ends, Requests: 3, For: 9}, 109, true},
	} {
		if got, err := c.w.Deadline(100), c.w.Check(); got != c.want || (err == nil) != c.ends {
			t.Errorf("%+v: nothing starts after %d, want %d; %v", c.w, got, c.want, err)
		}
	}
}
