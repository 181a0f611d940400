package load

import (
	"fmt"
	"strings"
	"testing"

	"dyno/internal/scenario"
)

// speaks returns the HTTP/1.1 side for a connection whose requests have the contract e.
func speaks(t *testing.T, e scenario.Expect, heads *Heads) *HTTP1 {
	t.Helper()
	m, err := (&scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1,
		Expect: e}}}).Compile("h", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := NewHTTP1(m.NewSource(1, 0, 1), heads, 1)
	return &h
}

// judgeAnswer makes a request and reads its answer like an engine, in pieces of size.
func judgeAnswer(t *testing.T, h *HTTP1, answer string, size int) Kind {
	t.Helper()
	h.Reset()
	h.Ask(nil, 1, 1)
	var buf []byte
	for answer != "" {
		k := min(size, len(answer))
		buf, answer = append(buf, answer[:k]...), answer[k:]
		n, a, err := h.Feed(buf, 2)
		if err != nil {
			t.Fatal(err)
		}
		if buf = buf[n:]; a != nil {
			return a.Classify()
		}
	}
	t.Fatal("not complete")
	return 0
}

func TestJudge(t *testing.T) {
	value := "value"
	some, _ := scenario.ParseStatuses("2xx,304")
	answer := func(status int, body string) string {
		return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", status,
			len(body), body)
	}
	for name, c := range map[string]struct {
		e      scenario.Expect
		answer string
		want   Kind
	}{
		"status":         {scenario.Expect{Status: 200}, answer(200, "any"), OK},
		"other status":   {scenario.Expect{Status: 200}, answer(201, ""), Status},
		"statuses":       {scenario.Expect{Statuses: some}, answer(299, "any"), OK},
		"other statuses": {scenario.Expect{Statuses: some}, answer(500, "any"), Status},
		"strange status": {scenario.Expect{Statuses: some}, answer(999, "any"), Status},
		"body":           {scenario.Expect{Status: 200, Body: &value}, answer(200, "value"), OK},
		"other body":     {scenario.Expect{Status: 200, Body: &value}, answer(200, "valse"), Body},
		"short body":     {scenario.Expect{Status: 200, Body: &value}, answer(200, "valu"), Length},
		"present": {scenario.Expect{Status: 200, Headers: map[string]string{"content-TYPE": ""}},
			answer(200, ""), OK},
		"absent": {scenario.Expect{Status: 200, Headers: map[string]string{"ETag": ""}}, answer(200, ""),
			Header},
		"surplus": {scenario.Expect{Status: 200, Body: &value}, answer(200, "value") + "!", Length},
		"chunked": {scenario.Expect{Status: 200, Body: &value},
			"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nva\r\n3;x\r\nlue\r\n0\r\n\r\n", OK},
	} {
		h := speaks(t, c.e, new(Heads)) // of one scenario
		for _, size := range []int{1 << 10, 1, 3} {
			for range 2 {
				if size < 1<<10 && name == "surplus" {
					continue // which only shows when it is there already
				}
				if got := judgeAnswer(t, h, c.answer, size); got != c.want {
					t.Errorf("%s, in steps of %d: %v; want %v", name, size, got, c.want)
				}
			}
		}
	}
}

func TestJudgeDoesNotAllocate(t *testing.T) {
	value := "value"
	h := speaks(t, scenario.Expect{Status: 200, Body: &value, Headers: map[string]string{"A": ""}}, new(Heads))
	answers := [2][]byte{}
	for i := range answers {
		answers[i] = []byte("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", i+1) + "\r\nContent-Length: 5\r\n\r\nvalue")
	}
	var request []byte
	turn := func() {
		for _, b := range answers {
			request, _ = h.Ask(request[:0], 1, 1)
			if _, a, _ := h.Feed(b, 2); a == nil || a.Classify() != OK {
				t.Error("not kept")
			}
		}
	}
	turn()
	if n := testing.AllocsPerRun(200, turn); n != 0 {
		t.Errorf("%v allocations for two answers", n)
	}
}

// TestHTTP1: requests in flight, in a ring that wraps around, and how they end.
func TestHTTP1(t *testing.T) {
	value := "value"
	m, err := (&scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Body: &value}}}}).Compile("h", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := NewHTTP1(m.NewSource(1, 0, 1), new(Heads), 3)
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue"
	now := int64(1)
	ask := func() {
		now++
		h.Ask(nil, now-1, now)
	}
	ask()
	for i := range 10 { // two in flight, then one
		ask()
		if h.Pending() != 2 || h.Oldest() != now-1 || h.Slot(1).Sent != now || h.Slot(0).Due != now-2 {
			t.Fatalf("round %d: %d in flight, the oldest of %d, %+v", i, h.Pending(), h.Oldest(), h.Slot(1))
		}
		n, a, err := h.Feed([]byte(answer+answer[:3]), now+1)
		if err != nil || n != len(answer) || a == nil || a.Sent != now-1 || a.Began != now+1 || a.Surplus || a.Close {
			t.Fatalf("round %d: %d bytes, %+v, %v", i, n, a, err)
		}
	}
	if _, a, _ := h.Feed([]byte(answer+"!"), now); a == nil || !a.Surplus || a.Classify() != Length {
		t.Errorf("surplus: %+v", a)
	}
	if h.Oldest() != now {
		t.Errorf("without any, the last was sent at %d; want %d", h.Oldest(), now)
	}
	if _, _, err := h.Feed([]byte("!"), now); KindOf(err) != Closed {
		t.Errorf("unasked: %v", err)
	}

	ask()
	if _, _, err := h.Feed([]byte("garbage!"), now); err == nil || KindOf(err) != Parse {
		t.Errorf("garbage: %v", err)
	}
	h.Reset()
	ask()
	if _, a, err := h.Feed([]byte("HTTP/1.1 200 OK\r\n\r\nvalue"), now); a != nil || err != nil {
		t.Errorf("it ends with the connection: %+v, %v", a, err)
	}
	if a := h.End(); a == nil || !a.Close || a.Classify() != OK {
		t.Errorf("ended: %+v", a)
	}
	if a := h.End(); a != nil {
		t.Errorf("ended twice: %+v", a)
	}
	ask()
	if h.Feed([]byte("HTTP/1.1 200 OK\r\n\r\nval"), now); h.Pending() != 1 {
		t.Errorf("%d in flight", h.Pending())
	}
	h.Reset()
	ask()
	if a := h.End(); a != nil { // a new connection, on which nothing came
		t.Errorf("ended before it began: %+v", a)
	}
}

// TestComplaint: the data read last is quoted, if there is any: a connection's end, which can end a
// response, has no bytes. Secrets are hidden.
func TestComplaint(t *testing.T) {
	a := &Answer{Slot: &Slot{Want: &scenario.Want{}}, Status: 503, Length: 4}
	s := &scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/?token=let"}}}
	const says = "GET /?token=***: wrong status: status 503, body of 4 bytes"
	for raw, want := range map[string]string{"": says, "down": says + `; read last: "down"`,
		"HTTP/1.1 503 No\r\nSet-Cookie: a=\"b\"; " +
			"Secure\r\n\r\n": says + `; read last: "HTTP/1.1 503 No\r\nSet-Cookie: ***\r\n\r\n"`,
	} {
		if got := a.Complaint(Status, s, []byte(raw)); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
