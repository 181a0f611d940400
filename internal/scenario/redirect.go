package scenario

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/wire"
)

// Sent is a request as sent in HTTP/1.1, kept to be sent to another target.
type Sent struct {
	bytes []byte // the request without tail
	tail  string
	jar   segment
}

// segment is the position of the jar's cookies in a request.
type segment struct {
	from, to int32
	then     slot // cookieLine or cookieMore; nothing if there are no cookies
}

// Keep renders the request like HTTP1 and stores it in x.
func (d *Draw) Keep(x *Sent, buf []byte) (_ []byte, tail string) {
	start := len(buf)
	d.jar = segment{} // HTTP1 does not set it for a template without cookies
	buf, x.tail = d.HTTP1(buf)
	x.bytes, x.jar = append(x.bytes[:0], buf[start:]...), d.jar
	return buf, x.tail
}

// Method returns the request's method.
func (x *Sent) Method() string {
	method, _, _ := bytes.Cut(x.bytes, []byte{' '})
	return string(method)
}

// Target returns the request's path and query.
func (x *Sent) Target() string { return string(targetOf(x.bytes)) }

// Host returns the value of the request's Host header.
func (x *Sent) Host() string {
	_, fields, _ := bytes.Cut(x.bytes, []byte{'\n'})
	for {
		name, value, rest, ok := wire.NextField(fields)
		if !ok {
			return ""
		}
		if fields = rest; wire.EqualFold(name, hostName) {
			return string(value)
		}
	}
}

var hostName = []byte("host")

// Size returns the request's length in bytes.
func (x *Sent) Size() int { return len(x.bytes) + len(x.tail) }

// Append appends the whole request to b.
func (x *Sent) Append(b []byte) []byte { return append(append(b, x.bytes...), x.tail...) }

// Redirect changes x, a request with contract w, to another target: a path, perhaps with a query. It sends
// the jar's present cookies. If bare is set, x becomes a GET without content and without the header fields
// that describe content. Redirect allocates.
func (s *Source) Redirect(x *Sent, w *Want, target string, bare bool) {
	method := x.Method()
	if bare {
		method = "GET"
	}
	line := bytes.IndexByte(x.bytes, '\n') + 1
	end := bytes.Index(x.bytes, blankLine) + len(blankLine)
	b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\n", method, target)
	if x.jar.then == nothing {
		b = appendFields(b, x.bytes[line:end], bare)
	} else {
		path, text := pathOf(b), ""
		if j := s.jar; j != nil {
			text, j.carries = j.header(s.mix, w.from.host, string(path))
		}
		d := Draw{source: s, want: w}
		d.visits(path)
		b = appendFields(b, x.bytes[line:x.jar.from], bare)
		from := len(b)
		b = appendCookies(b, text, x.jar.then)
		to := x.jar.to
		x.jar.from, x.jar.to = int32(from), int32(len(b))
		b = appendFields(b, x.bytes[to:end], bare)
	}
	if bare {
		x.tail = ""
	} else {
		b = append(b, x.bytes[end:]...)
	}
	x.bytes = b
}

var blankLine = []byte("\r\n\r\n")

// appendFields appends lines, the last of which may be incomplete. If bare is set, it leaves out the fields
// that describe content.
func appendFields(b, lines []byte, bare bool) []byte {
	for line := range bytes.Lines(lines) {
		if name, _, _ := bytes.Cut(line, []byte{':'}); !bare || !describesContent(name) {
			b = append(b, line...)
		}
	}
	return b
}

// contentFields are the header fields that a request without content must not have.
var contentFields = []string{"content-length", "transfer-encoding", "content-type", "content-encoding",
	"content-language", "content-location"}

func describesContent(name []byte) bool {
	return slices.Contains(contentFields, strings.ToLower(string(name)))
}
