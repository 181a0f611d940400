package scenario

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Source draws the requests of one connection. The same seed gives the same bytes, except for
// cookies. A Source is small, because its Mix holds what is fixed. It is not safe for concurrent
// use.
type Source struct {
	mix       *Mix
	rng       rand.PCG
	seq, step uint64
	learned   uint64 // id of the last learned head, if learning it again would change nothing
	jar       *jar   // nil until the first cookie arrives
}

// NewSource returns the source of the connection with this index, from 0, out of all connections of
// a job; Input.Seq depends on both numbers. A source outlives its connection: the connection that
// replaces it continues with the same source and its cookies.
func (m *Mix) NewSource(seed uint64, index, connections int) *Source {
	return &Source{mix: m, rng: *rand.NewPCG(seed, 0x64796e6f), seq: uint64(index), step: uint64(max(connections, 1))}
}

// Next appends one request to buf and fills w with its contract. Once buf and w have grown, it
// allocates only when cookies change.
//
// The order of draws is part of the format of records: the request by its weight, the named inputs
// by name, the inline inputs in the order of the bytes sent.
func (s *Source) Next(buf []byte, w *Want) []byte {
	buf, tail := s.NextParted(buf, w)
	return append(buf, tail...)
}

// NextParted does the same as Next, except that it returns a long fixed body as tail, to be sent
// after the appended bytes. All sources of the mix share the tail.
func (s *Source) NextParted(buf []byte, w *Want) (_ []byte, tail string) {
	rng := rand.New(&s.rng) // on the stack
	m := s.mix
	t := &m.templates[0]
	if len(m.templates) > 1 {
		i, _ := slices.BinarySearch(m.until, int(rng.Uint64N(uint64(m.total)))+1)
		t = &m.templates[i]
	}
	var values [maxNamed]value
	for i := range t.named {
		values[i] = s.draw(rng, &t.named[i])
	}
	own, hash := w.own[:0], w.hash
	*w = t.want
	w.hash = hash

	start := len(buf)
	buf = s.render(rng, buf, t, &values)
	if w.Cookies {
		own = append(own, pathOf(buf[start:])...)
		if w.Session && s.jar != nil {
			w.carried = s.jar.carries
		}
	}
	n := len(own)
	if t.body != nil {
		for i := range t.body {
			own = t.body[i].appendTo(own, &values)
		}
		w.Body = own[n:]
	}
	w.path, w.own = own[:n], own
	return buf, t.tail
}

// render appends the request.
func (s *Source) render(rng *rand.Rand, buf []byte, t *template, values *[maxNamed]value) []byte {
	start, lengthAt := len(buf), 0
	for i := range t.parts {
		p := &t.parts[i]
		buf = p.appendTo(buf, values)
		switch p.then {
		case inPlace:
			buf = p.in.append(buf, s.draw(rng, p.in))
		case bodyLength:
			lengthAt = len(buf)
			buf = append(buf, "00000000000000000000"[:t.digits]...)
		case cookieLine, cookieMore:
			buf = s.appendCookies(buf, t, pathOf(buf[start:]), p.then)
		}
	}
	if t.digits > 0 {
		buf = setLength(buf, lengthAt, t.digits)
	}
	return buf
}

// appendTo writes the text of p and, if its slot is ofName, its value.
func (p *part) appendTo(buf []byte, values *[maxNamed]value) []byte {
	buf = append(buf, p.text...)
	if p.then == ofName {
		buf = p.in.append(buf, values[p.at])
	}
	return buf
}

// setLength writes the length of the body, which ends buf, over the digits reserved at the given
// place.
//
// Note: the alternative, to draw all values before writing any, needs memory for however many
// values there are. The reserved digits nearly always fit; otherwise the body moves by one byte.
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

// pathOf returns the path, without its query, of the request that b begins with.
func pathOf(b []byte) []byte {
	b = b[bytes.IndexByte(b, ' ')+1:]
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		b = b[:i]
	}
	if i := bytes.IndexByte(b, '?'); i >= 0 {
		b = b[:i]
	}
	return b
}
