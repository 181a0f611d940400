package scenario

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"dyno/internal/wire"
)

// HTTP2 appends the request's header block to b. The body is fixed, or drawn into memory and valid until
// memory is reused. Once both have grown, HTTP2 allocates only when cookies change.
//
// The block refers to the static table alone, so that it is the same on every connection, and drawn values
// are never indexed. The values are those that HTTP1 would draw.
func (d *Draw) HTTP2(b, memory []byte) (_, _ []byte, body string) {
	x := &d.template.http2
	path, from := x.path, 0
	rng := rand.New(&d.source.rng) // on the stack
	for i := range x.parts {
		p := &x.parts[i]
		b = d.append(b, p, rng)
		switch p.then {
		case beginString:
			from = len(b)
			b = wire.BeginString(b)
		case endString:
			size := len(b) - from - 1
			b = wire.EndString(b, from)
			if path == nil { // the first string is the path
				path, _, _ = bytes.Cut(b[len(b)-size:], []byte{'?'})
			}
		case cookieMore:
			b = appendCookies(b, d.source.cookies(d.template, path), cookieMore)
		case cookieField:
			if text := d.source.cookies(d.template, path); text != "" {
				b = wire.AppendString(append(b, cookieName...), text)
			}
		}
	}
	if d.want.Cookies {
		d.visits(path)
	}
	if x.body == nil {
		return b, memory, x.fixed
	}
	memory = d.appendAll(memory[:0], x.body, rng)
	b = append(b, lengthName...)
	from = len(b)
	b = wire.EndString(strconv.AppendInt(wire.BeginString(b), int64(len(memory)), 10), from)
	return b, memory, unsafe.String(unsafe.SliceData(memory), len(memory))
}

// Names of fields whose values are known late.
var cookieName, lengthName = wire.AppendName(nil, "cookie"), wire.AppendName(nil, "content-length")

// compileHTTP2 renders the fixed parts of r for HTTP/2. The builder must be empty.
func (x *rendered) compileHTTP2(r *Request, host string, o Options, b builder) error {
	b.text = wire.AppendField(b.text, ":method", r.Method)
	b.text = wire.AppendField(b.text, ":scheme", cmp.Or(o.Scheme, "http"))
	if !b.field(":path", HeaderLine{Value: r.Path}, inPath) {
		return wrong("path", "%w", b.err)
	}
	if len(b.parts) == 0 {
		path, _, _ := strings.Cut(r.Path, "?")
		x.path = []byte(path)
	}
	if err := b.authority(r, host); err != nil {
		return err
	}
	if err := b.fields(r, o); err != nil {
		return err
	}
	lengthy, err := x.content(r, &b)
	if lengthy {
		b.text = wire.AppendField(b.text, "content-length", strconv.Itoa(len(r.Body)))
	}
	x.parts = b.done()
	return err
}

// authority adds r's Host, or host, as :authority, which precedes the header fields (RFC 9113, section
// 8.3.1).
func (b *builder) authority(r *Request, host string) error {
	at := slices.IndexFunc(r.Headers, func(h HeaderLine) bool { return strings.EqualFold(h.Name, "host") })
	if at < 0 {
		b.text = wire.AppendField(b.text, ":authority", host)
		return nil
	}
	before := len(b.parts)
	if !b.field(":authority", r.Headers[at], inValue) {
		return wrong("headers."+r.Headers[at].Name, "%w", b.err)
	}
	if slices.ContainsFunc(b.parts[before:], part.isInline) && at > 0 {
		return wrong("headers."+r.Headers[at].Name, "in HTTP/2 a Host with an inline placeholder must be the "+
			"first header, because it is sent first; move it there, or name the placeholder under with")
	}
	return nil
}

// fields adds r's header fields without the connection-specific ones, which HTTP/2 forbids (RFC 9113, section
// 8.2.2).
func (b *builder) fields(r *Request, o Options) error {
	jar := o.Cookies // still to be added
	for _, h := range r.Headers {
		name := strings.ToLower(h.Name)
		switch name {
		case "host", "connection", "keep-alive", "proxy-connection", "upgrade":
			continue
		case "te":
			if !strings.EqualFold(h.Value, "trailers") {
				continue
			}
		case "cookie":
			if jar && h.Value == "" {
				continue
			}
			if jar {
				jar = false
				if err := b.cookies(h); err != nil {
					return err
				}
				continue
			}
		}
		if !b.field(name, h, inValue) {
			return wrong("headers."+h.Name, "%w", b.err)
		}
	}
	if jar {
		b.slot(part{then: cookieField})
	}
	return nil
}

// cookies adds the Cookie header h, with a slot for the jar's cookies.
func (b *builder) cookies(h HeaderLine) error {
	b.text = append(b.text, cookieName...)
	b.slot(part{then: beginString})
	if h.Verbatim {
		b.text = append(b.text, h.Value...)
	} else if !b.fill(h.Value, inValue) {
		return wrong("headers."+h.Name, "%w", b.err)
	}
	b.slot(part{then: cookieMore})
	b.slot(part{then: endString})
	return nil
}

// field adds a field with h's value. It reports success.
func (b *builder) field(name string, h HeaderLine, where place) bool {
	value := strings.Trim(h.Value, " \t") // RFC 9113, section 8.2.1
	if !h.Verbatim {
		probe := builder{names: b.names, named: b.named}
		if !probe.fill(value, where) {
			b.err = probe.err
			return false
		}
		if len(probe.parts) > 0 {
			b.text = wire.AppendName(b.text, name)
			b.slot(part{then: beginString})
			b.fill(value, where)
			b.slot(part{then: endString})
			return true
		}
	}
	b.text = wire.AppendField(b.text, name, value)
	return true
}
