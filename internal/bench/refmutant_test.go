package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/refserver"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// refMutant is the reference with one defect that a verifier must find. applies reports whether it is a defect
// under a scenario's contract.
type refMutant struct {
	Name    string
	Does    string // the defect in words
	applies func(*scenario.Scenario) bool
	alter   func(*scenario.Scenario) // changes the scenario that the reference serves
	wrap    wrapper
	raw     bool // answers pipelined requests in reverse order

	// Trial says how to expose the defect.
	Trial mutantTrial
	stays bool // does not end on SIGTERM
}

// mutantTrial is a way to try a mutant.
type mutantTrial uint8

// The ways to try a mutant.
const (
	tryAnswers mutantTrial = iota // send requests, then a load
	tryWaiting                    // start it with a delay
	tryEnding                     // send SIGTERM
)

// cannedAfter is the number of right responses from the mutant "canned".
const cannedAfter = 40

// mixedEvery is the interval, in responses, at which the mutant "mixed-up" tries to swap bodies.
const mixedEvery = 50

// refMutants returns all mutants. The late ones are right for lateAfter requests.
func refMutants() []refMutant {
	return []refMutant{
		{Name: "wrong-body", applies: hasBody(nil), wrap: onBody(everyReply, spoil),
			Does: "each body has the right length and one wrong byte"},
		{Name: "wrong-file", applies: hasBody(isUnloaded), wrap: unloaded(spoil),
			Does: "a wrong byte only in responses that are not loaded (weight 0)"},
		{Name: "empty-error", applies: hasBody(isError), wrap: onErrors(func(a *madeReply) { a.body = nil }),
			Does: "errors have the right status and no body"},
		{Name: "ok-on-error", applies: anyRequest(isError), wrap: onErrors(func(a *madeReply) { a.status = 200 }),
			Does: "errors have the status 200"},
		{Name: "late", applies: hasBody(isLoaded), wrap: later(func(a *madeReply) { a.body = spoil(a.body) }),
			Does: "right for 10,000 requests, then one wrong byte"},
		{Name: "late-status", applies: anyScenario, wrap: later(func(a *madeReply) { a.status = 500 }),
			Does: "right for 10,000 requests, then 500 with the right body"},
		{Name: "late-header", applies: alwaysHeader, wrap: withoutHeader(later),
			Does: "right for 10,000 requests, then omits a header"},
		{Name: "constant-id", applies: anyRequest(isDrawn), wrap: constant,
			Does: "responds to every id as to the first"},
		{Name: "any-id", Does: "accepts any text as a number", applies: refusesText, alter: anyID},
		{Name: "mixed-up", applies: mixable, wrap: mixed,
			Does: "sometimes swaps the bodies of two connections"},
		{Name: "unordered", Does: "answers pipelined requests in reverse order", applies: manyAnswers, raw: true},
		{Name: "missing-header", Does: "omits a header", applies: hasHeader, wrap: withoutHeader(onAll)},
		{Name: "wrong-type", Does: "has a different Content-Type", applies: hasType,
			wrap: withHeader("Content-Type", "application/octet-stream")},
		{Name: "no-date", Does: "has no Date header", applies: anyScenario, wrap: onAll(func(a *madeReply) { a.header["Date"] = nil })},
		{Name: "cached-date", Does: "always has the Date of its start", applies: anyScenario, wrap: cachedDate},
		{Name: "closes", applies: anyScenario, wrap: withHeader("Connection", "close"),
			Does: "closes the connection after each response"},
		{Name: "chunked", applies: hasBody(isLoaded), wrap: onAll(chunk),
			Does: "sends chunked bodies without declaring it"},
		{Name: "shared-session", Does: "gives all visitors the same session", applies: hasSession, wrap: oneForAll},
		{Name: "forgets", Does: "stores nothing in sessions", applies: keeps, alter: forgetful},
		{Name: "renews", Does: "changes the session's id with each request", applies: keeps, wrap: renewing(0)},
		{Name: "late-renews", applies: keeps, wrap: renewing(lateAfter),
			Does: "right for 10,000 requests, then changes the id of each session"},
		{Name: "trusts-cookie", Does: "accepts an invented cookie as a session", applies: keeps, wrap: trusting},
		{Name: "by-connection", applies: keeps, wrap: byConnection,
			Does: "distinguishes visitors by connection, not by cookie"},
		{Name: "canned", applies: hasOthers, wrap: canned,
			Does: "right for 40 requests, then sends the loaded request's response to all requests"},
		{Name: "canned-in-crowds", applies: mixes, wrap: cannedInCrowds,
			Does: "sends the loaded request's response to all requests while several connections are used in turn"},
		{Name: "late-chunked", applies: hasBody(isLoaded), wrap: later(chunk),
			Does: "right for 10,000 requests, then sends chunked bodies"},
		{Name: "hasty", Does: "does not wait for its delay", applies: anyScenario, Trial: tryWaiting},
		{Name: "hasty-in-crowds", applies: anyScenario, wrap: waitingAlone, Trial: tryWaiting,
			Does: "waits for its delay only while it has a single request"},
		{Name: "stays", Does: "keeps running after SIGTERM", applies: anyScenario, stays: true, Trial: tryEnding},
		{Name: "trailing-comma", applies: hasRecords, wrap: onBody(isJSON, trailingComma),
			Does: "has the right length, but a comma after the last record, which is invalid JSON"},
		{Name: "lower-case", applies: hasRecords, wrap: onBody(isJSON, bytes.ToLower),
			Does: "writes the names in JSON in lower case"},
		{Name: "wrong-compressed", applies: isCoded, wrap: onThose(isJSON, spoilCoded),
			Does: "compresses a body with one wrong byte"},
		{Name: "wrong-row", applies: hasRows(func(r *scenario.Rows) bool { return !r.Updated }), wrap: onBody(isJSON, spoil),
			Does: "the last row has another row's value"},
		{Name: "late-row", applies: hasRows(func(r *scenario.Rows) bool { return !r.Updated }), wrap: later(spoilRow),
			Does: "right for 10,000 requests, then the last row has another row's value"},
		{Name: "row-above", applies: hasRows(func(*scenario.Rows) bool { return true }), wrap: onBody(isJSON, rowAbove),
			Does: "the first row does not exist"},
		{Name: "few-rows", applies: hasRows(func(r *scenario.Rows) bool { return r.Count > 1 }), wrap: onBody(isJSON, fewRows),
			Does: "omits the last row"},
		{Name: "number-as-text", applies: hasRecords, wrap: onBody(isJSON, quoted),
			Does: "writes the last number in JSON in quotes"},
	}
}

