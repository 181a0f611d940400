package scenario

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/wire"
)

// HTTP1 appends the request to buf as HTTP/1.1. It returns a long fixed body as tail, to be sent after buf;
// all draws from a Mix share the tail. Once buf has grown, HTTP1 allocates only when cookies change.
func (d *Draw) HTTP1(buf []byte) (_ []byte, tail string) {
	x := &d.template.http1
	rng := rand.New(&d.source.rng) // on the stack
	for i := range x.parts {
		p := &x.parts[i]
		if buf = d.append(buf, p, rng); p.then == cookieLine {
			if text := d.cookies(); text != "" {
				buf = append(append(append(buf, "Cookie: "...), text...), "\r\n"...)
			}
		}
	}
	if x.body != nil {
		at := len(buf)
		buf = d.appendAll(buf, x.body, rng)
		var line [48]byte
		length := strconv.AppendInt(append(line[:0], "Content-Length: "...), int64(len(buf)-at), 10)
		buf = slices.Insert(buf, at, append(length, "\r\n\r\n"...)...)
	}
	return buf, x.fixed
}

// rendered is a request for one protocol, cut where bytes are drawn per request.
type rendered struct {
	parts []part // an HTTP/1.1 head, with a short fixed body; or an HTTP/2 header block
	body  []part // nil: the body is fixed
	fixed string // the fixed body, shared by requests; "" if it is in parts
}

// drawn reports whether rendering draws a value.
func (x *rendered) drawn() bool {
	return slices.ContainsFunc(x.parts, part.isInline) || slices.ContainsFunc(x.body, part.isInline)
}

// compileHTTP1 renders the fixed parts of r as HTTP/1.1. The builder must be empty.
func (x *rendered) compileHTTP1(r *Request, host string, o Options, b builder) error {
	b.text = append(b.text, r.Method+" "...)
	if !b.fill(r.Path, inPath) {
		return wrong("path", "%w", b.err)
	}
	b.text = append(b.text, " HTTP/1.1\r\n"...)
	if !r.hasHeader("host") { // Host goes first (RFC 9110, section 7.2)
		b.text = append(b.text, "Host: "+host+"\r\n"...)
	}
	if err := b.headers(r, o, cookieLine); err != nil {
		return err
	}
	if o.Close && !r.hasHeader("connection") {
		b.text = append(b.text, "Connection: close\r\n"...)
	}
	lengthy, err := x.content(r, &b)
	if err != nil {
		return err
	}
	if lengthy {
		b.text = fmt.Appendf(b.text, "Content-Length: %d\r\n", len(r.Body))
	}
	if x.body == nil {
		b.text = append(b.text, "\r\n"...)
	}
	if len(x.fixed) < shared {
		b.text, x.fixed = append(b.text, x.fixed...), ""
	}
	x.parts = b.done()
	return nil
}

// shared is the size in bytes from which a fixed body is sent without copying. Shorter bodies are copied
// behind the head, because one contiguous write is cheaper.
const shared = 16 << 10

// content cuts r's body. lengthy reports whether a fixed body needs a Content-Length.
func (x *rendered) content(r *Request, b *builder) (lengthy bool, err error) {
	body := builder{names: b.names, named: b.named}
	// A long body without braces is not copied.
	if !r.Verbatim && strings.Contains(r.Body, "{") && !body.fill(r.Body, anywhere) {
		return false, wrong("body", "%w", body.err)
	}
	if len(body.parts) > 0 {
		x.body = body.done()
		return false, nil
	}
	x.fixed = r.Body
	return r.Body != "" || r.Method == "POST" || r.Method == "PUT", nil
}

// headers adds r's header fields except Content-Length, and, unless one is Cookie, a slot for the jar's cookies.
// HTTP/2 forbids the connection-specific ones (RFC 9113, section 8.2.2).
func (b *builder) headers(r *Request, o Options, jar slot) error {
	for _, h := range r.Headers {
		if b.http2 && connectionSpecific(h) {
			continue
		}
		if err := b.field(h.Name, h, inValue); err != nil {
			return wrong("headers."+h.Name, "%w", err)
		}
	}
	if o.Cookies && !r.hasHeader("cookie") {
		b.slot(part{then: jar})
	}
	return nil
}

// field adds a field with h's value.
func (b *builder) field(name string, h HeaderLine, where place) error {
	value := builder{names: b.names, named: b.named}
	text := h.Value
	if b.http2 {
		name, text = strings.ToLower(name), strings.Trim(text, " \t") // RFC 9113, section 8.2.1
	}
	if h.Verbatim {
		value.text = []byte(text)
	} else if !value.fill(text, where) {
		return value.err
	}
	switch {
	case !b.http2:
		b.text = append(b.text, name+": "...)
		b.add(value)
		b.text = append(b.text, "\r\n"...)
	case len(value.parts) == 0:
		b.text = wire.AppendField(b.text, name, text)
	default:
		b.text = wire.AppendName(b.text, name)
		b.slot(part{then: beginString})
		b.add(value)
		b.slot(part{then: endString})
	}
	return nil
}
