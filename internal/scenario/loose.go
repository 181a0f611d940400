package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"dyno/internal/conf"
	"dyno/internal/foreign"
)

// loose compares a body as a page or as JSON instead of byte by byte.
type loose struct {
	isPage bool
	page   string            // expected, in comparable form
	names  *strings.Replacer // replaces names in pages

	json any // expected value from ReadJSON, if isPage is not set
}

func (e *Expect) compileLoose(names map[string]string) (*loose, error) {
	if e.Collapse {
		l := &loose{isPage: true, names: replacer(names)}
		l.page = l.comparable(*e.Body)
		return l, nil
	}
	v, err := ReadJSON([]byte(*e.JSON))
	return &loose{json: v}, err
}

// replacer replaces names. If one name is a prefix of another, the longer one takes precedence.
func replacer(names map[string]string) *strings.Replacer {
	keys := sortedKeys(names)
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, k := range keys {
		pairs = append(pairs, k, names[k])
	}
	return strings.NewReplacer(pairs...)
}

// breach describes the difference between the body and the expected one; "" if there is none.
func (l *loose) breach(body []byte) string {
	if l.isPage {
		got := l.comparable(string(body))
		if got == l.page {
			return ""
		}
		got, page, at := foreign.Received(got), foreign.Received(l.page), 0
		for at < len(got) && at < len(page) && got[at] == page[at] {
			at++
		}
		from := max(at-20, 0)
		return fmt.Sprintf("the page (%d bytes) differs, not only in white space, at %.60q; want %.60q",
			len(body), got[from:], page[from:])
	}
	got, err := ReadJSON(body)
	if err != nil {
		return fmt.Sprintf("body %s: %v", quote(body), err)
	}
	return differ("", got, l.json)
}

// comparable returns a page with names replaced, without byte order marks, with one blank for each run of
// white space, and with none between tags or at the ends.
func (l *loose) comparable(page string) string {
	page = strings.ReplaceAll(l.names.Replace(page), "\ufeff", "")
	page = strings.Join(strings.FieldsFunc(page, func(r rune) bool { return strings.ContainsRune(" \t\r\n\f", r) }),
		" ")
	return strings.ReplaceAll(page, "> <", "><")
}

// surrogates matches an escaped backslash, a pair of escaped surrogates, and an unpaired one.
var surrogates = conf.Regexp(`\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..`)

// ReadJSON parses one JSON value. Numbers are json.Number. Unlike encoding/json it rejects bytes that are not
// UTF-8, unpaired surrogates, and objects with two members of one name: readers of such texts find different
// values (RFC 8259, sections 4 and 8).
func ReadJSON(b []byte) (any, error) {
	if err := checkJSON(b); err != nil {
		return nil, err
	}
	for _, m := range surrogates().FindAll(b, -1) {
		if len(m) == len(`\ud800`) {
			return nil, fmt.Errorf("JSON with the unpaired surrogate %s", m)
		}
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	written := 0
	for s := (scan{b: b}); s.next() != 0; {
		switch {
		case s.take(':'):
			written++
		case s.b[s.i] == '"':
			s.text()
		default:
			s.i++
		}
	}
	if written != members(v) {
		return nil, errors.New("JSON with an object that repeats a name")
	}
	return v, nil
}

// checkJSON returns an error unless b is one JSON value in UTF-8 (RFC 8259, section 8.1).
func checkJSON(b []byte) error {
	if !utf8.Valid(b) {
		return errors.New("not JSON: not UTF-8")
	}
	var raw json.RawMessage
	err := json.Unmarshal(b, &raw)
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not JSON: byte %d: %w", at.Offset, err)
	}
	return err
}

// members returns the number of members of all objects in v.
func members(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += members(e)
		}
	case map[string]any:
		for _, e := range v {
			n += 1 + members(e)
		}
	}
	return n
}

// differ describes the first difference between two values from ReadJSON; "" if they are equal. Numbers are
// compared by value; the order of object members does not matter.
func differ(at string, got, want any) string {
	switch w := want.(type) {
	case []any:
		g, ok := got.([]any)
		if !ok {
			break
		}
		for i := range min(len(g), len(w)) {
			if text := differ(fmt.Sprintf("%s[%d]", at, i), g[i], w[i]); text != "" {
				return text
			}
		}
		if len(g) != len(w) {
			return fmt.Sprintf("JSON%s has %d elements; want %d", at, len(g), len(w))
		}
		return ""
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, name := range sortedKeys(w) {
			v, ok := g[name]
			if !ok {
				return fmt.Sprintf("JSON%s has no %q", at, name)
			}
			if text := differ(at+"."+name, v, w[name]); text != "" {
				return text
			}
		}
		for _, name := range sortedKeys(g) {
			if _, ok := w[name]; !ok {
				return fmt.Sprintf("JSON%s has the unexpected member %q", at, name)
			}
		}
		return ""
	case json.Number:
		if g, ok := got.(json.Number); ok && SameNumber(g, w) {
			return ""
		}
	default: // string, bool or nil
		if got == want {
			return ""
		}
	}
	show := func(v any) string {
		b, _ := json.Marshal(v)
		text := foreign.Received(string(b))
		if slices.ContainsFunc(strings.FieldsFunc(at, func(r rune) bool { return r == '.' || r == '[' }), foreign.Name) {
			text = foreign.Value("secret", text)
		}
		return fmt.Sprintf("%.60s", text)
	}
	return fmt.Sprintf("JSON%s is %s; want %s", at, show(got), show(want))
}

// SameNumber reports whether two JSON numbers have the same value, however they are written. With exponents beyond
// 9999, only equal spellings are equal.
func SameNumber(a, b json.Number) bool {
	value := func(n json.Number) *big.Rat {
		if _, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e"); len(strings.TrimLeft(exponent, "+-0")) > 4 {
			return nil
		}
		v, _ := new(big.Rat).SetString(string(n))
		return v
	}
	x, y := value(a), value(b)
	return a == b || x != nil && y != nil && x.Cmp(y) == 0
}