// refMutantsOf returns the mutants that apply to s.
func refMutantsOf(s *scenario.Scenario) []refMutant {
	return slices.DeleteFunc(refMutants(), func(m refMutant) bool { return !m.applies(s) })
}

// Serve serves on ln like ref, except for the defect, until ctx ends.
func (m refMutant) Serve(ctx context.Context, ln net.Listener, ref *refserver.Reference) error {
	served := *ref.Scenario
	served.Requests = slices.Clone(served.Requests)
	if m.alter != nil {
		m.alter(&served)
	}
	flawed := &refserver.Reference{Scenario: &served, Delay: ref.Delay, Hash: ref.Hash, Turns: ref.Turns, Ask: ref.Ask}
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
	return serveUntil(ctx, ln, &http.Server{Handler: h})
}

// madeReply is a response before it is sent. Handlers write it as an http.ResponseWriter.
type madeReply struct {
	header  http.Header
	status  int
	body    []byte
	chunked bool
}

// newMadeReply returns an empty response with status 200.
func newMadeReply() *madeReply { return &madeReply{header: http.Header{}, status: http.StatusOK} }

func (a *madeReply) Header() http.Header         { return a.header }
func (a *madeReply) WriteHeader(status int)      { a.status = status }
func (a *madeReply) Write(b []byte) (int, error) { a.body = append(a.body, b...); return len(b), nil }

// send sends the response as the reference would have.
func (a *madeReply) send(w http.ResponseWriter) {
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
func change(h http.Handler, how func(*http.Request, *madeReply)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := newMadeReply()
		h.ServeHTTP(a, r)
		how(r, a)
		a.send(w)
	})
}

// wrapper puts a defect around the reference's handler for a scenario.
type wrapper = func(*scenario.Scenario, http.Handler) http.Handler

