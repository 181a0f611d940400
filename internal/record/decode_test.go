package record

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// encoded returns an encoding of counts, with right lengths and checksum.
func encoded(digits, lowest, highest int64, counts []byte) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(hdr.V2EncodingCookieBase|0x10))
	b = binary.BigEndian.AppendUint32(b, uint32(len(counts)))
	b = binary.BigEndian.AppendUint32(b, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(digits))
	for _, v := range []int64{lowest, highest, 0x3ff0_0000_0000_0000} {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	var deflated bytes.Buffer
	z := zlib.NewWriter(&deflated)
	z.Write(append(b, counts...))
	z.Close()
	b = binary.BigEndian.AppendUint32(nil, uint32(hdr.V2CompressedEncodingCookieBase|0x10))
	b = binary.BigEndian.AppendUint32(b, uint32(deflated.Len()))
	return base64.StdEncoding.EncodeToString(append(b, deflated.Bytes()...))
}

// asHDR fails unless eachBin and hdr.Decode read the same from s.
func asHDR(t *testing.T, d *decoder, s string) {
	t.Helper()
	want, failed := hdr.Decode([]byte(s))
	var got []hdr.Bar
	err := d.eachBin(s, func(from, to, n int64) { got = append(got, hdr.Bar{From: from, To: to, Count: n}) })
	if (err == nil) != (failed == nil) {
		t.Fatalf("%q: %v, hdr: %v", s, err, failed)
	}
	if err != nil {
		return
	}
	var bars []hdr.Bar
	for _, bar := range want.Distribution() {
		if bar.Count > 0 {
			bars = append(bars, bar)
		}
	}
	if diff := cmp.Diff(bars, got); diff != "" {
		t.Errorf("%q: %s", s, diff)
	}
}

// TestDecodeAsHDR: one decoder reads encodings with any range and precision, and broken ones, as
// hdr does.
func TestDecodeAsHDR(t *testing.T) {
	d := &decoder{}
	for digits := range 6 {
		for _, lowest := range []int64{-1, 0, 1, 1000, LowestTime - 1, 1 << 40, 1 << 61} {
			for _, highest := range []int64{-1, 0, 1, 2048, Highest, 1<<62 - 1, 1 << 62, 1<<63 - 1} {
				if highest > Highest && digits > 3 {
					continue // hdr would take long
				}
				for _, counts := range [][]byte{nil, {2}, {0, 0, 4}, {3, 6}, {0xff, 1, 2}, {0xff, 0x0f, 2}, {0xff, 0xff, 1, 2}} {
					asHDR(t, d, encoded(int64(digits), lowest, highest, counts))
				}
			}
		}
	}
	most := []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	for _, counts := range [][]byte{most, append(most, 2), {0x80}, {0xfe, 0xff}, bytes.Repeat([]byte{0xff}, 9),
		bytes.Repeat([]byte{2}, 3000), bytes.Repeat([]byte{0}, 1<<20)} {
		asHDR(t, d, encoded(2, LowestTime, Highest, counts))
	}
	for _, digits := range []int64{-1, 6, 1 << 31} {
		asHDR(t, d, encoded(digits, LowestTime, Highest, nil))
	}
	good := encoded(2, LowestTime, Highest, []byte{3, 6, 8, 10})
	raw, _ := base64.StdEncoding.DecodeString(good)
	for i := range raw { // each bit counts, and each end
		for bit := range 8 {
			b := bytes.Clone(raw)
			b[i] ^= 1 << bit
			asHDR(t, d, base64.StdEncoding.EncodeToString(b))
		}
		asHDR(t, d, base64.StdEncoding.EncodeToString(raw[:i]))
	}
	asHDR(t, d, good)
	asHDR(t, d, good+"=")
}

// TestAddKeepsTheMemory: in a record with many thousand histograms each is read with the memory of
// the previous one.
func TestAddKeepsTheMemory(t *testing.T) {
	h := NewHistogram()
	for i := range int64(500) {
		h.Record(100_000 + i*i)
	}
	s, err := h.Encode(2)
	if err != nil {
		t.Fatal(err)
	}
	into := NewCoarseHistogram()
	if n := testing.AllocsPerRun(100, func() {
		into.Reset()
		if n, err := into.Add(s); n != 500 || err != nil || into.Count() != 500 {
			t.Fatal(n, err)
		}
	}); n > 20 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(2, LowestTime, Highest, []byte{3, 6, 8, 10}))
	f.Add(encoded(3, 1, 1<<40, []byte{0xff, 1, 2}))
	f.Fuzz(func(t *testing.T, s string) { asHDR(t, &decoder{}, s) })
}
