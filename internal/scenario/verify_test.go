package scenario

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"dyno/internal/wire"
)

// raw starts a server that answers every request with reply's text, and closes the connection if the text is
// empty.
func raw(t *testing.T, reply func(path string) string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				r := bufio.NewReader(conn)
				for {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					answer := reply(req.URL.Path)
					if answer == "" {
						return
					}
					fmt.Fprint(conn, answer)
				}
			}()
		}
	}()
	return ln.Addr().String()
}

func answer(status, headers, body string) string {
	return "HTTP/1.1 " + status + "\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\n" + headers +
		fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// right satisfies the contract from contract().
func right(path string) string {
	if id, ok := strings.CutPrefix(path, "/v/"); ok {
		return answer("200 OK", "Content-Type: text/plain; charset=utf-8\r\n", "value "+id)
	}
	return answer("404 Not Found", "", "")
}

func contract(t *testing.T) *Scenario {
	t.Helper()
	s, err := Read(file(good), "x")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestVerifyAcceptsTheContract(t *testing.T) {
	seen, err := Verify(t.Context(), contract(t), wire.TCP(raw(t, right)), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if seen.Requests != draws+1 || seen.BodyBytes != len("value 1") || seen.HeaderBytes < 80 || len(seen.Differs) != 0 {
		t.Errorf("observed %+v", seen)
	}
}

// Each mutant breaks one thing, which the verifier must name.
func TestVerifyRejectsMutants(t *testing.T) {
	mutants := map[string]struct {
		want  string
		reply func(path string) string
	}{
		"constant id": {`want "value`, func(p string) string {
			return strings.ReplaceAll(right(p),
				"value "+p[len(p)-1:], "value 0")
		}},
		"wrong of that length": {`body "VALUE`, func(p string) string {
			return strings.ReplaceAll(right(p), "value",
				"VALUE")
		}},
		"200 on error": {"status 200; want 404", func(p string) string {
			return strings.ReplaceAll(right(p),
				"404 Not Found", "200 OK")
		}},
		"500": {"status 500; want 200", func(p string) string {
			return strings.ReplaceAll(right(p),
				"200 OK", "500 Oops")
		}},
		"no date": {"no Date header", func(p string) string {
			return strings.ReplaceAll(right(p), "Date: Sat, 21 Nov 2026 10:00:00 GMT\r\n", "")
		}},
		"other media type": {`content-type is "text/html`, func(p string) string {
			return strings.ReplaceAll(right(p),
				"text/plain", "text/html")
		}},
		"no media type": {"declare it", func(p string) string {
			return strings.ReplaceAll(right(p), "Content-Type: text/plain; charset=utf-8\r\n", "")
		}},
		"closes": {"closes the connection", func(p string) string {
			return strings.ReplaceAll(right(p), "Date:",
				"Connection: close\r\nDate:")
		}},
		"drops": {"connection", func(p string) string { return "" }},
		"HTTP/1.0": {"responds with HTTP/1.0", func(p string) string {
			return strings.ReplaceAll(right(p), "HTTP/1.1",
				"HTTP/1.0")
		}},
		"more bytes": {"extra bytes after the response", func(p string) string { return right(p) + "x" }},
		"garbage":    {"not HTTP/1.1", func(p string) string { return "hello\r\n\r\n" }},
		"chunked": {"Transfer-Encoding: chunked", func(p string) string {
			head, body, _ := strings.Cut(right(p), "\r\n\r\n")
			head, _, _ = strings.Cut(head, "\r\nContent-Length")
			if body == "" {
				return right(p)
			}
			return fmt.Sprintf("%s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", head, len(body), body)
		}},
	}
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			_, err := Verify(t.Context(), contract(t), wire.TCP(raw(t, m.reply)), nil, 0)
			if err == nil || !strings.Contains(err.Error(), m.want) {
				t.Errorf("error %v; want %q", err, m.want)
			}
		})
	}
	for name, key := range map[string]string{"chunked": chunkedKey, "no date": NoDate, "no media type": noContentTypeKey} {
		declared := []string{key + ": its default"}
		seen, err := Verify(t.Context(), contract(t), wire.TCP(raw(t, mutants[name].reply)), declared, 0)
		if err != nil || len(seen.Differs) != 1 {
			t.Errorf("%s, declared: %+v, %v", key, seen, err)
		}
		if _, err := Verify(t.Context(), contract(t), wire.TCP(raw(t, right)), declared, 0); err == nil ||
			!strings.Contains(err.Error(), "does not occur") {
			t.Errorf("%s, declared, does not occur: %v", key, err)
		}
	}
}

// TestVerifyHonoursEveryCheck covers the checks that contract() does not have.
func TestVerifyHonoursEveryCheck(t *testing.T) {
	value := "value"
	some, _ := ParseStatuses("2xx,304")
	good := answer("201 Created", "ETag: 1\r\nVary: a\r\nVary: b\r\n", "value")
	for name, c := range map[string]struct {
		e      Expect
		answer string
		want   string // "": kept
	}{
		"statuses":       {Expect{Statuses: some}, good, ""},
		"other status":   {Expect{Statuses: some}, answer("301 Moved", "", ""), "status 301; want 2xx,304"},
		"present":        {Expect{Status: 201, Headers: map[string]string{"Etag": ""}}, good, ""},
		"absent":         {Expect{Status: 201, Headers: map[string]string{"X": ""}}, good, "no header x"},
		"one of several": {Expect{Status: 201, Headers: map[string]string{"Vary": "b"}}, good, ""},
		"none of them": {Expect{Status: 201, Headers: map[string]string{"Vary": "c"}}, good,
			`header vary is "a"; want "c"`},
	} {
		s := &Scenario{Name: "x", Requests: []Request{{Method: "GET", Path: "/{seq}", Weight: 1, Expect: c.e}}}
		addr := raw(t, func(string) string { return c.answer })
		seen, err := Verify(t.Context(), s, wire.TCP(addr), nil, 0)
		switch {
		case c.want == "" && (err != nil || seen.Requests != draws):
			t.Errorf("%s: %+v, %v", name, seen, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v; want %q", name, err, c.want)
		}
		err = s.Probe(0)(t.Context(), wire.TCP(addr))
		if wrong := strings.HasPrefix(c.want, "status"); wrong != (err != nil) {
			t.Errorf("%s: probe: %v", name, err)
		}
	}
	if _, err := Verify(t.Context(), &Scenario{Requests: []Request{{Method: "GET", Path: "/", Weight: 1,
		Expect: Expect{Status: 201, Body: &value}}}},
		wire.TCP(raw(t, func(string) string { return good })), []string{"chunked: its default"}, 0); err == nil ||
		!strings.Contains(err.Error(), "does not occur") {
		t.Errorf("chunked, which a body of five bytes could show: %v", err)
	}
}
