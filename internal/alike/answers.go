package alike

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"dyno/internal/http1"
	"dyno/internal/scenario"
)

// place is a position in a body.
type place interface {
	fmt.Stringer
	anywhere() place // the same, whatever the indices of arrays
	covers(place) bool
}

// difference is a single difference between two responses.
type difference struct {
	what string // as --differ has it
	at   place  // within the body; nil: all of it, or no body
	a, b string // both values, for display
	has  bool   // only one has the member or the element
}

// name describes what differs.
func (d *difference) name() string {
	if name, ok := strings.CutPrefix(d.what, "header:"); ok {
		return "header " + name
	}
	if d.what == "type" {
		return "Content-Type"
	}
	return d.what
}

// compared are the headers that must be equal: those that describe the body, or determine the
// client's next step.
var compared = []string{"content-encoding", "content-language", "location", "www-authenticate"}

// connection is a difference in the treatment of connections. It is reported, but does not stop a
// comparison, because it is part of a server's performance.
const connection = "connection"

// differences returns the differences between two responses: status, type, headers, body, and, for
// equal bodies, the length.
func differences(a, b *http1.Response) (all []difference) {
	add := func(what string, at place, x, y string) {
		all = append(all, difference{what: what, at: at, a: shown(x), b: shown(y)})
	}
	if a.Status != b.Status {
		add("status", nil, fmt.Sprint(a.Status), fmt.Sprint(b.Status))
	}
	if x, y := mediaType(a), mediaType(b); x != y {
		add("type", nil, orNone(x), orNone(y))
	}
	for _, name := range compared {
		x, _ := a.Get(name)
		y, _ := b.Get(name)
		if name == "location" {
			x, y = withoutHost(x), withoutHost(y)
		}
		if x != y {
			add("header:"+name, nil, orNone(x), orNone(y))
		}
	}
	if x, y := cookies(a), cookies(b); x != y {
		add("header:set-cookie", nil, orNone(x), orNone(y))
	}
	if a.Close != b.Close {
		add(connection, nil, kept(a), kept(b))
	}
	bodies := bodyDifferences(a, b)
	if all = append(all, bodies...); len(bodies) == 0 && len(a.Body) != len(b.Body) {
		add("length", nil, fmt.Sprintf("%d bytes: %s", len(a.Body), a.Body), fmt.Sprintf("%d bytes, the same JSON: %s",
			len(b.Body), b.Body))
	}
	return all
}

func mediaType(r *http1.Response) string {
	value, _ := r.Get("content-type")
	media, _, err := mime.ParseMediaType(value)
	if err != nil {
		return strings.TrimSpace(value)
	}
	return media
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// withoutHost returns a URL without the scheme and host, which differ between servers.
func withoutHost(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		_, path, _ := strings.Cut(rest, "/")
		return "/" + path
	}
	return url
}

// cookies returns the names of the cookies that are set.
func cookies(r *http1.Response) string {
	names := map[string]bool{}
	for _, f := range r.Fields {
		if strings.EqualFold(f.Name, "set-cookie") {
			name, _, _ := strings.Cut(f.Value, "=")
			names[strings.TrimSpace(name)] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

func kept(r *http1.Response) string {
	if r.Close {
		return "closed after each response"
	}
	return "kept open"
}

// shown shortens a text to fit into a line.
func shown(s string) string {
	if !utf8.ValidString(s) {
		s = fmt.Sprintf("%q", s)
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r", ""), "\n", "⏎")
	if r := []rune(s); len(r) > 80 {
		s = string(r[:79]) + "…"
	}
	return s
}

// isJSON reports whether to compare the body as JSON.
func isJSON(r *http1.Response) bool {
	media, trimmed := mediaType(r), bytes.TrimSpace(r.Body)
	said := strings.HasSuffix(media, "/json") || strings.HasSuffix(media, "+json")
	if !said && (len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[') {
		return false
	}
	_, err := scenario.ReadJSON(r.Body)
	return err == nil
}

// bodyDifferences returns the differences of two bodies in order: as JSON if both are JSON, else by
// line.
func bodyDifferences(a, b *http1.Response) (all []difference) {
	if bytes.Equal(a.Body, b.Body) {
		return nil
	}
	if isJSON(a) && isJSON(b) {
		x, _ := scenario.ReadJSON(a.Body)
		y, _ := scenario.ReadJSON(b.Body)
		walk(nil, x, y, func(at jsonPath, x, y string, has bool) {
			all = append(all, difference{"body", at, shown(x), shown(y), has})
		})
		return all
	}
	if !utf8.Valid(a.Body) || !utf8.Valid(b.Body) {
		i := 0
		for i < min(len(a.Body), len(b.Body)) && a.Body[i] == b.Body[i] {
			i++
		}
		from := func(body []byte) string { return fmt.Sprintf("%d bytes, from there %.20x", len(body), body[i:]) }
		return []difference{{what: "body", at: byteAt(i), a: from(a.Body), b: from(b.Body)}}
	}
	x, y := strings.Split(string(a.Body), "\n"), strings.Split(string(b.Body), "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			all = append(all, difference{what: "body", at: lineAt(i + 1), a: shown(x[i]), b: shown(y[i])})
		}
	}
	if len(x) != len(y) {
		lines := func(n int) string { return fmt.Sprintf("%d lines", n) }
		all = append(all, difference{what: "body", a: lines(len(x)), b: lines(len(y)), has: true})
	}
	return all
}

// walk calls found for each place where two values of scenario.ReadJSON differ, in the order of
// names.
func walk(at jsonPath, a, b any, found func(at jsonPath, a, b string, has bool)) {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		for i := range min(len(x), len(y)) {
			walk(append(slices.Clone(at), fmt.Sprintf("[%d]", i)), x[i], y[i], found)
		}
		if len(x) != len(y) {
			found(at, fmt.Sprintf("%d elements", len(x)), fmt.Sprintf("%d elements", len(y)), true)
		}
		return
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		names := slices.Collect(maps.Keys(x))
		for name := range y {
			if _, both := x[name]; !both {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			v, inA := x[name]
			w, inB := y[name]
			below := append(slices.Clone(at), name)
			switch {
			case !inA:
				found(below, "not there", jsonText(w), true)
			case !inB:
				found(below, jsonText(v), "not there", true)
			default:
				walk(below, v, w, found)
			}
		}
		return
	case json.Number:
		if y, ok := b.(json.Number); ok && scenario.SameNumber(x, y) {
			return
		}
	default: // string, bool or nil
		if a == b {
			return
		}
	}
	found(at, jsonText(a), jsonText(b), false)
}

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
