package refserver

import (
	"net/http"
	"slices"
	"strings"

	"dyno/internal/scenario"
)

// Conditions on scenarios, for Mutant.applies.

func all(*scenario.Scenario) bool { return true }

// anyRequest holds for scenarios with a request for which is returns true.
func anyRequest(is func(*scenario.Request) bool) func(*scenario.Scenario) bool {
	return func(s *scenario.Scenario) bool {
		return slices.ContainsFunc(s.Requests, func(q scenario.Request) bool { return is(&q) })
	}
}

// hasBody holds for scenarios with a request for which is returns true, unless is is nil, and whose
// contract defines a body that is not empty.
func hasBody(is func(*scenario.Request) bool) func(*scenario.Scenario) bool {
	return anyRequest(func(q *scenario.Request) bool {
		return (is == nil || is(q)) && q.Method != http.MethodHead && bodyOf(q) != ""
	})
}

func isLoaded(q *scenario.Request) bool { return q.Weight > 0 }
func isError(q *scenario.Request) bool  { return q.Expect.Status >= 400 }

func isUnloaded(q *scenario.Request) bool { return q.Weight == 0 && !isError(q) }

// hasOthers holds if some request is never loaded. It excludes scenarios with sessions.
func hasOthers(s *scenario.Scenario) bool {
	return s.Session == "" && anyRequest(func(q *scenario.Request) bool { return q.Weight == 0 })(s)
}

// mixes reports whether a load can include requests that are otherwise never loaded.
func mixes(s *scenario.Scenario) bool { return hasOthers(s) && s.Mixed() != s }

// isDrawn reports whether the expected body repeats a drawn value.
func isDrawn(q *scenario.Request) bool { return drawnIn(q, bodyOf(q)) != "" }

// drawnIn returns the name of one of q's inputs that is a placeholder in body; "" if there is none.
func drawnIn(q *scenario.Request, body string) string {
	for name := range q.With {
		if !q.Expect.Verbatim && strings.Contains(body, "{"+name+"}") {
			return name
		}
	}
	return ""
}

func hasHeader(s *scenario.Scenario) bool { return hasSession(s) || alwaysHeader(s) }

// alwaysHeader reports whether every loaded response has a required header, even if the client sends the
// session cookie.
func alwaysHeader(s *scenario.Scenario) bool {
	has := anyRequest(func(q *scenario.Request) bool { return isLoaded(q) && len(q.Expect.Headers) > 0 })
	return hasSession(s) && !s.Cookies || has(s)
}

// Properties that one request suffices to give a scenario.
var (
	hasType    = anyRequest(func(q *scenario.Request) bool { return q.Expect.Headers["Content-Type"] != "" })
	hasSession = anyRequest(func(q *scenario.Request) bool { return q.Expect.Session })
	// keeps: a request reads the session's content.
	keeps = anyRequest(func(q *scenario.Request) bool { return q.Expect.Recalls })
	// hasRecords: a JSON list.
	hasRecords = anyRequest(func(q *scenario.Request) bool {
		return q.Expect.JSON != nil && strings.HasSuffix(strings.TrimSpace(*q.Expect.JSON), "}]")
	})
)

// manyAnswers holds if two loaded requests have different bodies.
func manyAnswers(s *scenario.Scenario) bool {
	bodies := map[string]bool{}
	for i := range s.Requests {
		if q := &s.Requests[i]; isLoaded(q) {
			if isDrawn(q) {
				return true
			}
			bodies[bodyOf(q)] = true
		}
	}
	return len(bodies) > 1
}

func mixable(s *scenario.Scenario) bool { return manyAnswers(s) || keeps(s) }

// refusesText: a path that an int placeholder matches with other text must be refused.
func refusesText(s *scenario.Scenario) bool {
	for i := range s.Requests {
		q := &s.Requests[i]
		one := scenario.Scenario{Name: s.Name, Requests: []scenario.Request{*q}}
		if isError(q) || len(q.With) == 0 || Can(&one) != nil {
			continue
		}
		routes := (&Reference{Scenario: &one}).Handler().(*http.ServeMux)
		for k := range s.Requests {
			refused := &s.Requests[k]
			r, err := http.NewRequest(refused.Method, refused.Path, nil)
			if err != nil || !isError(refused) || len(refused.With) > 0 {
				continue
			}
			if _, pattern := routes.Handler(r); pattern != "" {
				return true
			}
		}
	}
	return false
}
