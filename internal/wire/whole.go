package wire

// Field is one header field, as sent.
type Field struct{ Name, Value string }

// Response is a complete response, kept for a verifier.
type Response struct {
	Proto      string // for example "HTTP/1.1"
	Status     int
	Fields     []Field // field lines in order
	Body       []byte  // without transfer coding
	Framing    Framing
	Length     int64 // Content-Length; -1 if absent
	Close      bool  // the connection ends with it
	HeadBytes  int   // status line and header section, including the empty line
	TotalBytes int   // the response's bytes on the wire, including interim responses
}

// Get returns the value of the first field with that name, given in lower case.
func (r *Response) Get(name string) (value string, ok bool) {
	for _, f := range r.Fields {
		if EqualFold([]byte(f.Name), []byte(name)) {
			return f.Value, true
		}
	}
	return "", false
}

// WholeResponse parses one response from the start of b. toHead means that it is a response to HEAD, closed
// that the connection ended after b. It returns ErrIncomplete if the response continues after b. It
// ignores bytes after the response: compare TotalBytes with len(b).
func WholeResponse(b []byte, toHead, closed bool) (Response, error) {
	r := Response{Length: -1}
	p := HTTP1Parser{keep: &r}
	p.Expect(Want{Head: toHead})
	n, ev, err := p.Feed(b)
	if err != nil {
		return r, err
	}
	if ev != Done {
		if !closed {
			return r, ErrIncomplete
		}
		if err := p.End(); err != nil {
			return r, err
		}
	}
	r.Framing, r.Close, r.TotalBytes = p.Framing, p.Close, n
	return r, nil
}

// head copies the status line and header fields in b into r.
func (r *Response) head(h *head, b []byte) {
	r.Proto, r.Status, r.Length, r.HeadBytes = string(b[:8]), h.status, h.length, h.size
	for rest := b[h.line : h.size-2]; ; {
		name, value, next, ok := NextField(rest)
		if !ok {
			return
		}
		r.Fields = append(r.Fields, Field{string(name), string(value)})
		rest = next
	}
}
