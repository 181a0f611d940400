package scenario

import (
	"net/http"
	"slices"
	"time"

	"dyno/internal/wire"
)

// jar holds the cookies of one Source, by name alone: their hosts, paths and later ends are not looked at. The
// Cookie header is rendered again only after the cookies have changed.
type jar struct {
	cookies []*http.Cookie
	line    string // value of the Cookie header
	session string // the session in it
	given   string // session set by the last learned head
}

var setCookie = []byte("set-cookie")

// Learn stores the cookies in the response to w, if w.Cookies is set. fields are the response's field lines,
// for wire.NextField; equal lines have equal ids, and id is 0 if unknown. The caller must not skip a head
// that another connection has seen, because each connection has its own jar. A head without Set-Cookie costs
// one pass over the fields. A head with the same id as the last on this connection costs nothing.
//
// Learn reports whether the response keeps the session, if the scenario has one. A response to a request with
// a session must not set a different one. A response to a request without must set one if the contract says
// so.
func (s *Source) Learn(fields []byte, id uint64, w *Want) bool {
	if !w.Cookies {
		return true
	}
	if id == 0 || id != s.learned {
		s.learned = id
		s.learn(fields)
	}
	given := ""
	if s.jar != nil {
		given = s.jar.given
	}
	switch {
	case !w.Session:
		return true
	case w.carried != "":
		return given == "" || given == w.carried
	}
	return !w.Sets || given != ""
}

// learn stores the cookies in the field lines.
func (s *Source) learn(fields []byte) {
	if s.jar != nil {
		s.jar.given = ""
	}
	for {
		name, value, rest, ok := wire.NextField(fields)
		if !ok {
			return
		}
		if fields = rest; !wire.EqualFold(name, setCookie) {
			continue
		}
		if c, err := http.ParseSetCookie(string(value)); err == nil {
			if s.jar == nil {
				s.jar = &jar{}
			}
			s.jar.set(c, s.mix.session)
		}
	}
}

// set stores a cookie, in place of the one with its name, unless it has ended.
func (j *jar) set(c *http.Cookie, session string) {
	if c.Name == session {
		j.given, j.session = c.Value, ""
	}
	ended := c.MaxAge < 0 || c.MaxAge == 0 && !c.Expires.IsZero() && c.Expires.Before(time.Now())
	i := slices.IndexFunc(j.cookies, func(had *http.Cookie) bool { return had.Name == c.Name })
	switch {
	case ended && i >= 0:
		j.cookies = slices.Delete(j.cookies, i, i+1)
	case ended:
	case i >= 0:
		j.cookies[i] = c
	default:
		j.cookies = append(j.cookies, c)
	}
	r := http.Request{Header: http.Header{}}
	for _, c := range j.cookies {
		r.AddCookie(c)
		if c.Name == session {
			j.session = c.Value
		}
	}
	j.line = r.Header.Get("Cookie")
}

// cookies returns the Cookie header's value for d's request, "" if there are no cookies, and stores in the
// contract the session that the request carries.
func (d *Draw) cookies() string {
	j := d.source.jar
	if j == nil {
		return ""
	}
	d.want.carried = j.session
	return j.line
}
