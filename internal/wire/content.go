package wire

import (
	"bytes"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	mostCoded   = 64 << 20  // the longest encoded body that is decoded, in bytes
	mostDecoded = 256 << 20 // the longest decoded body
)

// Decoded returns r's body without its content coding (RFC 9110, section 8.4.1), or as received if
// it cannot be decoded.
func Decoded(r *Response) []byte {
	value, _ := r.Get("content-encoding")
	if len(r.Body) > mostCoded {
		return r.Body
	}
	coded := bytes.NewReader(r.Body)
	var in io.Reader
	var err error
	switch strings.ToLower(value) {
	case "gzip", "x-gzip":
		in, err = gzip.NewReader(coded)
	case "br":
		in = brotli.NewReader(coded)
	case "zstd":
		var z *zstd.Decoder
		z, err = zstd.NewReader(coded, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostDecoded))
		if err == nil {
			defer z.Close()
		}
		in = z
	default:
		return r.Body
	}
	if err != nil {
		return r.Body
	}
	plain, err := io.ReadAll(io.LimitReader(in, mostDecoded+1))
	if err != nil || len(plain) > mostDecoded {
		return r.Body
	}
	return plain
}

// Encoded returns a text in a content coding, gzip or br; in any other as it is.
func Encoded(coding, text string) string {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "br":
		w = brotli.NewWriter(&b)
	default:
		return text
	}
	io.WriteString(w, text) // writing to a Buffer never fails
	w.Close()
	return b.String()
}
