package load

import (
	"bytes"
	"testing"

	"dyno/internal/scenario"
)

// TestSamplerLongBodies: a body that is too long to be kept in full must be as long as the bodies
// before the load.
func TestSamplerLongBodies(t *testing.T) {
	m, err := (&scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Shape: &scenario.Shape{Least: 90 << 20, Most: 100 << 20}}}}}).Compile("h",
		scenario.Options{Shapes: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &scenario.Want{}
	m.NewSource(1, 0, 1).Next(nil, w)
	var s Sampler
	for _, length := range []int64{89 << 20, 90 << 20, 100 << 20, 101 << 20} {
		s.take(w, 200, []byte("x"), length)
	}
	answers, kept, odd, odds := s.Seen()
	if answers != 4 || len(kept) != 2 || len(odd) != 2 || odds != 2 || s.Long() != 4 {
		t.Errorf("%d answers, %d kept, %d of %d odd, %d long", answers, len(kept), len(odd), odds, s.Long())
	}
}

// TestSamplerAllocs: an answer with its shape that is not drawn for the sample allocates nothing.
func TestSamplerAllocs(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 100)
	m, err := (&scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Shape: scenario.NewShape([][]byte{body}, false)}}}}).Compile("h",
		scenario.Options{Shapes: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &scenario.Want{}
	m.NewSource(1, 0, 1).Next(nil, w)
	var s Sampler
	one := func() { s.take(w, 200, body, int64(len(body))) }
	for range 10 * sampleAll * sampleEvery {
		one()
	}
	if n := testing.AllocsPerRun(10_000, one); n > 0 {
		t.Errorf("%v allocations per answer", n)
	}
}

// TestSamplerBounds: whatever a server sends, the sample's memory is bounded.
func TestSamplerBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	m, err := (&scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Shape: scenario.NewShape([][]byte{[]byte("x")}, false)}}}}).Compile("h",
		scenario.Options{Shapes: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &scenario.Want{}
	m.NewSource(1, 0, 1).Next(nil, w)
	var s Sampler
	body := make([]byte, 8<<20)
	for i := range 20 { // the longest so far, or the shortest
		s.take(w, 200, body[:len(body)-20+i], int64(len(body)-20+i))
	}
	for i := range 3 * mostOdd {
		s.take(w, 200, body[:10_000+i], int64(10_000+i))
		s.take(w, 200, body[:9_000-i], int64(9_000-i))
	}
	_, _, odd, odds := s.Seen()
	bytes, shortest, longest := 0, int64(1<<30), int64(0)
	for _, x := range odd {
		bytes, shortest, longest = bytes+len(x.Body), min(shortest, x.Length), max(longest, x.Length)
		if x.Cut != (int64(len(x.Body)) < x.Length) {
			t.Errorf("%d bytes of %d, cut: %v", len(x.Body), x.Length, x.Cut)
		}
	}
	if len(odd) > mostOdd+2 || bytes > mostSampled || bytes != s.bytes || shortest != int64(9001-3*mostOdd) ||
		longest != int64(len(body)-1) || odds != 20+6*mostOdd {
		t.Errorf("%d odd of %d, %d bytes, from %d to %d", len(odd), odds, bytes, shortest, longest)
	}
	head := append(append([]byte("X-Long: "), body[:20_000]...), "\r\nETag: 1\r\n"...)
	for range 3 * mostHeads {
		s.head(w, 200, head[20_000:])
		s.head(w, 200, head)
	}
	bytes = 0
	for _, x := range s.Heads() {
		bytes += x.size
	}
	if n := len(s.Heads()); n == 0 || n > mostHeads || bytes > mostHeadBytes || bytes != s.headBytes ||
		s.heads[n-1].Nth != 6*mostHeads-1 {
		t.Errorf("%d heads of %d bytes", n, bytes)
	}
}
