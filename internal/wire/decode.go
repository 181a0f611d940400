package wire

import (
	"bytes"

	"golang.org/x/net/http2/hpack"
)

// HTTP2Head is a response's header section, or its trailers.
type HTTP2Head struct {
	Status int    // 0: no status, as in trailers
	Length int64  // Content-Length; -1 if absent
	Fields []byte // field lines, `name: value` and a line end each, for NextField; valid until the next event
	ID     uint64 // equal IDs from one Parser mean header sections that are equal byte for byte
	// Malformed says how the section breaks RFC 9113; "" if it does not. This is a stream error.
	Malformed string

	others bool // a field that is no pseudo-header field has come
}

// decoder turns header blocks into Heads. It allocates only until its memory has grown.
//
// Note: hpack.Decoder makes a string for each name and value that is not indexed.
type decoder struct {
	dynamic table
	line    []byte // the field being read

	// The last block and its Head. If it left the dynamic table unchanged, the same bytes mean the
	// same again: servers repeat themselves for a whole second, until Date changes.
	head  HTTP2Head
	block []byte
	same  bool
}

// memo limits the length of a remembered block, in bytes.
const memo = 1024

// Write appends b to the line being read, for hpack.HuffmanDecode.
func (d *decoder) Write(b []byte) (int, error) {
	d.line = append(d.line, b...)
	return len(b), nil
}

// reset prepares for a new connection.
func (d *decoder) reset() {
	d.dynamic.reset()
	d.same = false
}

// decode reads a header block into d.head. Its error is a connection error (RFC 9113 4.3).
func (d *decoder) decode(block []byte) error {
	if d.same && bytes.Equal(block, d.block) {
		return nil
	}
	h := &d.head
	*h = HTTP2Head{Length: -1, Fields: h.Fields[:0], ID: h.ID + 1}
	d.same = len(block) <= memo
	for rest, first := block, true; len(rest) > 0; {
		var err error
		switch c := rest[0]; {
		case c&0x80 != 0: // indexed (RFC 7541 6.1)
			rest, err = d.indexed(rest)
		case c&0xe0 == 0x20: // new size of the table (6.3)
			if !first {
				return wrong(CompressionError, "the size of the table changes within a header block (RFC 7541 4.2)")
			}
			d.same = false
			if rest, err = d.resize(rest); err != nil {
				return err
			}
			continue
		case c&0xc0 == 0x40: // literal, to be indexed (6.2.1)
			d.same = false
			rest, err = d.literal(rest, 6, true)
		default: // literal (6.2.2, 6.2.3)
			rest, err = d.literal(rest, 4, false)
		}
		if err != nil {
			return err
		}
		first = false
	}
	if d.same {
		d.block = append(d.block[:0], block...)
	}
	return nil
}

var errShort = &HTTP2Error{CompressionError, "the header block ends within a field (RFC 7541 5)"}

func (d *decoder) indexed(b []byte) ([]byte, error) {
	i, b, ok := integer(b, 7)
	if !ok {
		return nil, errShort
	}
	t, e := d.dynamic.find(i)
	if e == nil {
		return nil, wrong(CompressionError, "index %d is in no table (RFC 7541 2.3.3)", i)
	}
	d.head.add(t.line(e), int(e.name), e.use)
	return b, nil
}

func (d *decoder) resize(b []byte) ([]byte, error) {
	n, b, ok := integer(b, 5)
	switch {
	case !ok:
		return nil, errShort
	case n > TableSize:
		return nil, wrong(CompressionError,
			"a table of %d bytes, more than the %d allowed (RFC 7541 6.3)", n, TableSize)
	}
	d.dynamic.limit = int(n)
	d.dynamic.shrink(int(n))
	return b, nil
}

// literal reads a field whose index begins in the low bits of the first byte.
func (d *decoder) literal(b []byte, bits uint, keep bool) (_ []byte, err error) {
	i, b, ok := integer(b, bits)
	if !ok {
		return nil, errShort
	}
	d.line = d.line[:0]
	if i == 0 {
		if b, err = d.string(b); err != nil {
			return nil, err
		}
	} else {
		t, e := d.dynamic.find(i)
		if e == nil {
			return nil, wrong(CompressionError, "index %d is in no table (RFC 7541 2.3.3)", i)
		}
		d.line = append(d.line, t.line(e)[:e.name]...)
	}
	name := len(d.line)
	d.line = append(d.line, ": "...)
	if b, err = d.string(b); err != nil {
		return nil, err
	}
	u := useOf(d.line[:name], d.line[name+2:])
	d.line = append(d.line, "\r\n"...)
	if keep {
		d.dynamic.add(d.line, name, u)
	}
	d.head.add(d.line, name, u)
	return b, nil
}

// string appends a string literal to the line (RFC 7541 5.2).
func (d *decoder) string(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, errShort
	}
	huffman := b[0]&0x80 != 0
	n, b, ok := integer(b, 7)
	if !ok || n > uint64(len(b)) {
		return nil, errShort
	}
	if !huffman {
		d.line = append(d.line, b[:n]...)
	} else if _, err := hpack.HuffmanDecode(d, b[:n]); err != nil {
		return nil, wrong(CompressionError, "a string is not in Huffman's code (RFC 7541 5.2)")
	}
	return b[n:], nil
}

// integer reads a number below 2^63 with a prefix of bits bits (RFC 7541 5.1).
func integer(b []byte, bits uint) (n uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	most := uint64(1)<<bits - 1
	if n = uint64(b[0]) & most; n < most {
		return n, b[1:], true
	}
	for i, shift := 1, 0; i < len(b) && shift < 63; i, shift = i+1, shift+7 {
		n += uint64(b[i]&0x7f) << shift
		if b[i]&0x80 == 0 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}

// add judges a field in the section and keeps it, except for pseudo-header fields.
func (h *HTTP2Head) add(line []byte, name int, u use) {
	if h.Malformed != "" {
		return
	}
	value := line[name+2 : len(line)-2]
	switch u {
	case illegal:
		h.Malformed = "a field that RFC 9113 8.2 forbids"
		return
	case pseudo:
		h.Malformed = "a pseudo-header field other than :status (RFC 9113 8.3.2)"
		return
	case status:
		switch n, ok := decimal(value); {
		case h.others:
			h.Malformed = ":status comes after other fields (RFC 9113 8.3)"
		case h.Status > 0:
			h.Malformed = "a second :status (RFC 9113 8.3)"
		case !ok || len(value) != 3 || n < 100:
			h.Malformed = "a :status that is no status code (RFC 9110 15)"
		default:
			h.Status = int(n)
		}
		return
	case length:
		n, ok := decimal(value)
		if !ok || h.Length >= 0 && h.Length != n {
			h.Malformed = "an invalid or conflicting content-length (RFC 9110 8.6)"
			return
		}
		h.Length = n
	}
	if len(h.Fields)+len(line) > HTTP2MaxHead {
		h.Malformed = "a header section that exceeds the limit"
		return
	}
	h.others = true
	h.Fields = append(h.Fields, line...)
}
