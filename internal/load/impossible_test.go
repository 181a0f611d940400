package load

import (
	"crypto/tls"
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/wire"
)

// TestImpossibleBytes: over TLS, a record's overhead does not belong to a response.
func TestImpossibleBytes(t *testing.T) {
	encrypted := wire.Endpoint{TLS: &tls.Config{}}
	for _, c := range []struct {
		name     string
		to       wire.Endpoint
		pipeline int
		bytes    int64 // received, of each response
		shown    int
		want     string
	}{
		{"as verified", wire.Endpoint{}, 1, 200, 200, ""},
		{"a header less", wire.Endpoint{}, 1, 170, 200, "responds differently under load (R4): 170 bytes"},
		{"too short", wire.Endpoint{}, 1, 18, 0, "impossible (R4): 18 bytes"},
		{"as verified, TLS 1.3", encrypted, 1, 222, 200, ""},
		{"as verified, many in a record", encrypted, 10, 202, 200, ""},
		{"a header less, many in a record", encrypted, 10, 181, 200, "responds differently under load (R4): 179 bytes"},
		{"a header less, TLS 1.3", encrypted, 1, 192, 200, "responds differently under load (R4): 171 bytes"},
		{"too short for HTTP/1.1", wire.Endpoint{HTTP2: true}, 1, 18, 0, ""},
		{"too short, HTTP/2", wire.Endpoint{HTTP2: true}, 1, 9, 0, "but HTTP/2 needs at least 10"},
		{"too short, TLS 1.3", encrypted, 1, 39, 0, "impossible (R4): 18 bytes"},
	} {
		j := Job{Endpoint: c.to, Connections: 4, Pipeline: c.pipeline}
		err := j.Impossible(&record.Load{Succeeded: 1000, WindowNS: 1e9, BytesRead: 1000 * c.bytes}, 0, c.shown)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}
