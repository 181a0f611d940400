package refserver

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Null is a server that answers with constant bytes, in the given manner. A load engine's rate against a Null
// without a manner is the engine's ceiling. A timed one has a known latency.
type Null struct {
	Response []byte   // response to every request without an entry in Answers
	Answers  []Answer // the first that fits is sent; a timed server has none
	Manner   Manner

	onlyClear string // why it can serve only HTTP/1.1 in the clear; "": it has one response for all methods
}

// OnlyClear says why the server can answer only in HTTP/1.1 in the clear; "" if in all forms of HTTP.
func (n *Null) OnlyClear() string {
	if n.Manner != (Manner{}) {
		return "its delays are those of HTTP/1.1 in the clear"
	}
	return n.onlyClear
}

// Answer is a Null's response to requests that begin with Start.
type Answer struct {
	Start string
	Opens bool // only to requests without a Cookie header: each gets a new session
	Bytes []byte

	number int // position of the sessionDigits in Bytes, if it opens sessions
}

// nullSession is the session that an Answer sets: its last sessionDigits are a counter.
const (
	nullSession   = "00000000-0000-4000-8000-000000000000"
	sessionDigits = 12
)

// timeHeader is a timed server's header with the time since the request was read, in ns, as 15 digits.
const timeHeader = "X-Truth-Ns"

// Tally is a null server's count of its run.
type Tally struct {
	Requests int64    `json:"requests"`          // read in full
	Service  *Service `json:"service,omitempty"` // service times of a timed server
}

// Service is the distribution of a timed server's true times, from reading a request to writing the response.
type Service struct {
	Count int64 `json:"count"`
	P50NS int64 `json:"p50_ns"`
	P99NS int64 `json:"p99_ns"`
	MaxNS int64 `json:"max_ns"`
}

// NullOf returns the null server that satisfies the contract of every loaded request in s. It also serves
// those others that it can, and returns their names. The server's rate is then the generator's ceiling for
// this kind of load. A request is recognized by its beginning, up to the first random part, and by whether it
// has a cookie. If the right response depends on more, the error says so: such a scenario needs ref. The Date
// is constant.
func NullOf(s *scenario.Scenario, others ...*scenario.Scenario) (n *Null, also []string, err error) {
	n = &Null{}
	if err := n.add(s); err != nil {
		return nil, nil, err
	}
	for _, o := range others {
		with := Null{Answers: slices.Clone(n.Answers)}
		if with.add(o) == nil {
			n.Answers, also = with.Answers, append(also, o.Name)
		}
	}
	n.Response = n.Answers[len(n.Answers)-1].Bytes
	if !slices.ContainsFunc(n.Answers, func(a Answer) bool { return a.Opens || !bytes.Equal(a.Bytes, n.Response) }) {
		n.Answers = nil
	}
	loadsHEAD := func(s *scenario.Scenario) bool {
		return slices.ContainsFunc(s.Requests, func(r scenario.Request) bool { return r.Method == "HEAD" && r.Weight > 0 })
	}
	switch {
	case n.Answers != nil:
		n.onlyClear = "it has several responses, and tells requests apart in HTTP/1.1 in the clear alone"
	case loadsHEAD(s) || slices.ContainsFunc(others, loadsHEAD):
		n.onlyClear = "it tells HEAD from other methods in HTTP/1.1 in the clear alone"
	case len(n.Response) > wire.MaxFrame:
		n.onlyClear = "its response is longer than a frame of HTTP/2"
	}
	slices.SortStableFunc(n.Answers, func(a, b Answer) int { return len(b.Start) - len(a.Start) })
	return n, also, nil
}

// add adds the responses to the loaded requests in s.
func (n *Null) add(s *scenario.Scenario) error {
	loaded := 0
	for i := range s.Requests {
		r := &s.Requests[i]
		if r.Weight <= 0 {
			continue
		}
		loaded++
		start, _, drawn := strings.Cut(r.Method+" "+r.Path, "{")
		if !drawn {
			start += " "
		}
		again, err := answerOf(s, r, false)
		if err != nil {
			return err
		}
		list := []Answer{again}
		if r.Expect.Session {
			opening, _ := answerOf(s, r, true)
			list = []Answer{opening, again}
		}
		for _, a := range list {
			a.Start = start
			same := func(o Answer) bool { return o.Start == start && o.Opens == a.Opens }
			switch at := slices.IndexFunc(n.Answers, same); {
			case at < 0:
				n.Answers = append(n.Answers, a)
			case !bytes.Equal(n.Answers[at].Bytes, a.Bytes):
				return fmt.Errorf("null server of %s: two requests that begin with %q have different responses",
					s.Name, start)
			}
		}
	}
	if loaded == 0 {
		return fmt.Errorf("null server of %s: no request has a weight", s.Name)
	}
	return nil
}

// answerOf renders the response that r's contract requires, with a new session or without.
func answerOf(s *scenario.Scenario, r *scenario.Request, opens bool) (Answer, error) {
	e := &r.Expect
	if e.Recalls || e.Status == 0 || e.JSONOf != "" {
		return Answer{}, fmt.Errorf("null server of %s: the contract does not determine the response", s.Name)
	}
	body := bodyOf(r)
	if e.Rows != nil {
		body = string(e.Rows.Make())
	}
	if name := drawnIn(r, body); name != "" {
		return Answer{}, fmt.Errorf("null server of %s: the expected body depends on {%s}", s.Name, name)
	}
	a := Answer{Opens: opens}
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d OK\r\n", e.Status)
	if opens {
		b.WriteString("Set-Cookie: " + s.Session + "=" + nullSession)
		a.number = b.Len() - sessionDigits
		b.WriteString("; Path=/; HttpOnly\r\n")
	}
	kind := "text/plain; charset=utf-8"
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		value := e.Headers[name]
		switch {
		case strings.EqualFold(name, "content-type"):
			kind = value
		case strings.EqualFold(name, "content-length"), strings.EqualFold(name, "date"):
		default:
			b.WriteString(name + ": " + value + "\r\n")
		}
	}
	b.WriteString("Content-Type: " + kind + "\r\nDate: Sat, 19 Aug 2017 12:00:00 GMT\r\n")
	if e.Status != 204 && e.Status != 304 {
		b.WriteString("Content-Length: " + strconv.Itoa(len(body)) + "\r\n")
	}
	b.WriteString("\r\n" + body)
	a.Bytes = []byte(b.String())
	return a, nil
}
