package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// part is fixed text, then what is filled in after it.
type part struct {
	text []byte
	then slot
	in   *input // of ofName and inPlace
	at   int    // of ofName: index of its value
}

type slot uint8

const (
	nothing    slot = iota
	ofName          // value of a named input
	inPlace         // value of an inline input
	bodyLength      // Content-Length; two line ends and the body follow
	cookieLine      // Cookie: the jar's, if it holds any
	cookieMore      // the jar's, behind the request's own
)

const maxNamed = 16 // named inputs of one request, so that their values live on the stack

// builder cuts text into parts. Fill reports whether it could; else err says why not.
type builder struct {
	names   []string
	named   []input
	parts   []part
	text    []byte // since the last slot
	longest int    // bytes that what fill has added may take
	err     error
}

func (b *builder) slot(p part) {
	p.text = b.text
	b.parts, b.text = append(b.parts, p), nil
}

func (b *builder) fill(text string, where place) bool {
	for {
		before, p, rest, err := b.placeholder(text)
		if b.err = err; err != nil {
			return false
		}
		b.text = append(b.text, before...)
		b.longest += len(before)
		if p.then == nothing {
			return true
		}
		for _, one := range p.in.pick {
			if !where.takes(one) {
				b.err = fmt.Errorf("%q cannot stand here", one)
				return false
			}
		}
		b.longest += p.in.longest()
		b.slot(p)
		text = rest
	}
}

// placeholder finds the first placeholder of text. Without one, all of it is before.
func (b *builder) placeholder(text string) (before string, p part, rest string, err error) {
	for i := range len(text) {
		if text[i] != '{' {
			continue
		}
		inside := text[i+1:]
		end := strings.IndexAny(inside, "{}")
		if end < 0 || inside[end] == '{' {
			for _, word := range []string{"int:", "pick:", "uuid:", "seq:"} {
				if strings.HasPrefix(inside, word) {
					return "", p, "", fmt.Errorf("the } after {%s is missing", word)
				}
			}
			continue
		}
		before, inside, rest = text[:i], inside[:end], inside[end+1:]
		if n := slices.Index(b.names, inside); n >= 0 {
			return before, part{then: ofName, in: &b.named[n], at: n}, rest, nil
		}
		in, err := inline(inside)
		if in != nil || err != nil {
			return before, part{then: inPlace, in: in}, rest, err
		}
	}
	return text, p, "", nil
}

// path says what is fixed of the path that has just been added at start, for template.
func (b *builder) path(start int) (fixed string, open bool) {
	text := b.text
	if len(b.parts) > 0 {
		text = b.parts[0].text
	}
	fixed, _, query := strings.Cut(string(text[start:]), "?")
	return fixed, len(b.parts) > 0 && !query
}

// done returns the parts, one at the least.
func (b *builder) done() []part {
	if len(b.text) > 0 || len(b.parts) == 0 {
		b.slot(part{})
	}
	return b.parts
}

// with returns the parts with more behind them.
func (b *builder) with(more []part) []part {
	more[0].text = append(b.text, more[0].text...)
	return append(b.parts, more...)
}
