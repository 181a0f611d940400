package scenario

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// Source draws the requests for one connection. The same seed gives the same bytes, except for cookies. A
// Source is small, because the fixed parts are in its Mix. It is not safe for concurrent use.
type Source struct {
	mix       *Mix
	rng       rand.PCG
	seq, step uint64
	learned   uint64 // id of the last learned head, if learning it again would change nothing
	jar       *jar   // nil until the first cookie arrives
}

// NewSource returns the source for connection index, from 0, out of all connections in a job; Input.Seq
// depends on both numbers. A source outlives its connection: the connection that replaces it continues with
// the same source and cookies.
func (m *Mix) NewSource(seed uint64, index, connections int) *Source {
	return &Source{mix: m, rng: *rand.NewPCG(seed, 0x64796e6f), seq: uint64(index), step: uint64(max(connections, 1))}
}

// Mark is a request's position in the draws of a Source, without cookies. It draws the same request from any
// Mix of the same scenario.
type Mark struct {
	rng rand.PCG
	seq uint64
}

// Mark returns the request's mark; zero if the request is not Marked.
func (w *Want) Mark() (m Mark) {
	if !w.Marked {
		return m
	}
	m.seq = binary.BigEndian.Uint64(w.own)
	if err := m.rng.UnmarshalBinary(w.own[8:][:markSize-8]); err != nil {
		panic(err) // Draw wrote it
	}
	return m
}

// markSize is the length of the mark at the start of Want.own if the request is Marked.
const markSize = 8 + len("pcg:") + 16

// Draw is a request with drawn values, before it is rendered for a protocol.
type Draw struct {
	source   *Source
	template *template
	want     *Want
	values   [maxNamed]value // values of the named inputs
}

// Draw draws the next request into d and returns its contract: a read-only one that all requests share, or w
// if any part depends on this request. Before the next Draw, the request must be rendered once, because
// rendering draws the inline inputs. Once w has grown, Draw does not allocate.
//
// Note: a shared contract stays in the CPU cache; the contracts of all requests in flight would exceed it.
//
// The order of draws is part of the record format: the request by weight, the named inputs by name, the
// inline inputs in the order of the sent bytes.
func (s *Source) Draw(d *Draw, w *Want) *Want {
	rng := rand.New(&s.rng) // on the stack
	m := s.mix
	before, seq := s.rng, s.seq
	t := &m.templates[0]
	if len(m.templates) > 1 {
		i, _ := slices.BinarySearch(m.until, int(rng.Uint64N(uint64(m.total)))+1)
		t = &m.templates[i]
	}
	d.source, d.template = s, t
	for i := range t.named {
		d.values[i] = s.draw(rng, &t.named[i])
	}
	if t.shared() {
		d.want = &t.want
		return d.want
	}
	d.want = w
	own := w.own[:0]
	*w = t.want
	w.from = t
	if w.Marked {
		own = binary.BigEndian.AppendUint64(own, seq)
		own, _ = before.AppendBinary(own)
	}
	if t.body != nil {
		own = d.appendAll(own, t.body, rng)
		w.Body = own
	}
	w.own = own
	return w
}

// Next draws the next request and appends it to buf as HTTP/1.1. w becomes its contract.
func (s *Source) Next(buf []byte, w *Want) []byte {
	var d Draw
	if shared := s.Draw(&d, w); shared != w {
		own := w.own
		*w = *shared
		w.own = own
	}
	buf, tail := d.HTTP1(buf)
	return append(buf, tail...)
}

// append writes p's text and, if a value follows it, the value. It draws inline values.
func (d *Draw) append(buf []byte, p *part, rng *rand.Rand) []byte {
	buf = append(buf, p.text...)
	switch p.then {
	case ofName:
		buf = p.in.append(buf, d.values[p.at])
	case inPlace:
		buf = p.in.append(buf, d.source.draw(rng, p.in))
	}
	return buf
}

func (d *Draw) appendAll(buf []byte, parts []part, rng *rand.Rand) []byte {
	for i := range parts {
		buf = d.append(buf, &parts[i], rng)
	}
	return buf
}
