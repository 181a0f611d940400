package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// part is fixed text followed by one slot.
type part struct {
	text []byte
	then slot
	in   *input // if then is ofName or inPlace
	at   int    // if then is ofName: index of the value
}

func (p part) isInline() bool { return p.then == inPlace }

// slot says what follows the fixed text in a part.
type slot uint8

const (
	nothing     slot = iota
	ofName           // a named input's value
	inPlace          // an inline input's value
	cookieLine       // a Cookie header, if the jar holds any
	cookieField      // as cookieLine, in an HTTP/2 header block
	beginString      // an HTTP/2 string begins, until endString
	endString
)

// maxNamed limits the named inputs in a request, so that their values fit on the stack.
const maxNamed = 16

// builder cuts text into parts.
type builder struct {
	names []string
	named []input
	parts []part
	text  []byte // text after the last slot
	err   error  // why fill failed
	http2 bool   // fields are added for HTTP/2
}

func (b *builder) slot(p part) {
	p.text = b.text
	b.parts, b.text = append(b.parts, p), nil
}

// fill adds text and its placeholders, whose values must be valid in this place. It reports success.
func (b *builder) fill(text string, where place) bool {
	for {
		before, p, rest, err := b.placeholder(text)
		if b.err = err; err != nil {
			return false
		}
		b.text = append(b.text, before...)
		if p.then == nothing {
			return true
		}
		for _, one := range p.in.pick {
			if !where.takes(one) {
				b.err = fmt.Errorf("%q is not allowed here", one)
				return false
			}
		}
		b.slot(p)
		text = rest
	}
}

// placeholder finds the first placeholder in text. If there is none, before is the whole text.
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

// done returns the parts; there is at least one.
func (b *builder) done() []part {
	if len(b.text) > 0 || len(b.parts) == 0 {
		b.slot(part{})
	}
	return b.parts
}

// add adds what v holds.
func (b *builder) add(v builder) {
	if len(v.parts) > 0 {
		v.parts[0].text = append(b.text, v.parts[0].text...)
		b.parts, b.text = append(b.parts, v.parts...), nil
	}
	b.text = append(b.text, v.text...)
}
