package report

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// TestLedgerPlans: a number of requests, or a rate, is a plan; a time is none.
func TestLedgerPlans(t *testing.T) {
	s := closed()
	for want, change := range map[string]func(){
		"120,000 started = 120,000 succeeded":                     func() { s.For = 10 * time.Second },
		"planned 120,000 = 120,000 started + 0 never started; ":   func() { s.For = 0 },
		"planned 120,000 = 120,000 started + 0 never started; st": func() { s.For, s.Open = 10*time.Second, true },
	} {
		if change(); !strings.HasPrefix(s.ledger(), want) {
			t.Errorf("%s; want %s", s.ledger(), want)
		}
		s.Open = false
	}
}

// TestTwoRates: where the mean of the seconds is another figure than the rate, the output says of what
// each is.
func TestTwoRates(t *testing.T) {
	s := closed()
	s.Load.RateFromNS = 1
	const differs = "averages the time in which requests were sent"
	for mean, want := range map[float64]string{1.01: "", 0.99: "", 1.1: differs, 0.9: differs} {
		if got := s.twoRates(mean * s.PerSec()); !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("%g: %q; want %q", mean, got, want)
		}
	}
	s.Load.RateFromNS = 2e9
	if got := s.twoRates(1.1 * s.PerSec()); !strings.HasSuffix(got, "from the end of the ramp-up on") {
		t.Errorf("with a ramp-up: %q", got)
	}
	s.Load = closed().Load
	s.Load.RateAnswers, s.Load.Succeeded = 0, 0
	if got := s.twoRates(0); got != "" {
		t.Errorf("of no rate: %q", got)
	}
}

// TestLastMessage: a table of errors has a column of messages only where there is one.
func TestLastMessage(t *testing.T) {
	for kind, want := range map[string]bool{"dial": true, "status": false} {
		s := closed()
		s.Detail.Texts = map[string]string{"dial": "connection refused"}
		var b strings.Builder
		s.Load.Errors = map[string]int64{kind: 1}
		if err := SummaryText(&b, s); err != nil || strings.Contains(b.String(), "last message") != want {
			t.Errorf("%s: %v\n%s", kind, err, &b)
		}
	}
}

// TestErrorsHead: a response that is cut short is one, which the heading does not deny.
func TestErrorsHead(t *testing.T) {
	for want, errors := range map[string]map[string]int64{
		"Errors (no response)": {"dial": 1, "timeout": 1}, "Errors (no response, or not all of it)": {"truncated": 2}} {
		s := closed()
		if s.Load.Errors = errors; s.errorsHead() != want {
			t.Errorf("%v: %s; want %s", errors, s.errorsHead(), want)
		}
	}
}

// TestTryHTTP2: HTTP/2 is advised where the server sent it, or may have closed each connection for it; not
// where anything was answered, the server is gone or errors are of other kinds.
func TestTryHTTP2(t *testing.T) {
	const sent, perhaps = ". The server speaks HTTP/2: pass --http h2c", ". If the server speaks HTTP/2 alone, pass --http h2"
	refused := func(alpn string) func(*Summary) {
		return func(s *Summary) { s.Load.BytesRead, s.Load.TLS = 900, []record.TLSSession{{ALPN: alpn}} }
	}
	for name, c := range map[string]struct {
		change func(*Summary)
		want   string
	}{
		"closed":    {func(*Summary) {}, perhaps + "c"},
		"reset":     {func(s *Summary) { s.Load.Errors = map[string]int64{"reset": 9, "closed": 1} }, perhaps + "c"},
		"sent":      {func(s *Summary) { s.SentHTTP2, s.Load.BytesRead = true, 90 }, sent},
		"over TLS":  {refused(""), perhaps},
		"agreed":    {refused("http/1.1"), ""},
		"answered":  {func(s *Summary) { s.SentHTTP2, s.Load.Succeeded = true, 1 }, ""},
		"wrong":     {func(s *Summary) { s.Load.Failed = 1 }, ""},
		"some byte": {func(s *Summary) { s.Load.BytesRead = 1 }, ""},
		"timeout":   {func(s *Summary) { s.Load.Errors["timeout"] = 1 }, ""},
		"gone":      {func(s *Summary) { s.Load.UnreachableNS = 1 }, ""},
		"HTTP/2":    {func(s *Summary) { s.HTTP2 = true }, ""},
		"no error":  {func(s *Summary) { s.Load.Errors = nil }, ""},
	} {
		s := &Summary{OneLoad: judge.OneLoad{Load: record.Load{Started: 10, Errors: map[string]int64{"closed": 10}}}}
		c.change(s)
		text := judge.TextOf(s.Findings(), judge.Errors)
		if !strings.HasSuffix(text, c.want) || c.want == "" && strings.Contains(text, "--http") {
			t.Errorf("%s: %q; want %q", name, text, c.want)
		}
	}
}

// TestUnsteady: the reason that is said is the one that holds. What is not known is not said.
func TestUnsteady(t *testing.T) {
	const ms = int64(time.Millisecond)
	for want, change := range map[string]func(*Summary){
		"only 20 requests on 20 connections, too few for a rate": func(s *Summary) {
			s.Load.Started, s.Load.RateNS = 20, 250*ms
		},
		"requests were sent for only 250 ms, or 5.00 median service times": func(s *Summary) { s.Load.RateNS = 250 * ms },
		"after the ramp-up requests were sent for only 200 ms, or 4.00 median service times": func(s *Summary) {
			s.Ramp, s.Load.Started, s.Load.RateNS = 2800*time.Millisecond, 30, 3000*ms
		},
		"the load ended before the ramp-up": func(s *Summary) { s.Ramp, s.Load.RateNS = 3*time.Second, 2000*ms },
		"a connection got no response":      func(s *Summary) { s.Depth, s.Load.RateNS = 1, 450*ms },
		"a connection got fewer than 4 responses": func(s *Summary) {
			s.Load.Started, s.Depth = 20, 4
		},
		"the rate does not come from a steady part of the load": func(s *Summary) { s.Depth = 0 },
	} {
		s := closed()
		s.Load.RateFromNS, s.Load.ServiceP50NS, s.Load.Established, s.Load.Started = 0, 50*ms, 20, 2000
		s.Load.RateNS = 10_000 * ms
		change(s)
		if text := judge.TextOf(s.Findings(), judge.Edges); text != "not steady: "+want+". Make the load longer" {
			t.Errorf("%s; want %s", text, want)
		}
	}
}

// TestLongest: the time without any answer and the longest right answer are two figures: the connections
// that had no answer meanwhile are not those of the longest one.
func TestLongest(t *testing.T) {
	for want, most := range map[string]int64{
		"no answer for 400 ms on 4 connections although requests waited; the longest right answer took 2.00 s, the " +
			"median 1.00 ms": 2e9,
		"no answer for 400 ms on 4 connections although requests waited": 0,
	} {
		s := closed()
		s.Load.Connections, s.Load.SilentNS, s.Load.ServiceP50NS, s.Load.ServiceMaxNS = 4, 400e6, 1e6, most
		if text := judge.TextOf(s.Findings(), judge.Longest); text != want {
			t.Errorf("%s; want %s", text, want)
		}
	}
}
