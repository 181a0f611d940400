package conf

import (
	"errors"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// place is a line and a column, both from 1.
type place struct{ line, column int }

// node is a key, a table or an array entry, with its position but without its value.
type node struct {
	place
	keys  map[string]*node
	items []*node
}

// step is one part of a key: a name, or, if entry is set, the index of an array entry.
type step struct {
	name  string
	index int
	entry bool
}

// find returns the node at steps, or the last one on the way to it; ok reports which. It accepts a
// nil node.
func (n *node) find(steps []step) (found *node, ok bool) {
	for _, s := range steps {
		var next *node
		switch {
		case n == nil:
		case !s.entry:
			next = n.keys[s.name]
		case s.index < len(n.items):
			next = n.items[s.index]
		}
		if next == nil {
			return n, false
		}
		n = next
	}
	return n, true
}

// child returns the node for key name; it makes one with place p if there is none.
func (n *node) child(name string, p place) *node {
	if c := n.keys[name]; c != nil {
		return c
	}
	if n.keys == nil {
		n.keys = map[string]*node{}
	}
	n.keys[name] = &node{place: p}
	return n.keys[name]
}

// append adds an array entry with place p.
func (n *node) append(p place) *node {
	n.items = append(n.items, &node{place: p})
	return n.last()
}

// last returns the table that a key after [[n]] belongs to.
func (n *node) last() *node {
	if len(n.items) > 0 {
		return n.items[len(n.items)-1]
	}
	return n
}

// splitKey cuts "request[1].path" into steps. A name with a dot or a bracket is in double quotes.
// It omits everything after a mistake.
func splitKey(key string) []step {
	var steps []step
	for key != "" {
		switch {
		case key[0] == '.':
			key = key[1:]
		case key[0] == '[':
			end := strings.IndexByte(key, ']')
			if end < 0 {
				return steps
			}
			if i, err := strconv.Atoi(key[1:end]); err == nil && i >= 0 {
				steps = append(steps, step{index: i, entry: true})
			}
			key = key[end+1:]
		case key[0] == '"':
			quoted, err := strconv.QuotedPrefix(key)
			if err != nil {
				return steps
			}
			name, _ := strconv.Unquote(quoted)
			steps = append(steps, step{name: name})
			key = key[len(quoted):]
		default:
			end := strings.IndexAny(key, ".[")
			if end < 0 {
				end = len(key)
			}
			steps = append(steps, step{name: key[:end]})
			key = key[end:]
		}
	}
	return steps
}

// parser builds a document's tree. Errors that the grammar allows, such as a key that is set twice,
// are left to the decoder.
type parser struct {
	unstable.Parser
	lines []int // offset of each line's start
}

// places reads the places of all keys in data. Its error is an *Error; path is its Path.
func places(path string, data []byte) (*node, error) {
	p := &parser{lines: []int{0}}
	for i, c := range data {
		if c == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	data = data[:len(data):len(data)] // go-toml computes offsets from capacities
	p.Reset(data)
	root := &node{}
	table := root
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.KeyValue:
			p.keyValue(table, e)
		case unstable.Table, unstable.ArrayTable:
			table = p.table(root, e)
		}
	}
	err := p.Error()
	if err == nil {
		return root, nil
	}
	e := &Error{Path: path, Line: 1, Column: 1, Text: err.Error()}
	if at, ok := errors.AsType[*unstable.ParserError](err); ok {
		where := p.place(p.Range(at.Highlight))
		e.Line, e.Column, e.Text = where.line, where.column, at.Message
		if strings.HasPrefix(e.Text, "expected keyword") { // it takes any bare word for true, false, inf or nan
			e.Text = "a word without quotes is not a value; put text in quotes"
		}
	}
	return nil, e
}

// place returns the place where a range in the document begins.
func (p *parser) place(r unstable.Range) place {
	offset := int(r.Offset)
	i := sort.SearchInts(p.lines, offset+1) - 1
	return place{i + 1, offset - p.lines[i] + 1}
}

// table enters [a.b] or [[a.b]] and returns the node for the keys below it. Parts before the last
// mean an array's last entry.
func (p *parser) table(root *node, e *unstable.Node) *node {
	n := root
	for it := e.Key(); it.Next(); {
		part := it.Node()
		at := p.place(part.Raw)
		n = n.child(string(part.Data), at)
		if e.Kind == unstable.ArrayTable && it.IsLast() {
			return n.append(at)
		}
		n = n.last()
	}
	return n
}

// keyValue enters a key, which may be dotted, and its value.
func (p *parser) keyValue(n *node, e *unstable.Node) {
	for it := e.Key(); it.Next(); {
		part := it.Node()
		n = n.child(string(part.Data), p.place(part.Raw))
	}
	p.value(n, e.Value())
}

// value enters the keys and entries of v, n's value.
func (p *parser) value(n *node, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				p.keyValue(n, it.Node())
			}
		}
	case unstable.Array:
		for it := v.Children(); it.Next(); {
			item := it.Node()
			if item.Kind == unstable.Comment {
				continue
			}
			at := n.place // for entries without their own place
			if item.Raw.Length > 0 {
				at = p.place(item.Raw)
			} else if item.Kind == unstable.InlineTable && item.Child().Valid() {
				key := item.Child().Key()
				if key.Next() {
					at = p.place(key.Node().Raw)
				}
			}
			p.value(n.append(at), item)
		}
	}
}
