package scenario

import (
	"bytes"
	"fmt"
	"strings"
)

// Shape holds the common properties of a request's varying bodies: the range of the length, and either the
// names and types in JSON, or the first and last bytes of other bodies.
type Shape struct {
	Least, Most int64 // body length, bytes

	names          *node // JSON members; nil: not all bodies are JSON
	prefix, suffix []byte
	grown          bool // s describes at least one body
}

// node is one place in a JSON value. All elements of an array share a node, and so do all values in an object
// with varying names.
type node struct {
	kinds    kinds
	members  []member
	required uint64 // indices of the members in every object
	open     bool   // names in the object vary
	element  *node
}

type member struct {
	name string // member name as written, with escapes
	*node
}

// kinds is a set of kinds of JSON values. Empty values are separate kinds, because a server that does no work
// sends empty values.
type kinds uint16

const (
	isNull kinds = 1 << iota
	isBool
	isZero
	isNumber
	isEmptyText
	isText
	isEmptyList
	isList
	isEmptyObject
	isObject
)

const (
	deepest     = 100 // deepest nesting
	mostMembers = 64  // largest object with fixed names
)

// NewShape returns the shape of bodies, which must all be JSON if asJSON is set.
func NewShape(bodies [][]byte, asJSON bool) *Shape {
	s := &Shape{}
	if asJSON {
		s.names = &node{}
	}
	for range 2 { // varying names are known only after all bodies
		for _, b := range bodies {
			s.Grow(b)
		}
	}
	return s
}

// Grow extends s so that body fits. No load may use s meanwhile.
func (s *Shape) Grow(body []byte) {
	n := int64(len(body))
	if s.names != nil {
		j := scan{b: body, grow: true}
		j.whole(s.names)
	}
	if !s.grown {
		s.grown, s.Least, s.Most = true, n, n
		s.prefix, s.suffix = bytes.Clone(body), bytes.Clone(body)
		return
	}
	s.Least, s.Most = min(s.Least, n), max(s.Most, n)
	s.prefix = s.prefix[:boundary(s.prefix, body, false)]
	s.suffix = s.suffix[len(s.suffix)-boundary(s.suffix, body, true):]
}

// boundary returns the length of the longest common prefix of a and b (suffix if back), cut to whole words:
// words that begin alike by chance are not constant.
func boundary(a, b []byte, back bool) int {
	at := func(b []byte, i int) byte {
		if back {
			return b[len(b)-1-i]
		}
		return b[i]
	}
	n := 0
	for n < min(len(a), len(b)) && at(a, n) == at(b, n) {
		n++
	}
	if n == len(a) && n == len(b) {
		return n
	}
	for n > 0 && InWord(at(a, n-1)) {
		n--
	}
	return n
}

// InWord reports whether c is part of a word, such as a name, a number, a time or an id. Words are the units
// that vary in a text.
func InWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80 || strings.IndexByte("-_:.+", c) >= 0
}

// Fits reports whether body has the shape. It does not allocate.
func (s *Shape) Fits(body []byte) bool {
	n := int64(len(body))
	switch {
	case n < s.Least || n > s.Most:
		return false
	case s.names != nil:
		j := scan{b: body}
		return j.whole(s.names)
	}
	return bytes.HasPrefix(body, s.prefix) && bytes.HasSuffix(body, s.suffix)
}

// Loosen accepts more bodies, because requests may have changed the state: zero and other numbers, empty and
// other texts, and empty and other lists may replace each other, and any value may replace a null or an empty
// object.
func (s *Shape) Loosen() {
	if s.names != nil {
		s.names.free()
	}
}

func (n *node) free() {
	if n.kinds&^(isNull|isEmptyObject) == 0 {
		n.kinds, n.open, n.members, n.required, n.element = isObject<<1-1, true, nil, 0, n
		return
	}
	for _, k := range []kinds{isZero | isNumber, isEmptyText | isText, isEmptyList | isList} {
		if n.kinds&k != 0 {
			n.kinds |= k
		}
	}
	if n.element == nil {
		n.element = &node{}
	}
	if n.element.kinds != isObject<<1-1 {
		n.element.free()
	}
	for i := range n.members {
		n.members[i].free()
	}
}

// AllowRare also accepts zero in place of another number, and an empty list in place of another list.
func (s *Shape) AllowRare() {
	if s.names != nil {
		s.names.allowRare()
	}
}

func (n *node) allowRare() {
	n.kinds |= n.kinds&isNumber>>1 | n.kinds&isList>>1 // isZero, isEmptyList
	if n.element != nil {
		n.element.allowRare()
	}
	for i := range n.members {
		n.members[i].allowRare()
	}
}

// Breach describes how a body differs from the shape; "" if it fits. The length may be up to times longer or
// shorter than in s.
func (s *Shape) Breach(body []byte, times int64) string {
	n := int64(len(body))
	switch {
	case n == 0 && s.Least > 0:
		return "an empty body"
	case n*times < s.Least || n > s.Most*times:
		return fmt.Sprintf("a body of %d bytes; right ones have %d to %d", n, s.Least, s.Most)
	case s.names == nil && !(bytes.HasPrefix(body, s.prefix) && bytes.HasSuffix(body, s.suffix)):
		return fmt.Sprintf("a body that does not begin with %s and end with %s", quote(s.prefix), quote(s.suffix))
	case s.names == nil:
		return ""
	}
	if err := checkJSON(body); err != nil {
		return err.Error()
	}
	if j := (scan{b: body}); !j.whole(s.names) {
		return fmt.Sprintf("JSON of another shape at byte %d", j.i)
	}
	return ""
}

