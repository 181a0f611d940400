package load

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"dyno/internal/foreign"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// follower follows redirects on an HTTP/1.1 connection (RFC 9110, section 15.4). The request stays
// in flight, with its original times, until a response comes that is not a redirect, or that cannot
// be followed (Redirect). No other connection is made.
//
// Note: the engine knows only the request in flight, and the protocol owes the server the repeated
// request (Conn.Owes), so it needs no code for redirects. A protocol with streams would keep a
// follower for each.
type follower struct {
	most   int // redirects per request
	scheme string
	sent   scenario.Sent
	hops   int    // redirects of the request so far
	out    []byte // the request, still to be sent again

	status   int    // the redirect being read; 0: none
	location []byte // the redirect's Location; empty: none

	lost Answer // answer to a request whose redirect cannot be followed
}

// mostRepeated is the size limit, in bytes, for a request that is sent again.
const mostRepeated = 16 << 20

var locationName = []byte("location")

// ask renders a new request, and keeps it.
func (f *follower) ask(d *scenario.Draw, b []byte) (_ []byte, tail string) {
	f.hops, f.status = 0, 0
	return d.Keep(&f.sent, b)
}

// reset forgets the request in flight.
func (f *follower) reset() { f.out = f.out[:0] }

// take appends the request to be sent again.
func (f *follower) take(b []byte) []byte {
	b = append(b, f.out...)
	f.out = f.out[:0]
	return b
}

// head reads the header section of a response to w. A redirect that the contract expects is a
// response like others.
func (f *follower) head(status int, fields []byte, w *scenario.Want) {
	f.status, f.location = 0, f.location[:0]
	switch status {
	case 301, 302, 303, 307, 308:
	default:
		return
	}
	if w.Accepts(status) && !w.Accepts(200) {
		return
	}
	f.status = status
	for {
		name, value, rest, ok := wire.NextField(fields)
		if !ok {
			return
		}
		if fields = rest; wire.EqualFold(name, locationName) {
			f.location = append(f.location, value...)
			return
		}
	}
}

// again prepares w's request to be sent to target. POST becomes GET except after 307 and 308; after
// 303 every method except HEAD does, as in browsers (RFC 9110, sections 15.4.2 to 15.4.9).
func (f *follower) again(src *scenario.Source, w *scenario.Want, target string) {
	method := f.sent.Method()
	bare := f.status == 303 && method != "GET" && method != "HEAD" ||
		(f.status == 301 || f.status == 302) && method == "POST"
	src.Redirect(&f.sent, w, target, bare)
	f.out = f.sent.Append(f.out[:0])
	f.hops++
}

// target returns the redirect's target: a path, perhaps with a query. Its error says why the
// redirect cannot be followed; closes says that the connection ends with it.
func (f *follower) target(closes bool) (string, error) {
	from := foreign.Mask(f.sent.Method() + " " + f.sent.Target())
	refuse := func(format string, args ...any) (string, error) {
		for i, arg := range args {
			if text, ok := arg.(string); ok {
				args[i] = foreign.Mask(text)
			}
		}
		return "", fmt.Errorf("%s: status %d%s", from, f.status, fmt.Sprintf(format, args...))
	}
	if len(f.location) == 0 {
		return refuse(" without Location")
	}
	base, err := url.Parse(f.scheme + "://" + f.sent.Host() + f.sent.Target())
	if err != nil {
		return refuse(", but its own URL cannot be resolved: %v", err)
	}
	next, err := base.Parse(string(f.location))
	switch {
	case err != nil:
		return refuse(" to %q: %v", string(f.location), errors.Unwrap(err))
	case origin(next) != origin(base):
		return refuse(" to %s, which is another server than %s; load that URL", next.Redacted(), origin(base))
	case f.hops >= f.most:
		return refuse(" to %s, beyond the limit of %d: a loop, or --follow is too low", next.RequestURI(), f.most)
	case closes:
		return refuse(" to %s, but it closes the connection, and another is not made for a redirect",
			next.RequestURI())
	case f.sent.Size() > mostRepeated:
		return refuse(" to %s, but a request of %d bytes is not sent again, only up to %d", next.RequestURI(),
			f.sent.Size(), mostRepeated)
	}
	return strings.ReplaceAll(next.RequestURI(), " ", "%20"), nil
}

// origin returns the scheme, host and port of a URL (RFC 6454).
func origin(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// followed handles a response's end if redirects are followed; more says that bytes follow. It
// returns nil if the request continues.
func (h *HTTP1) followed(s *Slot, more bool) *Answer {
	f, closes := h.follow, h.parser.Close
	if f.status == 0 {
		a := h.answered(s, more)
		a.Redirects, a.Close = f.hops, closes
		return a
	}
	target, err := f.target(closes)
	if more && err == nil {
		closes, err = true, ErrUnasked
	}
	if err == nil {
		f.again(h.src, s.Want, target)
		s.Began = 0
		h.expect(s.Want)
		return nil
	}
	h.answered(s, more)
	f.lost = Answer{Slot: s, Lost: Redirect, Err: err, Close: closes}
	return &f.lost
}
