package truth

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/scenario"
)

// Null is a server that answers every request with the same bytes, in the given manner. What a load engine reaches against a plain one is
// that engine's ceiling; the others have a latency, a share of errors, that is known beforehand.
type Null struct {
	Response []byte
	Manner   Manner
}

// TimeHeader of an answer of a timed server is the time since its request was read, in ns, as 15 digits.
const TimeHeader = "X-Truth-Ns"

// Tally is what a null server knows of its own run.
type Tally struct {
	Requests int64    `json:"requests"` // read in full, dropped ones among them
	Dropped  int64    `json:"dropped"`
	Stalls   int64    `json:"stalls"`            // that ended
	Service  *Service `json:"service,omitempty"` // of a timed server
}

// Service is the distribution of a timed server's true times, from a request's read to its answer's write.
type Service struct {
	Count  int64 `json:"count"`
	P50NS  int64 `json:"p50_ns"`
	P90NS  int64 `json:"p90_ns"`
	P99NS  int64 `json:"p99_ns"`
	P999NS int64 `json:"p999_ns"`
	MaxNS  int64 `json:"max_ns"`
}

// ServeNull is a plain Null's Serve.
func ServeNull(ctx context.Context, network, addr string, response []byte) error {
	_, err := (&Null{Response: response}).Serve(ctx, network, addr)
	return err
}

// NullResponse renders the answer that the contract of s's first loaded request asks for, for Null. Its Date stands still. It
// fails if the body depends on what is drawn: such a scenario needs ref.
func NullResponse(s *scenario.Scenario) ([]byte, error) {
	for i := range s.Requests {
		r := &s.Requests[i]
		if r.Weight <= 0 {
			continue
		}
		e := r.Expect
		if e.Session {
			return nil, fmt.Errorf("null response of %s: each answer may be another, for it keeps sessions", s.Name)
		}
		if e.Status == 0 || e.Body == nil && (e.Length != nil || e.SHA256 != "" || e.JSON != nil || e.JSONOf != "") {
			return nil, fmt.Errorf("null response of %s: its contract leaves open what the answer is", s.Name)
		}
		body := ""
		if r.Expect.Body != nil {
			body = *r.Expect.Body
		}
		for name := range r.With {
			if !e.Verbatim && strings.Contains(body, "{"+name+"}") {
				return nil, fmt.Errorf("null response of %s: the expected body depends on {%s}", s.Name, name)
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "HTTP/1.1 %d OK\r\n", r.Expect.Status)
		kind := "text/plain; charset=utf-8"
		for _, name := range slices.Sorted(maps.Keys(r.Expect.Headers)) {
			value := r.Expect.Headers[name]
			switch {
			case strings.EqualFold(name, "content-type"):
				kind = value
			case strings.EqualFold(name, "content-length"), strings.EqualFold(name, "date"):
			default:
				b.WriteString(name + ": " + value + "\r\n")
			}
		}
		b.WriteString("Content-Type: " + kind + "\r\nDate: Sat, 19 Aug 2017 12:00:00 GMT\r\n")
		if r.Expect.Status != 204 && r.Expect.Status != 304 {
			b.WriteString("Content-Length: " + strconv.Itoa(len(body)) + "\r\n")
		}
		b.WriteString("\r\n" + body)
		return []byte(b.String()), nil
	}
	return nil, fmt.Errorf("null response of %s: no request has a weight", s.Name)
}

// CanNull reports whether the null server's one answer keeps the contract of every loaded request of s: then its rate is the generator's
// ceiling for that shape of load.
func CanNull(s *scenario.Scenario) bool {
	answer, err := NullResponse(s)
	if err != nil {
		return false
	}
	for i := range s.Requests {
		one := scenario.Scenario{Name: s.Name, Requests: []scenario.Request{s.Requests[i]}}
		if other, err := NullResponse(&one); s.Requests[i].Weight > 0 && (err != nil || string(other) != string(answer)) {
			return false
		}
	}
	return true
}
