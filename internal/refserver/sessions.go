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

	mu          sync.Mutex
	recent, old map[string]string // contents by id, in the present and the last period
	turned      time.Time         // start of recent
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
	id := ""
	if c, err := r.Cookie(s.cookie); err == nil {
		id = c.Value
	}
	_, known := s.recent[id]
	if !known {
		var holds string
		if holds, known = s.old[id]; known {
			s.recent[id] = holds
		}
	}
	switch {
	case known:
		return id
	case begin:
		id = rand.Text()
		s.recent[id] = ""
		http.SetCookie(w, &http.Cookie{Name: s.cookie, Value: id, Path: "/", HttpOnly: true})
		return id
	}
	return ""
}

// keep stores value in the session.
func (s *sessions) keep(id, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent[id] = value
}

// holds returns the session's content.
func (s *sessions) holds(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recent[id]
}
