package bench

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/result"
	"dyno/internal/scenario"
)

// TestCheatsAreStruck: a contestant that keeps its contract as long as it is looked at, but does not do the work, is out, with the reason.
func TestCheatsAreStruck(t *testing.T) {
	const delay = 20 * time.Millisecond
	for name, c := range map[string]struct {
		cheat func(*fakeHost, *fakeDriver, *result.Load) // Load: nil before the run, else of a trial of b
		stage string
		want  string
	}{
		"none": {func(*fakeHost, *fakeDriver, *result.Load) {}, "", ""},
		"canned answers after the proof": {func(h *fakeHost, _ *fakeDriver, l *result.Load) {
			if l == nil {
				h.canned = map[string]bool{"b": true}
			}
		}, "verify", `after the last load of epoch 0: request "get"`},
		"no delay": {func(h *fakeHost, _ *fakeDriver, l *result.Load) {
			if l == nil {
				h.hasty = map[string]bool{"b": true}
			}
		}, "verify", "though the handler is to wait DYNO_DELAY, 20ms"},
		"no delay under load": {func(_ *fakeHost, _ *fakeDriver, l *result.Load) {
			if l != nil {
				l.ServiceP50NS = 2e6
			}
		}, "load", "impossible (R3): half of its answers came within 2ms"},
		"more than its delay allows": {func(_ *fakeHost, _ *fakeDriver, l *result.Load) {
			if l != nil {
				l.Succeeded, l.Started = 2*l.Succeeded, 2*l.Started
			}
		}, "load", "requests in flight ÷ 20ms (DYNO_DELAY) allow"},
		"fewer bytes than HTTP has": {func(_ *fakeHost, _ *fakeDriver, l *result.Load) {
			if l != nil {
				l.BytesRead = 10 * l.Succeeded
			}
		}, "load", "impossible (R4): 10 bytes per answer"},
		"a header less under load": {func(_ *fakeHost, _ *fakeDriver, l *result.Load) {
			if l != nil {
				l.BytesRead = 80 * l.Succeeded
			}
		}, "load", "it answers otherwise under load (R4): 80 bytes per answer"},
		"it stays": {func(h *fakeHost, _ *fakeDriver, l *result.Load) {
			if l == nil {
				h.stays = map[string]bool{"b": true}
			}
		}, "verify", "it did not end"},
	} {
		t.Run(name, func(t *testing.T) {
			b, h, d, _ := set(t)
			h.scenario.Requests = append(h.scenario.Requests, scenario.Request{Name: "text", Method: "GET", Path: "/api/values/abc",
				Expect: scenario.Expect{Status: 404}})
			d.rates = map[string]float64{"a": 175, "b": 190, "ref": 180, "ref'": 180, "null": 2e5}
			d.trouble = func(of string, l *result.Load) {
				l.ServiceP50NS = int64(delay)
				if of == "b" {
					c.cheat(h, d, l)
				}
			}
			c.cheat(h, d, nil)
			p := small("a", "b")
			p.Level.DelayNS, p.Rounds = int64(delay), 1
			ctx, enough := context.WithCancel(t.Context())
			defer enough()
			keep := b.Append
			b.Append = func(r result.Record) error {
				if r.Trial != nil && r.Trial.Epoch > 0 {
					enough()
				}
				return keep(r)
			}
			run, err := b.Run(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			f := run.FailureOf("b")
			if c.want == "" {
				if len(run.Failures) > 0 {
					t.Fatalf("%+v", run.Failures)
				}
				return
			}
			if f == nil || f.Stage != c.stage || !strings.Contains(f.Reason, c.want) {
				t.Fatalf("failure %+v; want one in %s with %q", f, c.stage, c.want)
			}
			if i := slices.IndexFunc(run.Failures, func(f result.Failure) bool { return f.Contestant != "b" }); i >= 0 {
				t.Errorf("another is out too: %+v", run.Failures[i])
			}
		})
	}
}
