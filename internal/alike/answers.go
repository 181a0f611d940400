package alike

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dyno/internal/foreign"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// place is a position in a body.
type place interface {
	fmt.Stringer
	anywhere() place // the same place with every array index replaced by [*]
	covers(place) bool
}

// difference is a single difference between two responses.
type difference struct {
	what string // the differing part, in --differ's terms
	at   place  // position within the body; nil: not a difference between bodies
	a, b string // both values, for display
	of   aspect
}

// aspect is the property in which two bodies differ at a place. A varying aspect excuses no other.
type aspect uint8

const (
	inValue    aspect = iota
	inPresence        // only one body has the member or the element
	inType            // JSON types differ; or only one is JSON, or is empty
)

// name returns the differing part in words.
func (d *difference) name() string {
	if name, ok := strings.CutPrefix(d.what, "header:"); ok {
		return "header " + name
	}
	if d.what == "type" {
		return "Content-Type"
	}
	return d.what
}

// compared are the headers that must be equal: they describe the body or determine the client's
// next step.
var compared = []string{"content-encoding", "content-language", "location", "www-authenticate"}

// connection is a difference in how connections are treated. It is reported, but does not stop a
// comparison, because it is part of a server's performance.
const connection = "connection"

// rewritten is a difference in bytes between two bodies that are the same JSON. It is reported, but
// does not stop a comparison.
const rewritten = "bytes"

// differences returns the differences between two responses: status, type, headers, body, and, for
// equal bodies, that their bytes differ.
func differences(a, b *wire.Response) (all []difference) {
	add := func(what string, at place, x, y string) {
		all = append(all, difference{what: what, at: at, a: shown(x), b: shown(y)})
	}
	all = statusDifference(a, b)
	described(a, b, func(what, x, y string) { add(what, nil, x, y) })
	if a.Close != b.Close {
		add(connection, nil, kept(a), kept(b))
	}
	bodies := bodyDifferences(a, b)
	if all = append(all, bodies...); len(bodies) == 0 && len(a.Body) != len(b.Body) {
		add(rewritten, nil, string(a.Body), string(b.Body))
	}
	return all
}

// statusDifference returns the difference between two responses' statuses, if there is one and both are known.
func statusDifference(a, b *wire.Response) []difference {
	if a.Status == b.Status || a.Status == 0 || b.Status == 0 {
		return nil
	}
	return []difference{{what: "status", a: fmt.Sprint(a.Status), b: fmt.Sprint(b.Status)}}
}

// described calls add for differences between two header sections in fields that describe the body.
func described(a, b *wire.Response, add func(what, x, y string)) {
	if x, y := mediaType(a), mediaType(b); x != y {
		add("type", cmp.Or(x, "none"), cmp.Or(y, "none"))
	}
	for _, name := range compared {
		x, y := value(a, name), value(b, name)
		if name == "location" {
			x, y = withoutHost(x), withoutHost(y)
		}
		if x != y {
			add("header:"+name, cmp.Or(x, "none"), cmp.Or(y, "none"))
		}
	}
	if x, y := cookies(a), cookies(b); x != y {
		add("header:set-cookie", cmp.Or(x, "none"), cmp.Or(y, "none"))
	}
}

func mediaType(r *wire.Response) string {
	text := value(r, "content-type")
	media, _, err := mime.ParseMediaType(text)
	if err != nil {
		return strings.TrimSpace(text)
	}
	return media
}

// withoutHost returns a URL without the scheme and host, which differ between servers.
func withoutHost(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		_, path, _ := strings.Cut(rest, "/")
		return "/" + path
	}
	return url
}

