package load

import (
	"bytes"
	"testing"

	"dyno/internal/scenario"
)

// TestSamplerLongBodies: a body that is too long to be kept whole must be as long as those before the load.
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

// TestSamplerAllocs: an answer with its shape that is not drawn for the sample costs no memory.
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
