package wire

import (
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// coded returns text in a content coding.
func coded(t testing.TB, coding, text string) string {
	if coding != "zstd" {
		return Encoded(coding, text)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

func half(s string) string { return s[:len(s)/2] }

func decoded(coding, body string) string {
	r := Response{Body: []byte(body)}
	if coding != "" {
		r.Fields = append(r.Fields, Field{Name: "Content-Encoding", Value: coding})
	}
	return string(Decoded(&r))
}

// TestDecoded: a known coding is decoded; a body that cannot be decoded stays as it came.
func TestDecoded(t *testing.T) {
	long := strings.Repeat("value ", 100_000)
	for name, c := range map[string]struct{ coding, body, want string }{
		"plain":       {"", "value", "value"},
		"identity":    {"identity", "value", "value"},
		"gzip":        {"gzip", coded(t, "gzip", "value"), "value"},
		"x-gzip":      {"X-GZip", coded(t, "gzip", "value"), "value"},
		"br":          {"br", coded(t, "br", long), long},
		"zstd":        {"zstd", coded(t, "zstd", long), long},
		"unknown":     {"deflate", "value", "value"},
		"two codings": {"gzip, br", "value", "value"},
		"not gzip":    {"gzip", "value", "value"},
		"not br":      {"br", "value", "value"},
		"not zstd":    {"zstd", "value", "value"},
		"broken gzip": {"gzip", half(coded(t, "gzip", long)), half(coded(t, "gzip", long))},
		"broken br":   {"br", half(coded(t, "br", long)), half(coded(t, "br", long))},
		"broken zstd": {"zstd", half(coded(t, "zstd", long)), half(coded(t, "zstd", long))},
	} {
		if got := decoded(c.coding, c.body); got != c.want {
			t.Errorf("%s: %d bytes, %.20q; want %d, %.20q", name, len(got), got, len(c.want), c.want)
		}
	}
}

// TestDecodeBounds: a body that decodes to more than the limit stays as it came.
func TestDecodeBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes 256 MiB")
	}
	body := coded(t, "gzip", strings.Repeat("x", mostDecoded+1))
	if decoded("gzip", body) != body {
		t.Error("it was decoded")
	}
}

// FuzzContent: every input is decoded or left as it is.
func FuzzContent(f *testing.F) {
	for i, c := range []string{"gzip", "br", "zstd"} {
		f.Add(uint8(i), []byte(coded(f, c, "value")))
	}
	f.Fuzz(func(t *testing.T, way uint8, in []byte) {
		coding := []string{"gzip", "br", "zstd"}[way%3]
		if one, again := decoded(coding, string(in)), decoded(coding, string(in)); one != again {
			t.Errorf("%x: %q, then %q", in, one, again)
		}
	})
}
