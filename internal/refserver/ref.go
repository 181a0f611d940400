package refserver

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Reference answers any scenario from its contract, on net/http: the reference in every run. It sleeps for
// Delay before each response, then hashes if Hash is set, then turns an idle loop Turns times, as a known
// added cost.
type Reference struct {
	Scenario *scenario.Scenario
	Delay    time.Duration
	Hash     bool // do the hashing of CPU-bound contestants
	Turns    int
	Ask      func(path string) ([]byte, error) // asks the service, if the scenario has one that is not bound

	added added
}

// Serve answers on ln in HTTP/1.1 in the clear until ctx ends, then stops within a second.
func (r *Reference) Serve(ctx context.Context, ln net.Listener) error {
	return serveUntil(ctx, ln, r.server(wire.AtClear))
}

// server returns a server of the forms of HTTP for the listener at; a TLS listener makes handshakes with ALPN.
func (r *Reference) server(at wire.Listener) *http.Server {
	srv := &http.Server{Handler: r.Handler(), ConnContext: withFetched, Protocols: new(http.Protocols)}
	srv.Protocols.SetHTTP1(at != wire.AtH2C)
	srv.Protocols.SetHTTP2(at == wire.AtTLS)
	srv.Protocols.SetUnencryptedHTTP2(at == wire.AtH2C)
	return srv
}

// serveUntil lets srv answer on ln until ctx ends.
func serveUntil(ctx context.Context, ln net.Listener, srv *http.Server) error {
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := srv.Shutdown(stop); err != nil {
		srv.Close()
	}
	<-done
	return nil
}

// Handler routes each request in the scenario to its expected response, and any other to 404. An int
// placeholder in a path matches integers in its range, other placeholders match any segment. Requests with the
// same path are told apart by their whole query.
func (r *Reference) Handler() http.Handler {
	mux := http.NewServeMux()
	routed := map[string]*byQuery{}
	var kept *sessions
	if r.Scenario.Session != "" {
		kept = &sessions{cookie: r.Scenario.Session, recent: map[string]string{}, turned: time.Now()}
	}
	for i := range r.Scenario.Requests {
		q := &r.Scenario.Requests[i]
		pattern := patternOf(q)
		_, query, _ := strings.Cut(q.Path, "?")
		switch h := routed[pattern]; {
		case h == nil:
			routed[pattern] = &byQuery{query, r.answer(q, kept), map[string]http.HandlerFunc{}}
			mux.Handle(pattern, routed[pattern])
		case query != h.query && h.others[query] == nil:
			h.others[query] = r.answer(q, kept)
		}
	}
	return mux
}

// byQuery answers requests with one path: by the first of the scenario's, unless another has the same query.
type byQuery struct {
	query  string // the first's
	first  http.HandlerFunc
	others map[string]http.HandlerFunc
}

func (h *byQuery) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if len(h.others) > 0 {
		if other := h.others[req.URL.RawQuery]; other != nil {
			other(w, req)
			return
		}
	}
	h.first(w, req)
}

// patternOf returns a request's route for ServeMux.
func patternOf(q *scenario.Request) string {
	path, _, _ := strings.Cut(q.Path, "?")
	return q.Method + " " + wildcards(path)
}

// Can says why the reference cannot answer s, or nil. It may ask s's service for responses (Reference.Ask).
func Can(s *scenario.Scenario) error {
	for i := range s.Requests {
		q := &s.Requests[i]
		path, _, _ := strings.Cut(q.Path, "?")
		for part := range strings.SplitSeq(strings.TrimSuffix(wildcards(path), "{$}"), "/") {
			if strings.Contains(part, "{") && !(part[0] == '{' && strings.IndexByte(part, '}') == len(part)-1) {
				return fmt.Errorf("ref cannot serve %s: in %s a placeholder is not a whole segment",
					s.Name, q.Path)
			}
		}
	}
	return nil
}

// wildcards names the inline placeholders in a path, for ServeMux, and adds an end to a path that ends in
// "/".
func wildcards(path string) string {
	n := 0
	if strings.HasSuffix(path, "/") {
		path += "{$}"
	}
	return inline.ReplaceAllStringFunc(path, func(string) string {
		n++
		return fmt.Sprintf("{inline%d}", n)
	})
}

var inline = regexp.MustCompile(`\{(int:[^}]*|uuid|seq|pick:[^}]*)\}`)

