package scenario

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Want is the contract of one request in flight, as the hot path needs it. Its Body may share memory with the Source: it holds until
// the next Next with the same Want.
type Want struct {
	Index     int // of the request within Scenario.Requests
	Status    int
	CheckBody bool
	Body      []byte
	Headers   []Header // that must be present
	Head      bool     // answer to HEAD: headers only
	own       []byte
}

// Header is a header that an answer must hold: Name in lower case, Value exact or the media type before ';'.
type Header struct{ Name, Value []byte }

// Match reports whether a header's value satisfies h.
func (h Header) Match(value []byte) bool {
	if bytes.Equal(value, h.Value) {
		return true
	}
	media, _, found := bytes.Cut(value, []byte{';'})
	return found && bytes.EqualFold(bytes.TrimRight(media, " \t"), h.Value)
}

// Source draws the requests of one connection: the same seed, the same bytes. Not safe for concurrent use.
type Source struct {
	rng       *rand.Rand
	templates []template
	total     int // sum of weights
}

// template is a request cut at its placeholders.
type template struct {
	parts  []part
	want   Want
	body   []part // of the expected body, when it holds placeholders
	until  int    // cumulated weight
	inputs []Input
}

// part is fixed text, then the value of an input (-1: none).
type part struct {
	text  []byte
	input int
}

// NewSource prepares the weighted requests of s. Host is the value of the Host header.
func (s *Scenario) NewSource(seed uint64, host string) (*Source, error) {
	src := &Source{rng: rand.New(rand.NewPCG(seed, 0x64796e6f))}
	for i := range s.Requests {
		r := &s.Requests[i]
		if r.Weight <= 0 {
			continue
		}
		t, err := r.compile(i, host)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: request %q: %w", s.Name, r.Name, err)
		}
		src.total += r.Weight
		t.until = src.total
		src.templates = append(src.templates, t)
	}
	if src.total == 0 {
		return nil, fmt.Errorf("scenario %s: no request has a weight", s.Name)
	}
	return src, nil
}

// Next appends one request to buf and fills w with its contract. It does not allocate once w.Body has grown.
func (s *Source) Next(buf []byte, w *Want) []byte {
	t := &s.templates[0]
	if len(s.templates) > 1 {
		n := int(s.rng.Uint64N(uint64(s.total)))
		for i := range s.templates {
			if t = &s.templates[i]; n < t.until {
				break
			}
		}
	}
	return t.draw(s.rng, buf, w)
}

// maxInputs bounds the placeholders of one request, so that their values live on the stack.
const maxInputs = 8

func (t *template) draw(rng *rand.Rand, buf []byte, w *Want) []byte {
	var values [maxInputs]int64
	for i, in := range t.inputs {
		values[i] = in.Int[0] + int64(rng.Uint64N(uint64(in.Int[1]-in.Int[0])+1))
	}
	own := w.own
	*w = t.want
	w.own = own
	if t.body != nil {
		w.own = fill(w.own[:0], t.body, &values)
		w.Body = w.own
	}
	return fill(buf, t.parts, &values)
}

func fill(buf []byte, parts []part, values *[maxInputs]int64) []byte {
	for _, p := range parts {
		buf = append(buf, p.text...)
		if p.input >= 0 {
			buf = strconv.AppendInt(buf, values[p.input], 10)
		}
	}
	return buf
}

// compile renders everything of the request that is not drawn. A body with placeholders would need its length drawn too and is refused.
func (r *Request) compile(index int, host string) (template, error) {
	names, inputs := r.inputs()
	if len(names) > maxInputs {
		return template{}, fmt.Errorf("%d placeholders; at most %d", len(names), maxInputs)
	}
	if slices.ContainsFunc(cut(r.Body, names), func(p part) bool { return p.input >= 0 }) {
		return template{}, fmt.Errorf("the request body holds a placeholder; only path, headers and the expected body may")
	}
	t := template{
		inputs: inputs,
		parts:  cut(string(r.Render(host)), names),
		want:   Want{Index: index, Status: r.Expect.Status, Head: r.Method == "HEAD"},
	}
	if r.Expect.Body != nil {
		t.want.CheckBody = true
		t.want.Body = []byte(*r.Expect.Body)
		if parts := cut(*r.Expect.Body, names); len(parts) > 1 || parts[0].input >= 0 {
			t.body = parts
		}
	}
	for _, name := range sortedKeys(r.Expect.Headers) {
		t.want.Headers = append(t.want.Headers, Header{[]byte(strings.ToLower(name)), []byte(r.Expect.Headers[name])})
	}
	return t, nil
}

// Render is the request on the wire, placeholders left standing.
func (r *Request) Render(host string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.Method, r.Path, host)
	for _, name := range sortedKeys(r.Headers) {
		fmt.Fprintf(&b, "%s: %s\r\n", name, r.Headers[name])
	}
	if r.Body != "" || r.Method == "POST" || r.Method == "PUT" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.Body))
	}
	b.WriteString("\r\n")
	b.WriteString(r.Body)
	return b.Bytes()
}

func (r *Request) inputs() ([]string, []Input) {
	names := sortedKeys(r.With)
	inputs := make([]Input, len(names))
	for i, n := range names {
		inputs[i] = r.With[n]
	}
	return names, inputs
}

// cut splits text at the placeholders of the named inputs; braces around any other word are text.
func cut(text string, names []string) []part {
	var parts []part
	start := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '{' {
			continue
		}
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			break
		}
		if n := slices.Index(names, text[i+1:i+end]); n >= 0 {
			parts = append(parts, part{[]byte(text[start:i]), n})
			start = i + end + 1
			i = start - 1
		}
	}
	if start < len(text) || len(parts) == 0 {
		parts = append(parts, part{[]byte(text[start:]), -1})
	}
	return parts
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