// scan reads JSON and compares it with nodes, or grows them.
type scan struct {
	b    []byte
	i    int
	deep int
	grow bool
}

// whole reads one value up to the end of the text.
func (s *scan) whole(n *node) bool {
	ok := s.value(n)
	s.blank()
	return ok && s.i == len(s.b)
}

func (s *scan) blank() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\r' || s.b[s.i] == '\t') {
		s.i++
	}
}

// next skips white space and returns the next byte, 0 at the end.
func (s *scan) next() byte {
	if s.blank(); s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// take skips white space and reads the byte c.
func (s *scan) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.i++
	return true
}

// is records kind k for the present value, and reports whether n allows it.
func (s *scan) is(n *node, k kinds) bool {
	if s.grow {
		n.kinds |= k
	}
	return n.kinds&k != 0
}

// value reads a value.
func (s *scan) value(n *node) bool {
	switch c := s.next(); {
	case c == '{':
		return s.object(n)
	case c == '[':
		return s.list(n)
	case c == '"':
		text, ok := s.text()
		k := isText
		if len(text) == 0 {
			k = isEmptyText
		}
		return ok && s.is(n, k)
	case c == 'n':
		return s.word("null") && s.is(n, isNull)
	case c == 't':
		return s.word("true") && s.is(n, isBool)
	case c == 'f':
		return s.word("false") && s.is(n, isBool)
	}
	return s.number(n)
}

func (s *scan) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

// number reads a number. It checks the digits, but not every rule in RFC 8259.
func (s *scan) number(n *node) bool {
	from, k, digits := s.i, isZero, false
	for ; s.i < len(s.b); s.i++ {
		c := s.b[s.i]
		switch digit := '0' <= c && c <= '9'; {
		case digit && c != '0':
			k = isNumber
		case !digit && !(c == '-' && s.i == from) && !(digits && strings.IndexByte(".eE+-", c) >= 0):
			return digits && s.is(n, k)
		}
		digits = digits || '0' <= c && c <= '9'
	}
	return digits && s.is(n, k)
}

// text reads a string and returns the bytes between the quotes.
func (s *scan) text() ([]byte, bool) {
	s.i++
	from := s.i
	for s.i < len(s.b) {
		// Most strings have no escape: look for the end at once.
		k := bytes.IndexByte(s.b[s.i:], '"')
		if k < 0 {
			return nil, false
		}
		s.i += k + 1
		escapes := 0
		for e := s.i - 2; e >= from && s.b[e] == '\\'; e-- {
			escapes++
		}
		if escapes%2 == 0 {
			return s.b[from : s.i-1], true
		}
	}
	return nil, false
}

func (s *scan) list(n *node) bool {
	if s.i++; s.take(']') {
		return s.is(n, isEmptyList)
	}
	if !s.is(n, isList) || !s.down() {
		return false
	}
	if n.element == nil {
		n.element = &node{}
	}
	for {
		if !s.value(n.element) {
			return false
		}
		if !s.take(',') {
			s.deep--
			return s.take(']')
		}
	}
}

// down enters a list or an object.
func (s *scan) down() bool {
	s.deep++
	return s.deep <= deepest
}

func (s *scan) object(n *node) bool {
	if s.i++; s.take('}') {
		return s.is(n, isEmptyObject)
	}
	first := n.kinds&isObject == 0
	if !s.is(n, isObject) || !s.down() {
		return false
	}
	var seen uint64
	added := false
	for next := 0; ; next++ {
		if s.next() != '"' {
			return false
		}
		name, ok := s.text()
		if !ok || !s.take(':') {
			return false
		}
		below := n.element
		if !n.open {
			at := n.find(name, next)
			if at < 0 && s.grow {
				at, added = n.add(name), true
				if first && at >= 0 {
					n.required |= 1 << at
				}
			}
			if at < 0 && !n.open || at >= 0 && seen&(1<<at) != 0 {
				return false
			}
			if below = n.element; at >= 0 {
				seen |= 1 << at
				below, next = n.members[at].node, at
			}
		}
		if !s.value(below) {
			return false
		}
		if !s.take(',') {
			break
		}
	}
	if s.deep--; s.grow && !n.open {
		if added && !first && n.required&^seen != 0 {
			n.loosen()
		}
		n.required &= seen
	}
	return s.take('}') && (n.open || n.required&^seen == 0)
}

// find returns a member's index, usually the expected one, or -1.
func (n *node) find(name []byte, expected int) int {
	if expected < len(n.members) && n.members[expected].name == string(name) {
		return expected
	}
	for i := range n.members {
		if n.members[i].name == string(name) {
			return i
		}
	}
	return -1
}

// add adds a member and returns its index; with too many members it opens n and returns -1.
func (n *node) add(name []byte) int {
	if len(n.members) == mostMembers {
		n.loosen()
		return -1
	}
	n.members = append(n.members, member{string(name), &node{}})
	return len(n.members) - 1
}

// loosen turns n into an object with arbitrary names.
func (n *node) loosen() { n.open, n.members, n.required, n.element = true, nil, 0, &node{} }
