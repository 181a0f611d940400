package refserver

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// sessions holds the reference's sessions. A session that is unused for sessionLife, or up to twice that, is
// removed.
type sessions struct {
	cookie string // the cookie's name
	flaw   Flaw

	mu          sync.Mutex
	recent, old map[string]string // contents by id, in the present and the last period
	turned      time.Time         // start of recent
	last        string            // the last issued id
	opened      int
}

const sessionLife = time.Minute

// open returns the id of the request's session. If there is none, it begins one if begin is set, else it
// returns "".
func (s *sessions) open(w http.ResponseWriter, r *http.Request, begin bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.turned) > sessionLife {
		s.recent, s.old, s.turned = map[string]string{}, s.recent, now
	}
	s.opened++
	id := ""
	if c, err := r.Cookie(s.cookie); err == nil {
		id = c.Value
	}
	holds, known := s.recent[id]
	if !known {
		if holds, known = s.old[id]; known {
			s.recent[id] = holds
		}
	}
	switch {
	case s.flaw == ByConnection:
		if id == "" && begin {
			s.begin(w)
		}
		return r.RemoteAddr
	case s.flaw == Trusting && id != "" && !known:
		return s.last
	case s.flaw == OneForAll && begin && s.last != "":
		s.give(w, s.last)
		return s.last
	case known && (s.flaw == Renewing || s.flaw == LateRenewing && s.opened > LateAfter):
		id = s.begin(w)
		s.recent[id] = holds
		return id
	case known:
		return id
	case begin:
		return s.begin(w)
	}
	return ""
}

// begin opens a session and sends its cookie. The caller holds the lock.
func (s *sessions) begin(w http.ResponseWriter) string {
	s.last = rand.Text()
	s.recent[s.last] = ""
	s.give(w, s.last)
	return s.last
}

// give sends the session cookie.
func (s *sessions) give(w http.ResponseWriter, id string) {
	http.SetCookie(w, &http.Cookie{Name: s.cookie, Value: id, Path: "/", HttpOnly: true})
}

// keep stores value in the session.
func (s *sessions) keep(id, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flaw != Forgetful {
		s.recent[id] = value
	}
}

// holds returns the session's content.
func (s *sessions) holds(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recent[id]
}
