package scenario

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"dyno/internal/http1"
)

// jar is the cookies of one Source, and what of them each template sends.
type jar struct {
	cookies *cookiejar.Jar
	lines   []cookies // by template
	ends    map[cookieKey]time.Time
	next    time.Time // the first of ends; zero: there is none
	given   string    // the session that the head last learned gives
	carries string    // the session that the request last rendered carries
}

// cookies is the value of the Cookie header for the requests of a template.
type cookies struct {
	text    string
	session string // the value of the session's cookie, of those in text
	fresh   bool
	deep    bool // some cookie's path reaches into what is drawn of the request's: text depends on the request
}

// cookieKey is what makes two cookies one (RFC 6265 5.3, step 11).
type cookieKey struct{ host, domain, path, name string }

var setCookie = []byte("set-cookie")

// Learn takes the cookies of an answer. An engine calls it whenever w.Cookies is set and the parser is at the head of the answer to w
// (http1.AtHead, for which load.Expect asks). It must not skip a head that another connection has seen before: the jar is this
// connection's. A head without Set-Cookie costs one look at its fields, and one that repeats the last on this connection, by
// http1.Parser.HeadID, nothing.
//
// The host is that of the Host header, the scheme http: a Secure cookie is kept, and not sent.
//
// Learn reports whether the answer keeps the session, where the scenario has one: to a request that carries it no other is given, and to one
// that does not, one is given if the contract says so.
func (s *Source) Learn(p *http1.Parser, w *Want) bool {
	if !w.Cookies {
		return true
	}
	if p.HeadID == 0 || p.HeadID != s.learned {
		s.learn(p, w)
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

// learn takes the cookies of the head that p is at.
func (s *Source) learn(p *http1.Parser, w *Want) {
	s.learned = p.HeadID
	given := ""
	var list []*http.Cookie
	for rest := p.Fields(); ; {
		name, value, next, ok := http1.NextField(rest)
		if !ok {
			break
		}
		if rest = next; http1.EqualFold(name, setCookie) {
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
		inner, _ := cookiejar.New(nil) // whose error is always nil
		s.jar = &jar{cookies: inner, lines: make([]cookies, len(s.mix.templates)), ends: map[cookieKey]time.Time{}}
	}
	s.jar.given = given
	if !s.jar.learn(s.mix, w, list) {
		s.learned = 0
	}
}

// learn reports whether learning list again would change nothing, for any request and at any time.
func (j *jar) learn(m *Mix, w *Want, list []*http.Cookie) (constant bool) {
	constant = true
	from := &m.templates[w.template]
	j.cookies.SetCookies(&url.URL{Scheme: "http", Host: from.host, Path: string(w.path)}, list)
	now := time.Now() // later than the jar's, so that what ends for us has ended there
	for _, c := range list {
		path := c.Path
		if !strings.HasPrefix(path, "/") { // the default path (RFC 6265 5.1.4)
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

// stale forgets all lines, and which cookies have ended by now.
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

// appendCookies writes what the jar holds for a request of t, if anything.
func (s *Source) appendCookies(buf []byte, t *template, path []byte, then slot) []byte {
	j := s.jar
	if j == nil {
		return buf
	}
	if !j.next.IsZero() {
		if now := time.Now(); !now.Before(j.next) {
			j.stale(now)
		}
	}
	line := &j.lines[t.want.template]
	if !line.fresh || line.deep {
		r := http.Request{Header: http.Header{}}
		line.session = ""
		for _, c := range j.cookies.Cookies(&url.URL{Scheme: "http", Host: t.host, Path: string(path)}) {
			r.AddCookie(c)
			if c.Name == s.mix.session {
				line.session = c.Value
			}
		}
		line.text, line.fresh = r.Header.Get("Cookie"), true
	}
	j.carries = line.session
	switch {
	case line.text == "":
		return buf
	case then == cookieMore:
		buf = append(buf, "; "...)
		return append(buf, line.text...)
	}
	buf = append(buf, "Cookie: "...)
	buf = append(buf, line.text...)
	return append(buf, "\r\n"...)
}
