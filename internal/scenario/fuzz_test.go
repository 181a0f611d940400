package scenario

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// FuzzCompile: whatever compiles is exactly one HTTP request for net/http, with a body of the declared
// length.
func FuzzCompile(f *testing.F) {
	f.Add("GET", "/api/values/{id}", "Accept", "text/plain", "", "value {id}", "1,2", uint8(0))
	f.Add("POST", "/{uuid}?n={seq}", "X-{", "{pick:a,b} {int:-5..5}", `{"id":{int:1..1000}}`, "", "a,bbbbbbbbbbbb",
		uint8(1))
	f.Add("PUT", "/{pick:a,b}", "Cookie", "a={id}", "{id}{id}{uuid}{seq}{pick:,}", "{int:1..2}", "", uint8(2))
	f.Add("HEAD", "/{int:1..0}", "Host", "{id}", "{int:", "{uuid", "x y", uint8(3))
	f.Add("OPTIONS", "/{int:-9223372036854775808..9223372036854775807}", "Connection", "keep-alive", "{{pick:x}}", "{}",
		"{uuid}", uint8(4))
	f.Fuzz(func(t *testing.T, method, path, name, value, body, answer, picks string, options uint8) {
		r := Request{Method: method, Path: path, Headers: []HeaderLine{{Name: name, Value: value}}, Body: body,
			Weight: 1,
			Expect: Expect{Status: 200, Body: &answer}, With: map[string]Input{"id": {Pick: strings.Split(picks, ",")}}}
		if options&4 != 0 {
			r.Expect.Body = nil
		}
		mix, err := (&Scenario{Name: "fuzz", Requests: []Request{r}}).Compile("h:1", Options{Close: options&1 != 0,
			Cookies: options&2 != 0})
		if err != nil {
			return
		}
		src := mix.NewSource(1, 0, 1)
		var w Want
		for range 3 {
			raw := src.Next(nil, &w)
			in := bufio.NewReader(bytes.NewReader(raw))
			q, err := http.ReadRequest(in)
			if err != nil {
				target := strings.Fields(string(raw))[1]
				if _, bad := url.ParseRequestURI(target); bad != nil {
					return // the scenario may intend to send it
				}
				t.Fatalf("%q: %v", raw, err)
			}
			got, err := io.ReadAll(q.Body)
			rest, _ := io.ReadAll(in)
			if err != nil || len(rest) > 0 || q.Method != method || int64(len(got)) != q.ContentLength {
				t.Fatalf("%q: %s with a body of %d, length %d, %q left, %v", raw, q.Method, len(got), q.ContentLength,
					rest, err)
			}
			if !strings.ContainsRune(body, '{') && string(got) != body {
				t.Fatalf("body %q; want %q", got, body)
			}
			if (body == "") != (len(got) == 0) && !strings.ContainsRune(body, '{') {
				t.Fatalf("body %q from %q", got, body)
			}
			if w.CheckBody && !strings.ContainsRune(answer, '{') && string(w.Body) != answer {
				t.Fatalf("wants %q; want %q", w.Body, answer)
			}
		}
	})
}

// FuzzStatuses: parsed statuses print as an equal list.
func FuzzStatuses(f *testing.F) {
	for _, s := range []string{"200", "2xx,304", "200-399", "100-599", "204,200 , 201", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		s, err := ParseStatuses(list)
		if err != nil {
			return
		}
		if again, err := ParseStatuses(s.String()); err != nil || again != s || s.Empty() {
			t.Fatalf("%q, then %q: %v", list, s, err)
		}
	})
}
