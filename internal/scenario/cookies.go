package scenario

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"dyno/internal/wire"
)

// jar holds the cookies of one Source and a rendered Cookie header per template. A header is rendered again
// only after the cookies have changed or one has expired.
type jar struct {
	cookies *cookiejar.Jar
	lines   []cookies // Cookie headers by template
	ends    map[cookieKey]time.Time
	next    time.Time // the earliest of ends; zero if there is none
	given   string    // session set by the last learned head
	carries string    // session sent in the last rendered request
}

// cookies is the Cookie header's value for one template's requests.
type cookies struct {
	text    string
	session string // value of the session cookie in text
	fresh   bool   // text is valid, unless deep is set
	deep    bool   // a cookie's path extends into the drawn part of the request's path: text depends on the request
}

// cookieKey identifies a cookie: a new cookie with this key replaces it (RFC 6265, section 5.3, step 11).
type cookieKey struct{ host, domain, path, name string }

var setCookie = []byte("set-cookie")

// Learn stores the cookies in the response to w, if w.Cookies is set. fields are the response's field lines,
// for wire.NextField; equal lines have equal ids, and id is 0 if unknown. The caller must not skip a head
// that another connection has seen, because each connection has its own jar. A head without Set-Cookie costs
// one pass over the fields. A head with the same id as the last on this connection costs nothing.
//
// The cookies belong to the host in the Host header. A Secure cookie is kept, but sent over TLS only.
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
		s.learn(fields, w)
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
func (s *Source) learn(fields []byte, w *Want) {
	given := ""
	var list []*http.Cookie
	for {
		name, value, rest, ok := wire.NextField(fields)
		if !ok {
			break
		}
		if fields = rest; wire.EqualFold(name, setCookie) {
			if c, err := http.ParseSetCookie(string(value)); err == nil {
				list = append(list, c)
				if c.Name == s.mix.session {
					given = c.Value
				}
			}
		}
	}
	if len(list) == 0 {
		if s.jar != nil {
			s.jar.given = ""
		}
		return
	}
	if s.jar == nil {
		inner, _ := cookiejar.New(nil) // its error is always nil
		s.jar = &jar{cookies: inner, lines: make([]cookies, len(s.mix.templates)), ends: map[cookieKey]time.Time{}}
	}
	s.jar.given = given
	if !s.jar.learn(s.mix, w, list) {
		s.learned = 0
	}
}

// learn stores the cookies in list. constant is true if storing them again changes nothing, for any request
// and at any time.
func (j *jar) learn(m *Mix, w *Want, list []*http.Cookie) (constant bool) {
	constant = true
	from := w.from
	j.cookies.SetCookies(&url.URL{Scheme: m.scheme, Host: from.host, Path: string(w.path)}, list)
	now := time.Now() // later than the jar's clock: what has expired here has expired there
	for _, c := range list {
		path := c.Path
		if !strings.HasPrefix(path, "/") { // the default path (RFC 6265, section 5.1.4)
			path = string(w.path[:max(strings.LastIndexByte(string(w.path), '/'), 1)])
			constant = false
		}
		end := c.Expires
		if c.MaxAge != 0 {
			end = now.Add(time.Duration(c.MaxAge) * time.Second)
		}
		key := cookieKey{from.host, c.Domain, path, c.Name}
		if delete(j.ends, key); end.After(now) {
			j.ends[key], constant = end, false
		}
		for i := range m.templates {
			t := &m.templates[i]
			constant = constant && t.host == from.host
			if t.open && strings.HasPrefix(path, t.fixed) && (path != t.fixed || path[len(path)-1] != '/') {
				j.lines[i].deep = true
			}
		}
	}
	j.stale(now)
	return constant
}

// stale marks all lines for rendering, and drops the cookies that have expired by now.
func (j *jar) stale(now time.Time) {
	for i := range j.lines {
		j.lines[i].fresh = false
	}
	j.next = time.Time{}
	for key, end := range j.ends {
		if !end.After(now) {
			delete(j.ends, key)
		} else if j.next.IsZero() || end.Before(j.next) {
			j.next = end
		}
	}
}

// cookies returns the Cookie header's value for a request from t; "" if the jar is empty.
func (s *Source) cookies(t *template, path []byte) string {
	j := s.jar
	if j == nil {
		return ""
	}
	if !j.next.IsZero() {
		if now := time.Now(); !now.Before(j.next) {
			j.stale(now)
		}
	}
	line := &j.lines[t.index]
	if !line.fresh || line.deep {
		line.text, line.session = j.header(s.mix, t.host, string(path))
		line.fresh = true
	}
	j.carries = line.session
	return line.text
}

// header returns the Cookie header's value for a request to a path at host, and the session in it.
func (j *jar) header(m *Mix, host, path string) (text, session string) {
	r := http.Request{Header: http.Header{}}
	for _, c := range j.cookies.Cookies(&url.URL{Scheme: m.scheme, Host: host, Path: path}) {
		r.AddCookie(c)
		if c.Name == m.session {
			session = c.Value
		}
	}
	return r.Header.Get("Cookie"), session
}
