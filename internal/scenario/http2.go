package scenario

import (
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
	x, from := &d.template.http2, 0
	rng := rand.New(&d.source.rng) // on the stack
	for i := range x.parts {
		p := &x.parts[i]
		b = d.append(b, p, rng)
		switch p.then {
		case beginString:
			from = len(b)
			b = wire.BeginString(b)
		case endString:
			b = wire.EndString(b, from)
		case cookieField:
			if text := d.cookies(); text != "" {
				b = wire.AppendString(append(b, cookieName...), text)
			}
		}
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

// cookieName and lengthName are the names of fields whose values are known late.
var cookieName, lengthName = wire.AppendName(nil, "cookie"), wire.AppendName(nil, "content-length")

// compileHTTP2 renders the fixed parts of r for HTTP/2. The builder must be empty.
func (x *rendered) compileHTTP2(r *Request, host string, o Options, b builder) error {
	b.http2 = true
	b.text = wire.AppendField(b.text, ":method", r.Method)
	b.text = wire.AppendField(b.text, ":scheme", cmp.Or(o.Scheme, "http"))
	if err := b.field(":path", HeaderLine{Value: r.Path}, inPath); err != nil {
		return wrong("path", "%w", err)
	}
	if err := b.authority(r, host); err != nil {
		return err
	}
	if err := b.headers(r, o, cookieField); err != nil {
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
	if err := b.field(":authority", r.Headers[at], inValue); err != nil {
		return wrong("headers."+r.Headers[at].Name, "%w", err)
	}
	if slices.ContainsFunc(b.parts[before:], part.isInline) && at > 0 {
		return wrong("headers."+r.Headers[at].Name, "in HTTP/2 a Host with an inline placeholder must be the "+
			"first header, because it is sent first; move it there, or name the placeholder under with")
	}
	return nil
}

// connectionSpecific reports whether HTTP/2 has no such field; Host is sent as :authority.
func connectionSpecific(h HeaderLine) bool {
	switch strings.ToLower(h.Name) {
	case "host", "connection", "keep-alive", "proxy-connection", "upgrade":
		return true
	case "te":
		return !strings.EqualFold(h.Value, "trailers")
	}
	return false
}
