package scenario

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Source draws the requests of one connection: the same seed, the same bytes, cookies apart. It is small: what is fixed lies in its Mix.
// Not safe for concurrent use.
type Source struct {
	mix       *Mix
	rng       rand.PCG
	seq, step uint64
	learned   uint64 // id of the head last learned, if learning it again would change nothing
	jar       *jar   // nil until the first cookie comes
}

// NewSource returns the source of connection index, from 0, of the connections of a job, which are counted for Input.Seq. It outlives the
// connection: one that takes its place goes on with it, cookies and all.
func (m *Mix) NewSource(seed uint64, index, connections int) *Source {
	return &Source{mix: m, rng: *rand.NewPCG(seed, 0x64796e6f), seq: uint64(index), step: uint64(max(connections, 1))}
}

// Next appends one request to buf and fills w with its contract. Once buf and w have grown it does not allocate, unless cookies have
// changed.
//
// What is drawn is drawn in this order: the request by its weight, the named inputs by name, the inline ones as they stand on the wire.
func (s *Source) Next(buf []byte, w *Want) []byte {
	buf, tail := s.NextParted(buf, w)
	return append(buf, tail...)
}

// NextParted is Next, but for a long body that is the same in every request: it is returned as tail, to be sent behind what was
// appended. All sources of the mix share it.
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

// appendTo writes the text of p and, if its slot is ofName, the value.
func (p *part) appendTo(buf []byte, values *[maxNamed]value) []byte {
	buf = append(buf, p.text...)
	if p.then == ofName {
		buf = p.in.append(buf, values[p.at])
	}
	return buf
}

// setLength writes the length of the body, which ends buf, over the digits that were kept free for it at the given place.
//
// Note: the length is known when the body is written. To draw first, then measure, then write would need the drawn values kept, however
// many there are; the digits kept free are nearly always those needed, and else the body moves by one.
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

// pathOf is the path, without its query, in the request that b begins with.
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
