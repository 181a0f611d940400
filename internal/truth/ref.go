package truth

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"dyno/internal/scenario"
)

// Reference answers any scenario from its contract, on net/http: the yardstick of every run. Delay is slept before each answer; Turns of
// an idle loop are added to it, as a known cost.
type Reference struct {
	Scenario *scenario.Scenario
	Delay    time.Duration
	Turns    int

	added added
}

// Serve answers on ln until ctx ends, then stops within a second.
func (r *Reference) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{Handler: r.Handler()}
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

// Handler routes each request of the scenario to its expected answer, and any other to 404. A placeholder in a path matches an integer in
// its range, or else nothing.
func (r *Reference) Handler() http.Handler {
	mux := http.NewServeMux()
	byPattern := map[string][]*scenario.Request{}
	var patterns []string
	for i := range r.Scenario.Requests {
		q := &r.Scenario.Requests[i]
		path, _, _ := strings.Cut(q.Path, "?")
		pattern := q.Method + " " + wildcards(path)
		if byPattern[pattern] == nil {
			patterns = append(patterns, pattern)
		}
		byPattern[pattern] = append(byPattern[pattern], q)
	}
	for _, pattern := range patterns {
		mux.Handle(pattern, r.answer(byPattern[pattern][0]))
	}
	return mux
}

// Can says why the reference cannot answer s, or nil.
func Can(s *scenario.Scenario) error {
	for i := range s.Requests {
		q := &s.Requests[i]
		if q.Expect.SHA256 != "" && q.Expect.Body == nil {
			return fmt.Errorf("ref cannot answer %s: of the body of %q only a hash is known", s.Name, q.Name)
		}
		path, _, _ := strings.Cut(q.Path, "?")
		for part := range strings.SplitSeq(wildcards(path), "/") {
			if strings.Contains(part, "{") && !(part[0] == '{' && strings.IndexByte(part, '}') == len(part)-1) {
				return fmt.Errorf("ref cannot answer %s: in %s a placeholder is only a part of its segment", s.Name, q.Path)
			}
		}
	}
	return nil
}

// wildcards gives the inline placeholders of a path names, for ServeMux.
func wildcards(path string) string {
	n := 0
	return inline.ReplaceAllStringFunc(path, func(string) string {
		n++
		return fmt.Sprintf("{inline%d}", n)
	})
}

var inline = regexp.MustCompile(`\{(int:[^}]*|uuid|seq|pick:[^}]*)\}`)

// answer is the handler of one request.
func (r *Reference) answer(q *scenario.Request) http.HandlerFunc {
	var names []string
	for name := range q.With {
		if strings.Contains(q.Path, "{"+name+"}") {
			names = append(names, name)
		}
	}
	var body string
	switch {
	case q.Expect.Body != nil:
		body = *q.Expect.Body
	case q.Expect.Length != nil:
		body = strings.Repeat("x", int(*q.Expect.Length))
	}
	status := q.Expect.Status
	for s := 100; status == 0 && s < 600; s++ {
		if q.Expect.Statuses.Has(s) {
			status = s
		}
	}
	fixed := []byte(body)
	for name := range q.With {
		if strings.Contains(body, "{"+name+"}") {
			fixed = nil
		}
	}
	return func(w http.ResponseWriter, req *http.Request) {
		out := body
		for _, name := range names {
			value, in := req.PathValue(name), q.With[name]
			if in.Pick == nil && !in.UUID && !in.Seq {
				v, err := strconv.ParseInt(value, 10, 64)
				if err != nil || v < in.Int[0] || v > in.Int[1] {
					http.NotFound(w, req)
					return
				}
				value = strconv.FormatInt(v, 10)
			}
			if fixed == nil {
				out = strings.ReplaceAll(out, "{"+name+"}", value)
			}
		}
		if r.Delay > 0 {
			time.Sleep(r.Delay)
		}
		r.added.spin(r.Turns)
		for name, value := range q.Expect.Headers {
			w.Header()[http.CanonicalHeaderKey(name)] = []string{value}
		}
		if status != http.StatusOK {
			w.WriteHeader(status)
		}
		if fixed != nil {
			w.Write(fixed)
		} else {
			w.Write([]byte(out))
		}
	}
}

// Spin turns an idle loop n times: a cost of known proportion, since a turn's time scales with the clock as all other work does. It is not
// inlined: with its result unused, there the compiler could drop the work.
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

// TurnsFor finds how many turns of Spin take d, by the fastest of several timings.
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

// RefCost is what one request costs the reference at saturation, ns of CPU, when nothing better is known: of the 2,000 trials in the seven runs of
// doc/method.md the median is 16.1 µs and the fastest tenth below 14.0. It only sets the size of ref+x%; what counts is what the run then finds.
const RefCost = 15_500 * time.Nanosecond
