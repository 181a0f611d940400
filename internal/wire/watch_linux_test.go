package wire

import (
	"errors"
	"net"
	"os"
	"testing"
)

// A Watch counts connections when they are closed, once, and those that are not made in time.
func TestWatch(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	e := TCP(ln.Addr().String())
	e.Watch = &Watch{}
	conn, err := e.Dial(t.Context(), &net.Dialer{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Watch.segments.Connections != 0 {
		t.Errorf("%+v", e.Watch.segments)
	}
	for range 2 {
		conn.Close()
	}
	if s := e.Watch.segments; s.Connections != 1 || s.Sent == 0 || e.Watch.Lost() != s.Lost() {
		t.Errorf("%+v, lost %d", s, e.Watch.Lost())
	}
	before := e.Watch.Lost()
	for err, more := range map[error]int64{os.ErrDeadlineExceeded: 1, errors.New("refused"): 0} {
		if _, got := e.Watch.made(nil, err); got != err || e.Watch.Lost() != before+more {
			t.Errorf("%v: %d", err, e.Watch.Lost())
		}
		before = e.Watch.Lost()
	}
}