// cookies returns the names of the cookies in Set-Cookie fields.
func cookies(r *wire.Response) string {
	names := map[string]bool{}
	for _, f := range r.Fields {
		if strings.EqualFold(f.Name, "set-cookie") {
			name, _, _ := strings.Cut(f.Value, "=")
			names[strings.TrimSpace(name)] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

func kept(r *wire.Response) string {
	if r.Close {
		return "closed after each response"
	}
	return "kept open"
}

// shown shortens a text to fit into a line, and hides its secrets.
func shown(s string) string {
	if !utf8.ValidString(s) {
		s = fmt.Sprintf("%q", s)
	}
	s = strings.ReplaceAll(foreign.Received(s), "\r", "")
	if r := []rune(s); len(r) > 80 {
		s = string(r[:79]) + "…"
	}
	return strings.ReplaceAll(s, "\n", "⏎")
}

// isJSON reports whether to compare the body as JSON.
func isJSON(r *wire.Response) bool {
	_, ok := readJSON(r, wire.Decoded(r))
	return ok
}

// readJSON reads r's body, decoded, as JSON if it is to be compared as JSON.
func readJSON(r *wire.Response, body []byte) (v any, ok bool) {
	media, trimmed := mediaType(r), bytes.TrimSpace(body)
	said := strings.HasSuffix(media, "/json") || strings.HasSuffix(media, "+json")
	if !said && (len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[') {
		return nil, false
	}
	v, err := scenario.ReadJSON(body)
	return v, err == nil
}

// bodyDifferences returns the differences between two bodies in order, after decoding: as JSON if
// both are JSON, else by words, or by bytes if one is not text.
func bodyDifferences(a, b *wire.Response) (all []difference) {
	if bytes.Equal(a.Body, b.Body) {
		return nil
	}
	add := func(at place, x, y string, of aspect) {
		var path jsonPath
		switch p := at.(type) {
		case jsonPath:
			path = slices.Clone(p)
			at = path
		case wordsAt:
			p.in = slices.Clone(p.in)
			path, at = p.in, p
		}
		if slices.ContainsFunc(path, foreign.Name) {
			x, y = foreign.Value("secret", x), foreign.Value("secret", y)
		}
		all = append(all, difference{"body", at, shown(x), shown(y), of})
	}
	left, right := wire.Decoded(a), wire.Decoded(b)
	x, asJSON := readJSON(a, left)
	y, both := readJSON(b, right)
	switch {
	case asJSON != both || (len(left) == 0) != (len(right) == 0):
		one := func(body []byte) string {
			if len(body) == 0 {
				return "empty"
			}
			return string(body)
		}
		add(wholeBody{}, one(left), one(right), inType)
	case asJSON:
		walk(jsonPath{}, x, y, add)
	case utf8.Valid(left) && utf8.Valid(right):
		textDifferences(nil, string(left), string(right), func(at wordsAt, x, y string) { add(at, x, y, inValue) })
	case len(left) != len(right):
		add(wholeBody{}, fmt.Sprintf("%d bytes", len(left)), fmt.Sprintf("%d bytes", len(right)), inValue)
	default:
		for i := range left {
			if left[i] != right[i] {
				if len(all) == mostPlaces {
					return []difference{{"body", wholeBody{}, all[0].a, all[0].b, inValue}}
				}
				from := func(body []byte) string { return fmt.Sprintf("%d bytes, from there %.20x", len(body), body[i:]) }
				add(byteAt(i), from(left), from(right), inValue)
			}
		}
	}
	return all
}

// mostPlaces limits the number of places distinguished in one text.
const mostPlaces = 1000

// textDifferences calls found for each word or separator in which two texts differ, with its line.
// If the texts have different numbers of words and separators, they differ in one part, between
// their common beginning and end.
func textDifferences(in jsonPath, a, b string, found func(at wordsAt, x, y string)) {
	x, y := words(a), words(b)
	n, line, from := 0, 1, [2]int{} // words passed, and bytes of both texts
	for ; n < min(len(x), len(y)) && x[n] == y[n]; n++ {
		line += strings.Count(x[n], "\n")
		from[0], from[1] = from[0]+len(x[n]), from[1]+len(y[n])
	}
	tail := 0
	for tail < min(len(x), len(y))-n && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	report := func(before, after int) {
		show := func(s string, at int) string {
			if in != nil {
				return jsonText(s)
			}
			return lineOf(s, at)
		}
		single := len(x) == len(y) && before+after == len(x)-1
		found(wordsAt{in, line, before, after, single}, show(a, from[0]), show(b, from[1]))
	}
	if len(x) != len(y) || len(x)-n-tail > mostPlaces {
		if len(x) != len(y) || n < len(x) {
			report(n, tail)
		}
		return
	}
	for i := n; i < len(x)-tail; i++ {
		if x[i] != y[i] {
			report(i, len(x)-1-i)
		}
		line += strings.Count(x[i], "\n")
		from[0], from[1] = from[0]+len(x[i]), from[1]+len(y[i])
	}
}

// words cuts a text into words and single other bytes.
func words(s string) (all []string) {
	for s != "" {
		n := 1
		for scenario.InWord(s[0]) && n < len(s) && scenario.InWord(s[n]) {
			n++
		}
		all, s = append(all, s[:n]), s[n:]
	}
	return all
}

// lineOf returns the line around a byte in s.
func lineOf(s string, at int) string {
	begin := strings.LastIndexByte(s[:at], '\n') + 1
	line, _, _ := strings.Cut(s[begin:], "\n")
	if line == "" && begin >= len(s) {
		return "the end"
	}
	return line
}

// walk calls found for each place where two values from scenario.ReadJSON differ, in the order of
// names. found must not keep the place.
func walk(at jsonPath, a, b any, found func(at place, a, b string, of aspect)) {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		for i := range min(len(x), len(y)) {
			walk(append(at, "["+strconv.Itoa(i)+"]"), x[i], y[i], found)
		}
		if len(x) != len(y) {
			found(at, fmt.Sprintf("%d elements", len(x)), fmt.Sprintf("%d elements", len(y)), inPresence)
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
		if there := func(in map[string]any, also map[string]any) (only []string) {
			for _, name := range slices.Sorted(maps.Keys(in)) {
				if _, both := also[name]; !both {
					only = append(only, name)
				}
			}
			return only
		}; len(there(x, y)) > 0 && len(there(y, x)) > 0 { // other names, not more
			found(append(at, "*"), "members "+strings.Join(there(x, y), ", "),
				"members "+strings.Join(there(y, x), ", "), inPresence)
			names = slices.DeleteFunc(slices.Collect(maps.Keys(x)), func(name string) bool {
				_, both := y[name]
				return !both
			})
		}
		slices.Sort(names)
		for _, name := range names {
			v, inA := x[name]
			w, inB := y[name]
			below := append(at, name)
			switch {
			case !inA:
				found(below, "not there", jsonText(w), inPresence)
			case !inB:
				found(below, jsonText(v), "not there", inPresence)
			default:
				walk(below, v, w, found)
			}
		}
		return
	case json.Number:
		if y, ok := b.(json.Number); ok {
			if !scenario.SameNumber(x, y) {
				found(at, jsonText(a), jsonText(b), inValue)
			}
			return
		}
	case string:
		if y, ok := b.(string); ok && (x == "") == (y == "") {
			textDifferences(at, x, y, func(at wordsAt, x, y string) { found(at, x, y, inValue) })
			return
		}
	case bool:
		if y, ok := b.(bool); ok {
			if x != y {
				found(at, jsonText(a), jsonText(b), inValue)
			}
			return
		}
	default: // nil
		if b == nil {
			return
		}
	}
	found(at, jsonText(a), jsonText(b), inType)
}

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
