package bench

import (
	"context"
	"dyno/internal/load"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
)

// cheatDelay is the contestants' delay in TestCheatsAreStruck.
const cheatDelay = 20 * time.Millisecond

// cheats are servers that do not do their work, with the stage and the text of their failure.
var cheats = map[string]struct {
	cheat func(*fakeHost, *fakeGenerator, *record.Load) // Load: nil before the run, else of a load of b
	stage string
	want  string
}{
	"none": {func(*fakeHost, *fakeGenerator, *record.Load) {}, "", ""},
	"canned answers after the proof": {func(h *fakeHost, _ *fakeGenerator, l *record.Load) {
		if l == nil {
			h.canned = map[string]bool{"b": true}
		}
	}, "verify", `after the last load of epoch 0: request "get"`},
	"right for one connection": {func(_ *fakeHost, d *fakeGenerator, l *record.Load) {
		if l != nil && d.asks > 1 {
			l.Failed, l.Failures = 3, map[string]int64{"status": 3}
		}
	}, "verify", "after the last load of epoch 0: under a load that includes requests with weight 0: 3 of "},
	"no delay": {func(h *fakeHost, _ *fakeGenerator, l *record.Load) {
		if l == nil {
			h.hasty = map[string]bool{"b": true}
		}
	}, "verify", "but the handler must wait 20ms (DYNO_DELAY)"},
	"no delay under load": {func(_ *fakeHost, _ *fakeGenerator, l *record.Load) {
		if l != nil {
			l.ServiceP50NS = 2e6
		}
	}, "load", "impossible (R3): half of its responses came within 2ms"},
	"more than its delay allows": {func(_ *fakeHost, _ *fakeGenerator, l *record.Load) {
		if l != nil {
			l.Succeeded, l.Started = 2*l.Succeeded, 2*l.Started
		}
	}, "load", "requests in flight ÷ 20ms (DYNO_DELAY) allow"},
	"more in flight than its connections hold": {func(_ *fakeHost, _ *fakeGenerator, l *record.Load) {
		if l != nil {
			h := record.NewHistogram()
			h.Record(int64(2 * cheatDelay))
			l.Service, _ = h.Encode(2)
		}
	}, "load", "requests in flight, but the connections can carry 4"},
	"fewer bytes than HTTP has": {func(_ *fakeHost, _ *fakeGenerator, l *record.Load) {
		if l != nil {
			l.BytesRead = 10 * l.Succeeded
		}
	}, "load", "impossible (R4): 10 bytes per response"},
	"a header less under load": {func(_ *fakeHost, _ *fakeGenerator, l *record.Load) {
		if l != nil {
			l.BytesRead = 80 * l.Succeeded
		}
	}, "load", "it responds differently under load (R4): 80 bytes per response"},
	"it stays": {func(h *fakeHost, _ *fakeGenerator, l *record.Load) {
		if l == nil {
			h.stays = map[string]bool{"b": true}
		}
	}, "verify", "it did not end"},
}

// TestCheatsAreStruck: a contestant that keeps its contract while it is checked, but does not do
// the work, fails with the reason.
func TestCheatsAreStruck(t *testing.T) {
	for name, c := range cheats {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // its handlers wait
			b, h, d, _ := set(t)
			h.scenario.Requests = append(h.scenario.Requests,
				scenario.Request{Name: "text", Method: "GET", Path: "/api/values/abc",
					Expect: scenario.Expect{Status: 404}})
			d.rates = map[string]float64{"a": 175, "b": 190, "ref": 180, "ref'": 180, "null": 2e5}
			d.trouble = func(of string, l *record.Load) {
				l.ServiceP50NS = int64(cheatDelay)
				if of == "b" {
					c.cheat(h, d, l)
				}
			}
			c.cheat(h, d, nil)
			p := small("a", "b")
			p.Levels[0].DelayNS, p.Rounds = int64(cheatDelay), 1
			ctx, enough := context.WithCancel(t.Context())
			defer enough()
			keep := b.Append
			b.Append = func(r record.Record) error {
				if r.Trial != nil && r.Trial.Epoch > 0 {
					enough()
				}
				return keep(r)
			}
			run, err := b.Run(ctx, wholePlan(p))
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
			if i := slices.IndexFunc(run.Failures, func(f record.Failure) bool { return f.Contestant != "b" }); i >= 0 {
				t.Errorf("another is out too: %+v", run.Failures[i])
			}
		})
	}
}