// answer returns the handler for one request.
func (r *Reference) answer(q *scenario.Request, kept *sessions) http.HandlerFunc {
	inputs := inPath(q)
	body := bodyOf(q)
	status := q.Expect.Status
	for s := 100; status == 0 && s < 600; s++ {
		if q.Expect.Statuses.Has(s) {
			status = s
		}
	}
	fixed := []byte(body)
	if isDrawn(q) {
		fixed = nil
	}
	return func(w http.ResponseWriter, req *http.Request) {
		out, remembers := body, q.Remembers
		for i := range inputs {
			in := &inputs[i]
			value, ok := read(&in.Input, in.value(req))
			if !ok {
				http.NotFound(w, req)
				return
			}
			if fixed == nil {
				out = strings.ReplaceAll(out, in.mark, value)
			}
			if remembers != "" {
				remembers = strings.ReplaceAll(remembers, in.mark, value)
			}
		}
		time.Sleep(r.Delay)
		if r.Hash {
			hashes(hashZeros)
		}
		r.added.spin(r.Turns)
		text := fixed
		switch e := &q.Expect; {
		case e.Rows != nil:
			text = e.Rows.Make()
		case e.SHA256:
			sum := sha256.New()
			io.Copy(sum, req.Body)
			text = fmt.Appendf(nil, "%x", sum.Sum(nil))
		case e.Recalls:
			text = []byte(kept.holds(kept.open(w, req, e.Session)))
		case e.Session || q.Remembers != "":
			if id := kept.open(w, req, e.Session); q.Remembers != "" && id != "" {
				kept.keep(id, remembers)
			}
		case e.JSONOf != "" && r.Ask != nil:
			var err error
			if text, err = r.relayed(req, e.JSONOf); err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
		}
		for name, value := range q.Expect.Headers {
			w.Header()[http.CanonicalHeaderKey(name)] = []string{value}
		}
		if text == nil {
			text = []byte(out)
		}
		if len(text) > ownLength {
			w.Header()["Content-Length"] = []string{strconv.Itoa(len(text))}
		}
		if status != http.StatusOK {
			w.WriteHeader(status)
		}
		w.Write(text)
	}
}

// ownLength is the body length in bytes up to which net/http sets Content-Length itself, because it buffers
// as much.
const ownLength = 2048

// bodyOf returns the body that q's contract requires, with unfilled placeholders, in its content coding.
func bodyOf(q *scenario.Request) string {
	e := &q.Expect
	switch coding := e.Headers["Content-Encoding"]; {
	case e.Body != nil && !e.Collapse:
		return *e.Body
	case e.Body != nil:
		return wire.Encoded(coding, *e.Body)
	case e.JSON != nil:
		return wire.Encoded(coding, *e.JSON)
	}
	return ""
}

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

// input is a named input in a path or query.
type input struct {
	scenario.Input
	mark  string // text of the placeholder
	value func(*http.Request) string
}

// inPath finds q's inputs in the path and query, and how to read them.
func inPath(q *scenario.Request) (all []input) {
	path, query, _ := strings.Cut(q.Path, "?")
	for name, in := range q.With {
		mark := "{" + name + "}"
		if strings.Contains(path, mark) {
			all = append(all, input{in, mark, func(req *http.Request) string { return req.PathValue(name) }})
			continue
		}
		values, _ := url.ParseQuery(query)
		for key := range values {
			if values.Get(key) == mark {
				all = append(all, input{in, mark, func(req *http.Request) string { return req.URL.Query().Get(key) }})
			}
		}
	}
	return all
}

// read returns an input's value: an integer in its range, or any text for other kinds of input.
func read(in *scenario.Input, value string) (string, bool) {
	if in.Pick != nil || in.UUID || in.Seq {
		return value, true
	}
	v, err := strconv.ParseInt(value, 10, 64)
	return strconv.FormatInt(v, 10), err == nil && v >= in.Int[0] && v <= in.Int[1]
}

// Spin turns an idle loop n times. The cost is proportional, because a turn scales with the clock like all
// other work. Spin is not inlined, because the compiler could then drop work whose result is unused.
//
//go:noinline
func Spin(n int) uint64 {
	x := uint64(n) | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// TurnsFor returns the number of turns for which Spin takes d, from the fastest of several timings.
func TurnsFor(d time.Duration) int {
	const probe = 200_000
	best := time.Duration(1 << 62)
	for range 20 {
		start := time.Now()
		_ = Spin(probe)
		best = min(best, time.Since(start))
	}
	return int(float64(d) / float64(best) * probe)
}

// RefCost is the reference's CPU time per request at saturation if nothing better is known: 12.7 to 14.3 µs
// were seen on the machine in doc/method.md, whose generator busy-waits. It only sets the size of ref+x%; the
// run measures the actual cost.
const RefCost = 14_000 * time.Nanosecond
