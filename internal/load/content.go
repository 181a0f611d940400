package load

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dyno/internal/http1"
)

// coding is a content coding (RFC 9110, section 8.4.1).
type coding uint8

const (
	identity coding = iota
	inGzip
	inBrotli
	inZstd
	unasked // any other, and several
)

var codings = map[string]coding{"identity": identity, "gzip": inGzip, "x-gzip": inGzip, "br": inBrotli, "zstd": inZstd}

var contentEncoding = []byte("content-encoding")

// codingOf returns the coding that the field lines name.
func codingOf(fields []byte) (c coding) {
	for {
		name, value, rest, ok := http1.NextField(fields)
		if !ok {
			return c
		}
		if http1.EqualFold(name, contentEncoding) {
			one, known := codings[string(bytes.ToLower(value))]
			if c != identity || !known {
				return unasked
			}
			c = one
		}
		fields = rest
	}
}

// Decoded returns the body of r with its content coding undone, or as it came if that is not
// possible.
func Decoded(r *http1.Response) []byte {
	value, _ := r.Get("content-encoding")
	c := content{coded: r.Body, coding: codings[strings.ToLower(value)]}
	if c.coding == identity || len(r.Body) > mostCoded {
		return r.Body
	}
	var d decoder
	if d.undo(&c) != nil {
		return r.Body
	}
	return d.plain
}

// content is a body whose content coding is to be undone. It holds one that has a coding; one that
// has none only goes to its hash.
type content struct {
	coded  []byte    // as it came, so far
	coding coding    // identity until the header section is there
	came   int64     // its length so far
	hash   hash.Hash // of the body; nil: it is not asked for

	// Of the last whole one, until the next is.
	wire    int64 // its length as it came
	isCoded bool  // it had a coding
	err     error // why it cannot be decoded
}

const (
	mostCoded   = 64 << 20  // the longest body that is decoded, as it comes, in bytes
	mostDecoded = 256 << 20 // likewise, decoded
	mostKept    = 4 << 20   // memory that is kept for the next body, in bytes
)

var (
	errTooLong = fmt.Errorf("it has more than %d MiB, or than %d MiB decoded", mostCoded>>20, mostDecoded>>20)
	errUnasked = errors.New("its Content-Encoding was not asked for")
)

// Reset makes room for the next body.
func (c *content) Reset() {
	c.coded, c.coding, c.came = emptied(c.coded), identity, 0
	if c.hash != nil {
		c.hash.Reset()
	}
}

// Write takes in a part of the body.
func (c *content) Write(p []byte) (int, error) {
	switch c.came += int64(len(p)); {
	case c.coding == identity:
		if c.hash != nil {
			c.hash.Write(p)
		}
	case c.coding == unasked || c.came > mostCoded: // it will not be decoded
		c.coded = nil
	default:
		c.coded = append(c.coded, p...)
	}
	return len(p), nil
}

// emptied returns b without its bytes, and without its memory if that is large.
func emptied(b []byte) []byte {
	if cap(b) > mostKept {
		return nil
	}
	return b[:0]
}

// decoder undoes content codings for the connections of one goroutine. It keeps the last body:
// servers repeat theirs, and the same bytes decode to the same again. Once its memory has grown it
// does not allocate.
type decoder struct {
	source bytes.Reader
	gzip   *gzip.Reader
	brotli *brotli.Reader
	zstd   *zstd.Decoder

	last  content
	plain []byte
}

// decode returns the body that c holds, decoded and valid until the next call, or sets its error.
func (d *decoder) decode(c *content) []byte {
	if c.came > mostCoded {
		c.err = errTooLong
		return nil
	}
	if l := &d.last; c.coding != l.coding || !bytes.Equal(c.coded, l.coded) {
		l.coding, l.coded = c.coding, append(emptied(l.coded), c.coded...)
		l.err = d.undo(l)
	}
	c.err = d.last.err
	return d.plain
}

// undo decodes c into d.plain.
func (d *decoder) undo(c *content) (err error) {
	d.source.Reset(c.coded)
	d.plain = emptied(d.plain)
	switch c.coding {
	case inGzip:
		if d.gzip == nil {
			d.gzip = new(gzip.Reader)
		}
		if err = d.gzip.Reset(&d.source); err != nil {
			return err
		}
		return d.readAll(d.gzip)
	case inBrotli:
		if d.brotli == nil {
			d.brotli = brotli.NewReader(&d.source)
		} else if err = d.brotli.Reset(&d.source); err != nil {
			return err
		}
		return d.readAll(d.brotli)
	case inZstd:
		if d.zstd == nil {
			d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostDecoded))
		}
		if err == nil {
			d.plain, err = d.zstd.DecodeAll(c.coded, d.plain)
		}
		return err
	}
	return errUnasked
}

// readAll reads all of r into d.plain.
func (d *decoder) readAll(r io.Reader) error {
	for {
		if len(d.plain) == cap(d.plain) {
			d.plain = append(d.plain, 0)[:len(d.plain)]
		}
		n, err := r.Read(d.plain[len(d.plain):cap(d.plain)])
		switch d.plain = d.plain[:len(d.plain)+n]; {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case len(d.plain) > mostDecoded:
			return errTooLong
		}
	}
}

// decode makes a describe its decoded body. One that cannot be decoded is a wrong body.
func (a *Answer) decode(d *decoder) {
	c, w := a.content, a.Want
	c.wire, c.err = c.came, nil
	if c.isCoded = c.coding != identity && c.came > 0; !c.isCoded {
		return // it is as it came
	}
	plain := d.decode(c)
	switch a.Length = int64(len(plain)); {
	case c.err != nil:
		w.CheckBody, a.Equal, a.Length = true, false, int64(len(w.Body))
	case w.CheckBody:
		a.Equal = bytes.Equal(plain, w.Body)
	}
	if c.hash != nil {
		c.hash.Write(plain)
	}
}
