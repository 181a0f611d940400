package refserver

import (
	"bytes"
	"context"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dyno/internal/scenario"
)

// Mutant is the reference with one defect that a verifier must find. applies reports whether it is a defect
// under a scenario's contract.
type Mutant struct {
	Name    string
	Does    string // the defect in words
	applies func(*scenario.Scenario) bool
	flaw    flaw
	wrap    func(*scenario.Scenario, http.Handler) http.Handler // nil: flaw is used instead
	raw     bool                                                // answers pipelined requests in reverse order

	// Trial says how to expose the defect.
	Trial Trial
	stays bool // does not end on SIGTERM
}

// Trial is a way to try a mutant.
type Trial uint8

// The ways to try a mutant.
const (
	Answers Trial = iota // send requests, then a load
	Waiting              // start it with a delay
	Ending               // send SIGTERM
)

// flaw is a defect within the reference.
type flaw uint8

const (
	none          flaw = iota
	anyID              // accepts any text as a number
	forgetful          // stores nothing
	oneForAll          // gives all visitors the same session
	renewing           // changes the session id with each request
	lateRenewing       // like renewing, after lateAfter requests
	trusting           // takes an unknown id for the last issued one
	byConnection       // identifies visitors by connection, not by cookie
	hasty              // ignores the delay
	hastyInCrowds      // ignores the delay during concurrent requests
)

// cannedAfter is the number of right responses from the mutant "canned".
const cannedAfter = 40

// lateAfter is the number of right responses from the late mutants.
const lateAfter = 10_000

// mixedEvery is the interval, in responses, at which the mutant "mixed-up" tries to swap bodies.
const mixedEvery = 50

// mutants returns all mutants. The late ones are right for lateAfter requests.
func mutants() []Mutant {
	return []Mutant{
		{Name: "wrong-body", applies: hasBody(nil), wrap: onBody(always, spoil),
			Does: "each body has the right length and one wrong byte"},
		{Name: "wrong-file", applies: hasBody(isUnloaded), wrap: unloaded(spoil),
			Does: "a wrong byte only in responses that are not loaded (weight 0)"},
		{Name: "empty-error", applies: hasBody(isError), wrap: onErrors(func(a *reply) { a.body = nil }),
			Does: "errors have the right status and no body"},
		{Name: "ok-on-error", applies: anyRequest(isError), wrap: onErrors(func(a *reply) { a.status = 200 }),
			Does: "errors have the status 200"},
		{Name: "late", applies: hasBody(isLoaded), wrap: later(func(a *reply) { a.body = spoil(a.body) }),
			Does: "right for 10,000 requests, then one wrong byte"},
		{Name: "late-status", applies: all, wrap: later(func(a *reply) { a.status = 500 }),
			Does: "right for 10,000 requests, then 500 with the right body"},
		{Name: "late-header", applies: alwaysHeader, wrap: withoutHeader(later),
			Does: "right for 10,000 requests, then omits a header"},
		{Name: "constant-id", applies: anyRequest(isDrawn), wrap: constant,
			Does: "responds to every id as to the first"},
		{Name: "any-id", Does: "accepts any text as a number", applies: refusesText, flaw: anyID},
		{Name: "mixed-up", applies: mixable, wrap: mixed,
			Does: "sometimes swaps the bodies of two connections"},
		{Name: "unordered", Does: "answers pipelined requests in reverse order", applies: manyAnswers, raw: true},
		{Name: "missing-header", Does: "omits a header", applies: hasHeader, wrap: withoutHeader(onAll)},
		{Name: "wrong-type", Does: "has a different Content-Type", applies: hasType,
			wrap: withHeader("Content-Type", "application/octet-stream")},
		{Name: "no-date", Does: "has no Date header", applies: all, wrap: onAll(func(a *reply) { a.header["Date"] = nil })},
		{Name: "cached-date", Does: "always has the Date of its start", applies: all, wrap: cachedDate},
		{Name: "closes", applies: all, wrap: withHeader("Connection", "close"),
			Does: "closes the connection after each response"},
		{Name: "chunked", applies: hasBody(isLoaded), wrap: onAll(chunk),
			Does: "sends chunked bodies without declaring it"},
		{Name: "shared-session", Does: "gives all visitors the same session", applies: hasSession, flaw: oneForAll},
		{Name: "forgets", Does: "stores nothing in sessions", applies: keeps, flaw: forgetful},
		{Name: "renews", Does: "changes the session's id with each request", applies: keeps, flaw: renewing},
		{Name: "late-renews", applies: keeps, flaw: lateRenewing,
			Does: "right for 10,000 requests, then changes the id of each session"},
		{Name: "trusts-cookie", Does: "accepts an invented cookie as a session", applies: keeps, flaw: trusting},
		{Name: "by-connection", applies: keeps, flaw: byConnection,
			Does: "distinguishes visitors by connection, not by cookie"},
		{Name: "canned", applies: hasOthers, wrap: canned,
			Does: "right for 40 requests, then sends the loaded request's response to all requests"},
		{Name: "canned-in-crowds", applies: mixes, wrap: cannedInCrowds,
			Does: "sends the loaded request's response to all requests while several connections are used in turn"},
		{Name: "late-chunked", applies: hasBody(isLoaded), wrap: later(chunk),
			Does: "right for 10,000 requests, then sends chunked bodies"},
		{Name: "hasty", Does: "does not wait for its delay", applies: all, flaw: hasty, Trial: Waiting},
		{Name: "hasty-in-crowds", applies: all, flaw: hastyInCrowds, Trial: Waiting,
			Does: "waits for its delay only while it has a single request"},
		{Name: "stays", Does: "keeps running after SIGTERM", applies: all, stays: true, Trial: Ending},
		{Name: "trailing-comma", applies: hasRecords, wrap: onBody(isJSON, trailingComma),
			Does: "has the right length, but a comma after the last record, which is invalid JSON"},
		{Name: "lower-case", applies: hasRecords, wrap: onBody(isJSON, bytes.ToLower),
			Does: "writes the names in JSON in lower case"},
		{Name: "number-as-text", applies: hasRecords, wrap: onBody(isJSON, quoted),
			Does: "writes the last number in JSON in quotes"},
	}
}

