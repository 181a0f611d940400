package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// fields returns the lines that x/net reads from a block, and its error.
func fields(d *hpack.Decoder, block []byte) (lines string, err error) {
	all, err := d.DecodeFull(block)
	for _, f := range all {
		lines += f.Name + ": " + f.Value + "\r\n"
	}
	return lines, err
}

// encode returns a block with these fields: name, value, …
func encode(e *hpack.Encoder, to *bytes.Buffer, pairs ...string) []byte {
	to.Reset()
	for i := 0; i < len(pairs); i += 2 {
		e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1], Sensitive: pairs[i] == "x-secret"})
	}
	return to.Bytes()
}

// TestDecode: a server's blocks, the second by indexes, more than the dynamic table holds.
func TestDecode(t *testing.T) {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	var d decoder
	d.reset()
	id := uint64(0)
	for i := range 300 {
		x := strings.Repeat("x", i%90)
		repeated := fmt.Sprint("Mon, ", i/3)
		b := encode(e, &block, ":status", "200", "content-type", "text/plain", "date", repeated, "x-n", x,
			"content-length", "12", "x-secret", "s")
		if err := d.decode(b); err != nil {
			t.Fatal(err)
		}
		want := "content-type: text/plain\r\ndate: " + repeated + "\r\nx-n: " + x +
			"\r\ncontent-length: 12\r\nx-secret: s\r\n"
		h := &d.head
		if string(h.Fields) != want || h.Status != 200 || h.Length != 12 || h.Malformed != "" || h.ID == id {
			t.Fatalf("block %d: %+v, fields %q", i, h, h.Fields)
		}
		id = d.head.ID
	}
	if d.dynamic.size > TableSize || cap(d.dynamic.text) > 3*TableSize {
		t.Errorf("a table of %d bytes in %d", d.dynamic.size, cap(d.dynamic.text))
	}
}

// TestRepeated: repeated blocks are not decoded again, and nothing is allocated.
func TestRepeated(t *testing.T) {
	var to bytes.Buffer
	e := hpack.NewEncoder(&to)
	var d decoder
	d.reset()
	var blocks [4][]byte
	for i := range blocks {
		blocks[i] = bytes.Clone(encode(e, &to, ":status", "200", "date", "a", "x-secret", "s"))
		if err := d.decode(blocks[i]); err != nil {
			t.Fatal(err)
		}
		if d.same != (i > 0) {
			t.Errorf("block %d: repeatable: %v", i, d.same)
		}
	}
	if d.head.ID != 2 {
		t.Errorf("%d blocks were decoded; want 2", d.head.ID)
	}
	update := bytes.Clone(encode(e, &to, ":status", "200", "date", strings.Repeat("b", 4000)))
	if n := testing.AllocsPerRun(100, func() {
		if d.decode(update) != nil || d.decode(update[:1]) != nil {
			t.Error("not decoded")
		}
	}); n != 0 && !testing.Short() { // with the race detector, which short tests run with, sync.Pool forgets at random
		t.Errorf("%v allocations per block", n)
	}
}

func TestMalformed(t *testing.T) {
	for want, pairs := range map[string][]string{
		"":                       {":status", "200", "a", "b", "content-length", "5", "content-length", "5"},
		"no status code":         {":status", "2000"},
		"a second :status":       {":status", "200", ":status", "200"},
		"after other fields":     {"a", "b", ":status", "200"},
		"other than :status":     {":status", "200", ":path", "/"},
		"conflicting":            {":status", "200", "content-length", "5", "content-length", "6"},
		"invalid or conflicting": {"content-length", "-1"},
		"8.2 forbids":            {"Date", "x"},
		"that RFC 9113":          {"a", "b\nc: d"},
		"field that":             {"connection", "close"},
		"RFC 9113 8.2":           {"a", " b"},
		"a field":                {"a b", ""},
		"a field that":           {"", "x"},
		"exceeds the limit":      {"a", strings.Repeat("x", HTTP2MaxHead)},
	} {
		var to bytes.Buffer
		var d decoder
		d.reset()
		if err := d.decode(encode(hpack.NewEncoder(&to), &to, pairs...)); err != nil {
			t.Errorf("%q: %v", pairs, err)
		}
		if got := d.head.Malformed; !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%.40q: %q; want %q", pairs, got, want)
		}
	}
}