// TestKeptAnswersAreStruck: a contestant that keeps its service's answers, instead of asking again,
// fails, however short the time.
func TestKeptAnswersAreStruck(t *testing.T) {
	for _, keeps := range []time.Duration{0, 200 * time.Millisecond, time.Hour} {
		b, h, _, p := relaySet(t)
		h.keeps = keeps
		p.Levels, p.Family = p.Levels[:1], nil
		run, err := b.Run(t.Context(), wholePlan(p))
		if err != nil {
			t.Fatal(err)
		}
		if keeps == 0 {
			if len(run.Failures) > 0 {
				t.Errorf("%+v", run.Failures)
			}
			continue
		}
		if f := run.FailureOf("b"); f == nil || f.Stage != "verify" || f.Epoch != 0 ||
			!strings.Contains(f.Reason, "after the last load of epoch 0") {
			t.Errorf("%v: %+v", keeps, f)
		}
		for _, f := range run.Failures {
			if f.Contestant != "b" {
				t.Errorf("another is out too: %+v", f)
			}
		}
	}
}

// TestWhoIsEndedWhileFrozenIsNotBlamed: a process that ends while frozen was ended by someone else.
func TestWhoIsEndedWhileFrozenIsNotBlamed(t *testing.T) {
	b, h, _, _ := set(t)
	h.exits = map[string]int{}
	b.Event = func(e record.Event) {
		if e.Stage == "measured" && e.Contestant == "b" {
			h.exits["b"] = 1
		}
	}
	run, err := b.Run(t.Context(), wholePlan(small("a", "b", "c")))
	if err != nil {
		t.Fatal(err)
	}
	f := run.FailureOf("b")
	if f == nil || f.Epoch == 0 || f.Stage != "load" ||
		!strings.Contains(f.Reason, "it was killed before its load: signal: killed") ||
		strings.Contains(f.Reason, "under load") {
		t.Errorf("%+v", f)
	}
}

// A server whose first process ends by itself was not killed.
func TestEndedBeforeItsLoad(t *testing.T) {
	crash := endedBefore(errors.New("signal: segmentation fault (core dumped)"))
	if !strings.Contains(crash.Error(), "crashed") {
		t.Error(crash)
	}
	if err := endedBefore(errors.New("exit status 1")); strings.Contains(err.Error(), "killed") {
		t.Error(err)
	}
	if err := endedBefore(errors.New("signal: killed")); !strings.Contains(err.Error(), "out-of-memory killer") {
		t.Error(err)
	}
}