// Mutants returns the mutants that apply to s.
func Mutants(s *scenario.Scenario) []Mutant {
	return slices.DeleteFunc(mutants(), func(m Mutant) bool { return !m.applies(s) })
}

// Serve serves on ln like ref, except for the defect, until ctx ends.
func (m Mutant) Serve(ctx context.Context, ln net.Listener, ref *Reference) error {
	flawed := &Reference{
		Scenario: ref.Scenario, Delay: ref.Delay, Hash: ref.Hash, Turns: ref.Turns, Ask: ref.Ask, flaw: m.flaw,
	}
	var h http.Handler = flawed.Handler()
	if m.wrap != nil {
		h = m.wrap(ref.Scenario, h)
	}
	if m.raw {
		return serveReversed(ctx, ln, h)
	}
	if m.stays {
		ctx = context.WithoutCancel(ctx)
	}
	return serveUntil(ctx, ln, &http.Server{Handler: h, ConnContext: withFetched})
}

// reply is a response before it is sent. Handlers write it as an http.ResponseWriter.
type reply struct {
	header  http.Header
	status  int
	body    []byte
	chunked bool
}

// newReply returns an empty response with status 200.
func newReply() *reply { return &reply{header: http.Header{}, status: http.StatusOK} }

func (a *reply) Header() http.Header         { return a.header }
func (a *reply) WriteHeader(status int)      { a.status = status }
func (a *reply) Write(b []byte) (int, error) { a.body = append(a.body, b...); return len(b), nil }

// send sends the response as the reference would have.
func (a *reply) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	if _, typed := a.header["Content-Type"]; !typed && len(a.body) > 0 {
		w.Header().Set("Content-Type", http.DetectContentType(a.body))
	}
	switch {
	case a.chunked:
		w.Header().Del("Content-Length") // set by the reference for long bodies
	case a.status != http.StatusNoContent:
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	w.Write(a.body)
	if f, ok := w.(http.Flusher); ok && a.chunked {
		f.Flush()
	}
}

// change returns a handler that modifies h's responses.
func change(h http.Handler, how func(*http.Request, *reply)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := newReply()
		h.ServeHTTP(a, r)
		how(r, a)
		a.send(w)
	})
}

// wrapper puts a defect around the reference's handler for a scenario.
type wrapper = func(*scenario.Scenario, http.Handler) http.Handler

// onAll modifies every response.
func onAll(how func(*reply)) wrapper {
	return func(_ *scenario.Scenario, h http.Handler) http.Handler {
		return change(h, func(_ *http.Request, a *reply) { how(a) })
	}
}

// withHeader sets a header in every response.
func withHeader(name, value string) wrapper {
	return onAll(func(a *reply) { a.header.Set(name, value) })
}

// chunk sends the body in chunks.
func chunk(a *reply) { a.chunked = true }

// onThose modifies the responses for which when returns true.
func onThose(when func(*reply) bool, how func(*reply)) wrapper {
	return onAll(func(a *reply) {
		if when(a) {
			how(a)
		}
	})
}

func onErrors(how func(*reply)) wrapper {
	return onThose(func(a *reply) bool { return a.status >= 400 }, how)
}

func onBody(when func(*reply) bool, how func([]byte) []byte) wrapper {
	return onThose(when, func(a *reply) { a.body = how(a.body) })
}

func always(*reply) bool   { return true }
func isJSON(a *reply) bool { return strings.Contains(a.header.Get("Content-Type"), "json") }

// unloaded modifies the bodies for requests that are never loaded and are no errors.
func unloaded(how func([]byte) []byte) wrapper {
	return func(s *scenario.Scenario, h http.Handler) http.Handler {
		paths := map[string]bool{}
		for i := range s.Requests {
			if isUnloaded(&s.Requests[i]) {
				paths[s.Requests[i].Path] = true
			}
		}
		return change(h, func(r *http.Request, a *reply) {
			if paths[r.URL.Path] {
				a.body = how(a.body)
			}
		})
	}
}