// resizedAgain reports whether a block begins with several table sizes, as RFC 7541 4.2 requires if
// the table shrinks and grows between two blocks.
func resizedAgain(block []byte) bool {
	n := 0
	for ; len(block) > 0 && block[0]>>5 == 1; n++ {
		long := block[0]&31 == 31
		for block = block[1:]; long && len(block) > 0; block = block[1:] {
			long = block[0] > 127
		}
	}
	return n > 1
}

// FuzzDecode: x/net reads the same blocks alike.
func FuzzDecode(f *testing.F) {
	var to bytes.Buffer
	e := hpack.NewEncoder(&to)
	one := bytes.Clone(encode(e, &to, ":status", "200", "date", "x", "content-length", "5", "x-secret", "s"))
	two := bytes.Clone(encode(e, &to, ":status", "404", "date", "x", "y", strings.Repeat("z", 300)))
	f.Add(one, two, one)
	f.Add([]byte{0x20, 0x3f, 0xe1, 0x1f}, []byte{0x82, 0x20}, []byte{0x20, 0x20, 0x82})
	f.Add([]byte{0x40, 0x81, 0x8f, 0x01, 'x'}, []byte{0xbe},
		[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{0x0f, 0x2b, 0x03, 'a', 'b', 'c'}, []byte{0x7f, 0x80, 0x80, 0x00, 0x00}, []byte{0x41, 0xff})
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		var d decoder
		d.reset()
		their := hpack.NewDecoder(TableSize, nil)
		for _, block := range [][]byte{a, b, c, c, a} {
			lines, err := fields(their, block)
			own := d.decode(block)
			if own != nil {
				if err == nil && !strings.Contains(own.Error(), "within a header block") {
					t.Fatalf("%x: %v; x/net reads %q", block, own, lines)
				}
				return
			}
			if err != nil && resizedAgain(block) { // x/net refuses these, unless its table is empty
				return
			}
			if err != nil {
				t.Fatalf("%x: %q; x/net: %v", block, d.head.Fields, err)
			}
			if d.head.Malformed != "" {
				continue
			}
			_, rest, found := strings.Cut(lines, "\r\n")
			if got := string(d.head.Fields); got != lines && (got != rest || !found || lines[0] != ':') {
				t.Fatalf("%x: %q; x/net reads %q", block, got, lines)
			}
			if d.head.Status > 0 && !strings.HasPrefix(lines, fmt.Sprintf(":status: %d\r\n", d.head.Status)) {
				t.Fatalf("%x: status %d; x/net reads %q", block, d.head.Status, lines)
			}
		}
	})
}

// TestEncode: x/net reads the blocks that a client writes.
func TestEncode(t *testing.T) {
	long := strings.Repeat("{}", 300)
	for _, value := range []string{"", "x", long[:126], long[:127], long[:254], long[:255], long} {
		b := AppendField(nil, ":method", "GET")
		b = AppendField(b, "x-y", value)
		b = AppendName(b, "cookie")
		at := len(b)
		b = EndString(append(BeginString(b), value...), at)
		b = AppendName(b, "x-z")
		b = AppendString(b, value)
		got, err := fields(hpack.NewDecoder(0, nil), append([]byte{NoTable}, b...))
		want := ":method: GET\r\nx-y: " + value + "\r\ncookie: " + value + "\r\nx-z: " + value + "\r\n"
		if err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if b := AppendName(nil, "cookie"); b[0]&0xf0 != 0x10 {
		t.Errorf("%x may be indexed", b)
	}
}
