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
		at := 0
		for at < len(got) && at < len(l.page) && got[at] == l.page[at] {
			at++
		}
		from := max(at-20, 0)
		return fmt.Sprintf("the page (%d bytes) differs, not only in white space, at %.60q; want %.60q",
			len(body), foreign.Mask(got[from:]), foreign.Mask(l.page[from:]))
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

// ReadJSON parses one JSON value. Unlike encoding/json it rejects bytes that are not UTF-8 (RFC 8259, section
// 8.1). Numbers are json.Number.
func ReadJSON(b []byte) (any, error) {
	if !utf8.Valid(b) {
		return nil, errors.New("not JSON: not UTF-8")
	}
	var raw json.RawMessage
	err := json.Unmarshal(b, &raw)
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, fmt.Errorf("not JSON: byte %d: %w", at.Offset, err)
	} else if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	err = d.Decode(&v)
	return v, err
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
		text := foreign.Mask(string(b))
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