// spoil replaces the last letter or digit in b and keeps the length.
func spoil(b []byte) []byte {
	at := bytes.LastIndexFunc(b, func(r rune) bool { return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' })
	if at < 0 {
		return b
	}
	b = bytes.Clone(b)
	if b[at]++; b[at] > 'z' || b[at] == '9'+1 || b[at] == 'Z'+1 {
		b[at] -= 2
	}
	return b
}

// trailingComma puts a comma before the last bracket. The comma replaces the newline at the end, so that the
// length stays.
func trailingComma(b []byte) []byte {
	b = bytes.TrimRight(b, "\n")
	return append(bytes.Clone(b[:len(b)-1]), ",]"...)
}

// quoted puts quotes around the last number.
func quoted(b []byte) []byte {
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	end := bytes.LastIndexFunc(b, digit) + 1
	start := bytes.LastIndexFunc(b[:end], func(r rune) bool { return !digit(r) }) + 1
	return slices.Concat(b[:start], []byte{'"'}, b[start:end], []byte{'"'}, b[end:])
}

// later returns a handler that is right for the first lateAfter requests.
func later(how func(*reply)) wrapper {
	return func(_ *scenario.Scenario, h http.Handler) http.Handler {
		var n atomic.Int64
		return change(h, func(_ *http.Request, a *reply) {
			if n.Add(1) > lateAfter {
				how(a)
			}
		})
	}
}

// constant always sends the body of the first response for the route.
func constant(_ *scenario.Scenario, h http.Handler) http.Handler {
	var first sync.Map
	return change(h, func(r *http.Request, a *reply) {
		body, _ := first.LoadOrStore(r.Pattern, a.body)
		a.body = body.([]byte)
	})
}

// cannedWhen repeats the first right response for every request for which when returns true. when is called
// once per request, never concurrently.
func cannedWhen(h http.Handler, when func(*http.Request) bool) http.Handler {
	var mu sync.Mutex
	var kept *reply
	return change(h, func(r *http.Request, a *reply) {
		mu.Lock()
		defer mu.Unlock()
		switch now := when(r); {
		case now && kept != nil:
			*a = *kept
		case kept == nil && a.status < 400:
			first := *a
			kept = &first
		}
	})
}

// canned sends the first right response to all requests after cannedAfter.
func canned(_ *scenario.Scenario, h http.Handler) http.Handler {
	n := 0
	return cannedWhen(h, func(*http.Request) bool { n++; return n > cannedAfter })
}

// cannedInCrowds sends the first right response to a request if both it and the request before came over
// another connection than their predecessors.
func cannedInCrowds(_ *scenario.Scenario, h http.Handler) http.Handler {
	var before string
	turned := false
	return cannedWhen(h, func(r *http.Request) bool {
		turns := r.RemoteAddr != before
		twice := turns && turned
		before, turned = r.RemoteAddr, turns
		return twice
	})
}

// cachedDate always sends the date of the server's start.
func cachedDate(s *scenario.Scenario, h http.Handler) http.Handler {
	return withHeader("Date", time.Now().UTC().Format(http.TimeFormat))(s, h)
}

// withoutHeader omits a header that the contract requires, in the responses that where selects.
func withoutHeader(where func(func(*reply)) wrapper) wrapper {
	return func(s *scenario.Scenario, h http.Handler) http.Handler {
		name := headerOf(s)
		return where(func(a *reply) { a.header[name] = nil })(s, h)
	}
}

// headerOf returns a header that a loaded request's contract requires, or else Set-Cookie for the session.
func headerOf(s *scenario.Scenario) string {
	for i := range s.Requests {
		if q := &s.Requests[i]; isLoaded(q) {
			for _, name := range slices.Sorted(maps.Keys(q.Expect.Headers)) {
				return http.CanonicalHeaderKey(name)
			}
		}
	}
	return "Set-Cookie"
}

// mixed lets every fiftieth request wait for another connection's request, and swaps their bodies.
func mixed(_ *scenario.Scenario, h http.Handler) http.Handler {
	type waiter struct {
		from string
		a    *reply
		met  chan struct{}
	}
	var mu sync.Mutex
	var n int
	var waits *waiter
	return change(h, func(r *http.Request, a *reply) {
		mu.Lock()
		if waits != nil && waits.from != r.RemoteAddr {
			waits.a.body, a.body = a.body, waits.a.body
			close(waits.met)
			waits = nil
			mu.Unlock()
			return
		}
		if n++; n%mixedEvery != 0 || waits != nil {
			mu.Unlock()
			return
		}
		me := &waiter{r.RemoteAddr, a, make(chan struct{})}
		waits = me
		mu.Unlock()
		select {
		case <-me.met:
		case <-time.After(5 * time.Millisecond):
			mu.Lock()
			if waits == me {
				waits = nil
			}
			mu.Unlock()
		}
	})
}
