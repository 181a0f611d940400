package truth

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/scenario"
)

// NullResponse renders the answer that the contract of s's first loaded request asks for, for ServeNull. Its Date stands still. It
// fails if the body depends on what is drawn: such a scenario needs ref.
func NullResponse(s *scenario.Scenario) ([]byte, error) {
	for i := range s.Requests {
		r := &s.Requests[i]
		if r.Weight <= 0 {
			continue
		}
		body := ""
		if r.Expect.Body != nil {
			body = *r.Expect.Body
		}
		for name := range r.With {
			if strings.Contains(body, "{"+name+"}") {
				return nil, fmt.Errorf("null response of %s: the expected body depends on {%s}", s.Name, name)
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "HTTP/1.1 %d OK\r\n", r.Expect.Status)
		kind := "text/plain; charset=utf-8"
		for _, name := range slices.Sorted(maps.Keys(r.Expect.Headers)) {
			value := r.Expect.Headers[name]
			switch {
			case strings.EqualFold(name, "content-type"):
				kind = value
			case strings.EqualFold(name, "content-length"), strings.EqualFold(name, "date"):
			default:
				b.WriteString(name + ": " + value + "\r\n")
			}
		}
		b.WriteString("Content-Type: " + kind + "\r\nDate: Sat, 19 Aug 2017 12:00:00 GMT\r\n")
		if r.Expect.Status != 204 && r.Expect.Status != 304 {
			b.WriteString("Content-Length: " + strconv.Itoa(len(body)) + "\r\n")
		}
		b.WriteString("\r\n" + body)
		return []byte(b.String()), nil
	}
	return nil, fmt.Errorf("null response of %s: no request has a weight", s.Name)
}
