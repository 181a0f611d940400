package truth

import (
	"context"
	"net"
	"net/http"
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
		pattern := q.Method + " " + path
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

// answer is the handler of one request.
func (r *Reference) answer(q *scenario.Request) http.HandlerFunc {
	var names []string
	for name := range q.With {
		if strings.Contains(q.Path, "{"+name+"}") {
			names = append(names, name)
		}
	}
	var body string
	if q.Expect.Body != nil {
		body = *q.Expect.Body
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
			v, err := strconv.ParseInt(req.PathValue(name), 10, 64)
			if in := q.With[name].Int; err != nil || v < in[0] || v > in[1] {
				http.NotFound(w, req)
				return
			}
			if fixed == nil {
				out = strings.ReplaceAll(out, "{"+name+"}", strconv.FormatInt(v, 10))
			}
		}
		if r.Delay > 0 {
			time.Sleep(r.Delay)
		}
		_ = Spin(r.Turns)
		for name, value := range q.Expect.Headers {
			w.Header()[http.CanonicalHeaderKey(name)] = []string{value}
		}
		if q.Expect.Status != http.StatusOK {
			w.WriteHeader(q.Expect.Status)
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

// RefCost is what one request costs the reference at saturation, ns of CPU, when nothing better is known: measured on this project's first
// machine (doc/method.md). It only sets the size of ref+x%; what counts is what the run then finds.
const RefCost = 13_000 * time.Nanosecond