// onAll modifies every response.
func onAll(how func(*madeReply)) wrapper {
	return func(_ *scenario.Scenario, h http.Handler) http.Handler {
		return change(h, func(_ *http.Request, a *madeReply) { how(a) })
	}
}

// withHeader sets a header in every response.
func withHeader(name, value string) wrapper {
	return onAll(func(a *madeReply) { a.header.Set(name, value) })
}

// chunk sends the body in chunks.
func chunk(a *madeReply) { a.chunked = true }

// onThose modifies the responses for which when returns true.
func onThose(when func(*madeReply) bool, how func(*madeReply)) wrapper {
	return onAll(func(a *madeReply) {
		if when(a) {
			how(a)
		}
	})
}

func onErrors(how func(*madeReply)) wrapper {
	return onThose(func(a *madeReply) bool { return a.status >= 400 }, how)
}

func onBody(when func(*madeReply) bool, how func([]byte) []byte) wrapper {
	return onThose(when, func(a *madeReply) { a.body = how(a.body) })
}

func everyReply(*madeReply) bool { return true }
func isJSON(a *madeReply) bool   { return strings.Contains(a.header.Get("Content-Type"), "json") }

// unloaded modifies the bodies for requests that are never loaded and are no errors.
func unloaded(how func([]byte) []byte) wrapper {
	return func(s *scenario.Scenario, h http.Handler) http.Handler {
		paths := map[string]bool{}
		for i := range s.Requests {
			if isUnloaded(&s.Requests[i]) {
				paths[s.Requests[i].Path] = true
			}
		}
		return change(h, func(r *http.Request, a *madeReply) {
			if paths[r.URL.RequestURI()] {
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

// spoilCoded spoils a body within its content coding.
func spoilCoded(a *madeReply) {
	if coding := a.header.Get("Content-Encoding"); coding != "" {
		plain := wire.Decoded(&wire.Response{Fields: []wire.Field{{Name: "Content-Encoding", Value: coding}}, Body: a.body})
		a.body = []byte(wire.Encoded(coding, string(spoil(plain))))
	}
}

// spoilRow spoils the last row.
func spoilRow(a *madeReply) {
	if isJSON(a) {
		a.body = spoil(a.body)
	}
}

// rowAbove adds digits to the first number.
func rowAbove(b []byte) []byte { return bytes.Replace(b, []byte(":"), []byte(":20000"), 1) }

// fewRows omits the last element of a list.
func fewRows(b []byte) []byte {
	if i := bytes.LastIndex(b, []byte(",{")); i > 0 {
		return append(bytes.Clone(b[:i]), ']')
	}
	return b
}

// quoted puts quotes around the last number.
func quoted(b []byte) []byte {
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	end := bytes.LastIndexFunc(b, digit) + 1
	start := bytes.LastIndexFunc(b[:end], func(r rune) bool { return !digit(r) }) + 1
	return slices.Concat(b[:start], []byte{'"'}, b[start:end], []byte{'"'}, b[end:])
}

// lateAfter is the number of right responses before a late defect.
var lateAfter = 10_000

// later returns a handler that is right for the first lateAfter requests.
func later(how func(*madeReply)) wrapper {
	return func(_ *scenario.Scenario, h http.Handler) http.Handler {
		var n atomic.Int64
		return change(h, func(_ *http.Request, a *madeReply) {
			if n.Add(1) > int64(lateAfter) {
				how(a)
			}
		})
	}
}

// constant always sends the body of the first response for the route.
func constant(_ *scenario.Scenario, h http.Handler) http.Handler {
	var first sync.Map
	return change(h, func(r *http.Request, a *madeReply) {
		body, _ := first.LoadOrStore(r.Pattern, a.body)
		a.body = body.([]byte)
	})
}

// cannedWhen repeats the first right response for every request for which when returns true. when is called
// once per request, never concurrently.
func cannedWhen(h http.Handler, when func(*http.Request) bool) http.Handler {
	var mu sync.Mutex
	var kept *madeReply
	return change(h, func(r *http.Request, a *madeReply) {
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
func withoutHeader(where func(func(*madeReply)) wrapper) wrapper {
	return func(s *scenario.Scenario, h http.Handler) http.Handler {
		name := headerOf(s)
		return where(func(a *madeReply) { a.header[name] = nil })(s, h)
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
		a    *madeReply
		met  chan struct{}
	}
	var mu sync.Mutex
	var n int
	var waits *waiter
	return change(h, func(r *http.Request, a *madeReply) {
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

// Conditions on scenarios, for refMutant.applies.

func anyScenario(*scenario.Scenario) bool { return true }

// anyRequest holds for scenarios with a request for which is returns true.
func anyRequest(is func(*scenario.Request) bool) func(*scenario.Scenario) bool {
	return func(s *scenario.Scenario) bool {
		return slices.ContainsFunc(s.Requests, func(q scenario.Request) bool { return is(&q) })
	}
}

// hasBody holds for scenarios with a request for which is returns true, unless is is nil, and whose
// contract defines a body that is not empty.
func hasBody(is func(*scenario.Request) bool) func(*scenario.Scenario) bool {
	return anyRequest(func(q *scenario.Request) bool {
		return (is == nil || is(q)) && q.Method != http.MethodHead && bodyOf(q) != ""
	})
}

func isLoaded(q *scenario.Request) bool { return q.Weight > 0 }
func isError(q *scenario.Request) bool  { return q.Expect.Status >= 400 }

func isUnloaded(q *scenario.Request) bool { return q.Weight == 0 && !isError(q) }

// hasOthers holds if some request is never loaded. It excludes scenarios with sessions.
func hasOthers(s *scenario.Scenario) bool {
	return s.Session == "" && anyRequest(func(q *scenario.Request) bool { return q.Weight == 0 })(s)
}

// mixes reports whether a load can include requests that are otherwise never loaded.
func mixes(s *scenario.Scenario) bool { return hasOthers(s) && s.Mixed() != s }

// isDrawn reports whether the expected body repeats a drawn value.
func isDrawn(q *scenario.Request) bool { return drawnIn(q, bodyOf(q)) != "" }

// drawnIn returns the name of one of q's inputs that is a placeholder in body; "" if there is none.
func drawnIn(q *scenario.Request, body string) string {
	for name := range q.With {
		if !q.Expect.Verbatim && strings.Contains(body, "{"+name+"}") {
			return name
		}
	}
	return ""
}

func hasHeader(s *scenario.Scenario) bool { return hasSession(s) || alwaysHeader(s) }

// alwaysHeader reports whether every loaded response has a required header, even if the client sends the
// session cookie.
func alwaysHeader(s *scenario.Scenario) bool {
	has := anyRequest(func(q *scenario.Request) bool { return isLoaded(q) && len(q.Expect.Headers) > 0 })
	return hasSession(s) && !s.Cookies || has(s)
}

// Properties that one request suffices to give a scenario.
var (
	hasType    = anyRequest(func(q *scenario.Request) bool { return q.Expect.Headers["Content-Type"] != "" })
	hasSession = anyRequest(func(q *scenario.Request) bool { return q.Expect.Session })
	// keeps: a request reads the session's content.
	keeps = anyRequest(func(q *scenario.Request) bool { return q.Expect.Recalls })
	// isCoded: a loaded body is compressed.
	isCoded = anyRequest(func(q *scenario.Request) bool { return isLoaded(q) && q.Expect.Headers["Content-Encoding"] != "" })
	// hasRecords: a JSON list.
	hasRecords = anyRequest(func(q *scenario.Request) bool {
		return q.Expect.JSON != nil && strings.HasSuffix(strings.TrimSpace(*q.Expect.JSON), "}]")
	})
)

// hasRows holds for scenarios whose loaded answers hold rows of such a kind.
func hasRows(is func(*scenario.Rows) bool) func(*scenario.Scenario) bool {
	return anyRequest(func(q *scenario.Request) bool { return isLoaded(q) && q.Expect.Rows != nil && is(q.Expect.Rows) })
}

// manyAnswers holds if two loaded requests have different bodies.
func manyAnswers(s *scenario.Scenario) bool {
	bodies := map[string]bool{}
	for i := range s.Requests {
		if q := &s.Requests[i]; isLoaded(q) {
			if isDrawn(q) {
				return true
			}
			bodies[bodyOf(q)] = true
		}
	}
	return len(bodies) > 1
}

func mixable(s *scenario.Scenario) bool { return manyAnswers(s) || keeps(s) }

// refusesText: a path that an int placeholder matches with other text must be refused.
func refusesText(s *scenario.Scenario) bool {
	for i := range s.Requests {
		q := &s.Requests[i]
		one := scenario.Scenario{Name: s.Name, Requests: []scenario.Request{*q}}
		if isError(q) || len(q.With) == 0 || refserver.Can(&one) != nil {
			continue
		}
		routes := (&refserver.Reference{Scenario: &one}).Handler().(*http.ServeMux)
		for k := range s.Requests {
			refused := &s.Requests[k]
			r, err := http.NewRequest(refused.Method, refused.Path, nil)
			if err != nil || !isError(refused) || len(refused.With) > 0 {
				continue
			}
			if _, pattern := routes.Handler(r); pattern != "" {
				return true
			}
		}
	}
	return false
}

// serveReversed answers with h until ctx ends. It answers pipelined requests on a connection in reverse
// order.
func serveReversed(ctx context.Context, ln net.Listener, h http.Handler) error {
	return eachConn(ctx, ln, func(conn net.Conn) {
		in := bufio.NewReaderSize(conn, 64<<10)
		for {
			var answers [][]byte
			for len(answers) == 0 || in.Buffered() > 0 {
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					return
				}
				r.RemoteAddr = conn.RemoteAddr().String()
				a := newMadeReply()
				h.ServeHTTP(a, r)
				answers = append(answers, a.bytes())
			}
			slices.Reverse(answers)
			if _, err := conn.Write(slices.Concat(answers...)); err != nil {
				return
			}
		}
	})
}

// bytes returns the response on the wire.
func (a *madeReply) bytes() []byte {
	a.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	r := http.Response{
		StatusCode: a.status, ProtoMajor: 1, ProtoMinor: 1, Header: a.header,
		Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}
	var b bytes.Buffer
	_ = r.Write(&b) // writing to a Buffer never fails
	return b.Bytes()
}

// serveUntil lets srv answer on ln until ctx ends.
func serveUntil(ctx context.Context, ln net.Listener, srv *http.Server) error {
	defer context.AfterFunc(ctx, func() {
		stop, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if srv.Shutdown(stop) != nil {
			srv.Close()
		}
	})()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// eachConn calls serve in a goroutine for each connection on ln until ctx ends, which closes the connections.
func eachConn(ctx context.Context, ln net.Listener, serve func(net.Conn)) error {
	var all sync.WaitGroup
	defer all.Wait()
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	for {
		c, err := ln.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		all.Go(func() {
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			serve(c)
		})
	}
}

// bodyOf returns the body that q's contract requires, with unfilled placeholders.
func bodyOf(q *scenario.Request) string {
	switch e := &q.Expect; {
	case e.Body != nil:
		return *e.Body
	case e.JSON != nil:
		return *e.JSON
	}
	return ""
}

// TestEveryMutantIsOfUse: each mutant applies to a shipped scenario, except the one that needs a response
// with a drawn value.
func TestEveryMutantIsOfUse(t *testing.T) {
	project := os.DirFS("../..")
	names, err := scenario.Names(project)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{"constant-id": 1}
	for _, name := range names {
		s, err := scenario.Read(project, name)
		if err == nil {
			s, err = s.Bind(func(string) ([]byte, error) { return []byte(`[{"Id":1}]`), nil })
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range refMutantsOf(s) {
			of[m.Name]++
		}
	}
	for _, m := range refMutants() {
		if of[m.Name] == 0 {
			t.Errorf("%s applies to nothing", m.Name)
		}
	}
	if len(of) != len(refMutants()) {
		t.Errorf("%d names for %d mutants", len(of), len(refMutants()))
	}
}

func TestDefectsKeepTheLength(t *testing.T) {
	for _, body := range []string{"value", "Z", "9", "z", `[{"Id":"a","Time":1}]` + "\n", "é1"} {
		if got := string(spoil([]byte(body))); got == body || len(got) != len(body) {
			t.Errorf("%q becomes %q", body, got)
		}
	}
	if got := string(trailingComma([]byte("[{}]\n"))); got != "[{},]" {
		t.Errorf("trailing comma: %q", got)
	}
	if got := string(quoted([]byte(`[{"Time":12}]`))); got != `[{"Time":"12"}]` {
		t.Errorf("number as text: %q", got)
	}
}
