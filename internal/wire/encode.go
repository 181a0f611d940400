package wire

import (
	"bytes"

	"golang.org/x/net/http2/hpack"
)

// AppendField appends a field to a header block, with the static table and Huffman code alone, so
// that the bytes are the same on every connection.
func AppendField(b []byte, name, value string) []byte { return appendField(b, name, value, false) }

// AppendName begins a field with a literal value that nobody indexes (RFC 7541 6.2.3). The value
// follows as a string, by BeginString and EndString, or by AppendString.
func AppendName(b []byte, name string) []byte {
	b = appendField(b, name, "\x00", true) // a value that is not in the static table
	return b[:len(b)-2]
}

func appendField(b []byte, name, value string, sensitive bool) []byte {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	e.SetMaxDynamicTableSize(0)
	// A write to a bytes.Buffer does not fail.
	e.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: sensitive})
	return append(b, block.Bytes()[1:]...) // without the table's new size
}

// NoTable is the instruction that begins the first block after the peer has made its table smaller
// (RFC 7541 4.2), for a client that uses none.
const NoTable = 0x20

// BeginString reserves space for the length of a string that follows.
func BeginString(b []byte) []byte { return append(b, 0) }

// EndString completes the string that BeginString began at b[at] and that extends to the end of b.
// It is not Huffman-coded.
func EndString(b []byte, at int) []byte {
	n := len(b) - at - 1
	if n < 0x7f {
		b[at] = byte(n)
		return b
	}
	var number [10]byte
	length := appendInteger(number[:0], n)
	b = append(b, length[1:]...)
	copy(b[at+len(length):], b[at+1:])
	copy(b[at:], length)
	return b
}

// AppendString appends a string without Huffman code.
func AppendString(b []byte, s string) []byte {
	return append(appendInteger(b, len(s)), s...)
}

// appendInteger appends n with a prefix of 7 bits (RFC 7541 5.1).
func appendInteger(b []byte, n int) []byte {
	const most = 0x7f
	if n < most {
		return append(b, byte(n))
	}
	b = append(b, most)
	for n -= most; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}
