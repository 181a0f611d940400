package scenario

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// HTTP1 appends the request to buf as HTTP/1.1. It returns a long fixed body as tail, to be sent after buf;
// all draws from a Mix share the tail. Once buf has grown, HTTP1 allocates only when cookies change.
func (d *Draw) HTTP1(buf []byte) (_ []byte, tail string) {
	t, w := d.template, d.want
	start, lengthAt := len(buf), 0
	rng := rand.New(&d.source.rng) // on the stack
	for i := range t.http1.parts {
		p := &t.http1.parts[i]
		buf = p.appendTo(buf, &d.values)
		switch p.then {
		case inPlace:
			buf = p.in.append(buf, d.source.draw(rng, p.in))
		case bodyLength:
			lengthAt = len(buf)
			buf = append(buf, "00000000000000000000"[:t.http1.digits]...)
		case cookieLine, cookieMore:
			from := len(buf)
			buf = appendCookies(buf, d.source.cookies(t, pathOf(buf[start:])), p.then)
			d.jar = segment{int32(from - start), int32(len(buf) - start), p.then}
		}
	}
	if t.http1.digits > 0 {
		buf = setLength(buf, lengthAt, t.http1.digits)
	}
	if w.Cookies {
		d.visits(pathOf(buf[start:]))
	}
	return buf, t.http1.tail
}

// rendered is a rendered request, cut where bytes are drawn per request.
type rendered struct {
	parts  []part
	digits int    // reserved for Content-Length; 0: the length is fixed
	tail   string // a long fixed body, shared by requests; "": the body is in parts
}

// drawn reports whether rendering draws a value.
func (x *rendered) drawn() bool { return slices.ContainsFunc(x.parts, part.isInline) }

// compileHTTP1 renders the fixed parts of r as HTTP/1.1. The builder must be empty.
func (x *rendered) compileHTTP1(r *Request, host string, o Options, b builder) error {
	b.text = append(b.text, r.Method+" "...)
	if !b.fill(r.Path, inPath) {
		return wrong("path", "%w", b.err)
	}
	b.text = append(b.text, " HTTP/1.1\r\n"...)
	if err := b.headers(r, host, o); err != nil {
		return err
	}
	return x.content(r, &b)
}

// shared is the size in bytes from which a fixed body is sent without copying. Shorter bodies are copied
// behind the head, because one contiguous write is cheaper.
const shared = 16 << 10

// content ends the head in b and adds the body.
func (x *rendered) content(r *Request, b *builder) error {
	body := builder{names: b.names, named: b.named}
	if !r.Verbatim {
		_, first, _, err := body.placeholder(r.Body)
		if err == nil && first.then != nothing { // else the body, which may be long, is not copied
			body.fill(r.Body, anywhere)
			err = body.err
		}
		if err != nil {
			return wrong("body", "%w", err)
		}
	}
	if len(body.parts) > 0 { // it has a placeholder
		b.text = append(b.text, "Content-Length: "...)
		b.slot(part{then: bodyLength})
		x.digits = len(strconv.Itoa(body.longest))
		parts := body.done()
		parts[0].text = append([]byte("\r\n\r\n"), parts[0].text...)
		x.parts = b.with(parts)
		return nil
	}
	if r.Body != "" || r.Method == "POST" || r.Method == "PUT" {
		b.text = fmt.Appendf(b.text, "Content-Length: %d\r\n", len(r.Body))
	}
	b.text = append(b.text, "\r\n"...)
	if x.tail = r.Body; len(r.Body) < shared {
		b.text, x.tail = append(b.text, r.Body...), ""
	}
	x.parts = b.done()
	return nil
}

// headers adds the header fields except Content-Length.
func (b *builder) headers(r *Request, host string, o Options) error {
	if !r.hasHeader("host") { // Host goes first (RFC 9110, section 7.2)
		b.text = append(b.text, "Host: "+host+"\r\n"...)
	}
	jar := o.Cookies // still to be added
	for _, h := range r.Headers {
		more := jar && strings.EqualFold(h.Name, "cookie")
		if more && h.Value == "" {
			continue
		}
		b.text = append(b.text, h.Name+": "...)
		if h.Verbatim {
			b.text = append(b.text, h.Value...)
		} else if !b.fill(h.Value, inValue) {
			return wrong("headers."+h.Name, "%w", b.err)
		}
		if more { // one header holds all cookies (RFC 6265, section 5.4)
			b.slot(part{then: cookieMore})
			jar = false
		}
		b.text = append(b.text, "\r\n"...)
	}
	if jar {
		b.slot(part{then: cookieLine})
	}
	if o.Close && !r.hasHeader("connection") {
		b.text = append(b.text, "Connection: close\r\n"...)
	}
	return nil
}

// appendCookies writes the cookies, if any.
func appendCookies(buf []byte, text string, then slot) []byte {
	switch {
	case text == "":
		return buf
	case then == cookieMore:
		buf = append(buf, "; "...)
		return append(buf, text...)
	}
	buf = append(buf, "Cookie: "...)
	buf = append(buf, text...)
	return append(buf, "\r\n"...)
}

// setLength writes the body's length over the reserved digits. The body is the end of buf.
//
// Note: the alternative, to draw all values before writing any, needs memory for an unknown number of values.
// The reserved digits nearly always fit exactly; otherwise the body moves down by the spare digits.
func setLength(buf []byte, at, digits int) []byte {
	n := len(buf) - (at + digits + len("\r\n\r\n"))
	var number [20]byte
	text := strconv.AppendInt(number[:0], int64(n), 10)
	copy(buf[at:], text)
	if spare := digits - len(text); spare > 0 {
		copy(buf[at+len(text):], buf[at+digits:])
		buf = buf[:len(buf)-spare]
	}
	return buf
}

// pathOf returns the path, without the query, of the request at the start of b.
func pathOf(b []byte) []byte {
	b = targetOf(b)
	if i := bytes.IndexByte(b, '?'); i >= 0 {
		b = b[:i]
	}
	return b
}

// targetOf returns the path and the query of the request at the start of b.
func targetOf(b []byte) []byte {
	b = b[bytes.IndexByte(b, ' ')+1:]
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		b = b[:i]
	}
	return b
}
