package record

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/klauspost/compress/zlib"
)

// A decoder reads HdrHistogram V2 encodings, one after another, with the same memory.
//
// Note: hdr.Decode makes an array for all counts and a zlib reader for each encoding: 80 kB for a
// few hundred latencies, and most of the time that a report on 100,000 trials took.
type decoder struct {
	compressed bytes.Reader
	inflated   io.ReadCloser // a zlib.Resetter; nil: none was read yet
	counts     bytes.Buffer
}

// eachBin calls f for each bin that is not empty, with the shortest and the longest latency and the
// count. It accepts the same encodings as hdr.Decode. After an error, f may have been called for
// some bins.
func (d *decoder) eachBin(s string, f func(from, to, n int64)) error {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return err
	}
	order := binary.BigEndian
	if len(b) < 8 || order.Uint32(b)&^0xf0 != uint32(hdr.V2CompressedEncodingCookieBase) ||
		uint64(order.Uint32(b[4:])) > uint64(len(b)-8) {
		return errors.New("it is cut short, or no compressed HdrHistogram V2")
	}
	d.compressed.Reset(b[8 : 8+order.Uint32(b[4:])])
	if d.inflated == nil {
		d.inflated, err = zlib.NewReader(&d.compressed)
	} else {
		err = d.inflated.(zlib.Resetter).Reset(&d.compressed, nil)
	}
	if err != nil {
		return err
	}
	var head [hdr.ENCODING_HEADER_SIZE]byte
	if _, err := io.ReadFull(d.inflated, head[:]); err != nil {
		return err
	}
	length, digits := order.Uint32(head[4:]), order.Uint32(head[12:])
	lowest, highest := max(int64(order.Uint64(head[16:])), 1), max(int64(order.Uint64(head[24:])), 0)
	if order.Uint32(head[:])&^0xf0 != uint32(hdr.V2EncodingCookieBase) || digits >= uint32(len(binsOf)) {
		return errors.New("it is no HdrHistogram V2")
	}
	half, unit := binsOf[digits], bits.Len64(uint64(lowest))-1
	if unit+int(half) > 61 {
		return errors.New("the lowest latency is too large for the digits")
	}
	all := (max(bits.Len64(uint64(highest))-unit-int(half), 1) + 1) << half
	if int64(length) > 9*int64(all) {
		return errors.New("it has more counts than the range holds")
	}
	d.counts.Reset()
	if _, err := d.counts.ReadFrom(io.LimitReader(d.inflated, int64(length)+1)); err != nil {
		return err
	}
	if d.counts.Len() != int(length) {
		return errors.New("its length is not the declared one")
	}
	total := int64(0)
	for i := 0; d.counts.Len() > 0; {
		n, err := d.count()
		switch {
		case err != nil:
			return err
		case n < 0 && (n == math.MinInt64 || -n > int64(all-i)) || n >= 0 && (i >= all || n > math.MaxInt64-total):
			return errors.New("it has more counts than the range holds")
		case n < 0: // -n bins are empty
			i -= int(n)
			continue
		case n > 0:
			shift := max(i>>half-1, 0)
			from := int64(i-shift<<half) << (shift + unit)
			total += n
			f(from, from+1<<(shift+unit)-1, n)
		}
		i++
	}
	return nil
}

// count reads the next count, or the negative number of empty bins: a ZigZag LEB128 with at most 9
// bytes.
func (d *decoder) count() (int64, error) {
	v := uint64(0)
	for shift := 0; ; shift += 7 {
		c, err := d.counts.ReadByte()
		if err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		if c < 0x80 || shift == 56 {
			v |= uint64(c) << shift
			return int64(v>>1) ^ -int64(v&1), nil
		}
		v |= uint64(c&0x7f) << shift
	}
}