// TestWhoDoesNotHashIsStruck: if handlers hash before they answer, a contestant that does not hash
// fails, by the CPU time that it used.
func TestWhoDoesNotHashIsStruck(t *testing.T) {
	for name, c := range map[string]struct {
		cost     time.Duration // per answer, for b
		controls []string
		want     string
	}{
		"hashes":               {800 * time.Microsecond, []string{"ref", "ref'"}, ""},
		"does not":             {20 * time.Microsecond, []string{"ref", "ref'"}, "take at least 101µs on any CPU"},
		"does not, no control": {20 * time.Microsecond, []string{}, "take at least 101µs on any CPU"},
		"hashes a third": {300 * time.Microsecond, []string{"ref", "ref'"},
			"but ref, which does the hashing of DYNO_WORK=cpu, used 1ms"},
	} {
		t.Run(name, func(t *testing.T) {
			b, h, d, _ := set(t)
			p := small("a", "b")
			p.Levels[0].Work, p.Controls, p.Ceiling = record.CPUBound, c.controls, ""
			used := map[string]time.Duration{}
			h.compiles = func(s *fakeServer) time.Duration { return used[s.name] }
			d.rates = map[string]float64{"a": 1000, "b": 1000, "ref": 1000, "ref'": 1000}
			d.trouble = func(name string, l *record.Load) {
				cost := time.Millisecond
				if name == "b" {
					cost = c.cost
				}
				used[name] += cost * time.Duration(l.Succeeded)
			}
			run, err := b.Run(t.Context(), wholePlan(p))
			if err != nil {
				t.Fatal(err)
			}
			f := run.FailureOf("b")
			if (f == nil) != (c.want == "") || f != nil && (f.Stage != "load" || !strings.Contains(f.Reason, c.want)) {
				t.Errorf("%+v; want %q", f, c.want)
			}
			for _, f := range run.Failures {
				if f.Contestant != "b" {
					t.Errorf("another is out too: %+v", f)
				}
			}
		})
	}
}

// TestDateStandsStill: a contestant that still sends the Date of its start after the loads is out.
func TestDateStandsStill(t *testing.T) {
	b, h, _, _ := set(t)
	ref := (&refserver.Reference{Scenario: h.scenario}).Handler()
	dated := func(step time.Duration) func(int) http.Handler {
		return func(int) http.Handler {
			var n atomic.Int64
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				at := time.Unix(1e9, 0).Add(time.Duration(n.Add(1)) * step)
				w.Header().Set("Date", at.UTC().Format(http.TimeFormat))
				ref.ServeHTTP(w, r)
			})
		}
	}
	h.handlers = map[string]func(int) http.Handler{"a": dated(time.Second), "b": dated(0)}
	h.thaws = func(*fakeServer) { // as if time had passed
		for name, d := range b.exact.dates {
			d.at = d.at.Add(-3 * time.Second)
			b.exact.dates[name] = d
		}
	}
	p := small("a", "b")
	p.Controls, p.Ceiling, p.Epochs = nil, "", []int{2}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	if f := run.FailureOf("b"); f == nil || f.Stage != "verify" || !strings.Contains(f.Reason, "the Date header is still") ||
		run.FailureOf("a") != nil {
		t.Errorf("%+v", run.Failures)
	}
}

// TestWrongBeforeTheLoad: a server whose answers are wrong only after a thaw, before the load that counts, is out.
func TestWrongBeforeTheLoad(t *testing.T) {
	for reason, spoil := range map[string]func(*record.Load){
		"3 of 7 responses broke the contract: status 3": func(l *record.Load) {
			l.Succeeded, l.Failed, l.Failures = 4, 3, map[string]int64{"status": 3}
		},
		"3 of 7 requests got no whole response: closed 3": func(l *record.Load) {
			l.Succeeded, l.Started, l.Errors = 4, 7, map[string]int64{"closed": 3}
		},
	} {
		b, _, d, _ := set(t)
		name := ""
		d.trouble = func(n string, _ *record.Load) { name = n }
		d.within = func(w load.Window, l *record.Load) {
			if name == "b" && w.For == 30*time.Millisecond {
				spoil(l)
			}
		}
		p := small("a", "b")
		p.Controls, p.Ceiling, p.Epochs = nil, "", []int{2}
		run, err := b.Run(t.Context(), wholePlan(p))
		if err != nil {
			t.Fatal(err)
		}
		if f := run.FailureOf("b"); f == nil || f.Stage != "load" || !strings.Contains(f.Reason, reason) ||
			!strings.Contains(f.Reason, "before a load that counts") || run.FailureOf("a") != nil {
			t.Errorf("%s: %+v", reason, run.Failures)
		}
	}
}
