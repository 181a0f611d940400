package wire

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// FuzzParser: cutting the stream differently changes no result, and Whole agrees.
func FuzzHTTP1Parser(f *testing.F) {
	for _, c := range cases {
		if len(c.stream) < maxLine { // larger ones only keep the minimizer busy
			f.Add([]byte(c.stream), c.head, true, uint16(len(c.stream)/2), uint8(1))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, head, stop bool, at uint16, step uint8) {
		sum := sha256.New()
		w := Want{Body: []byte("value"), CheckBody: true, Sink: sum, Head: head, StopAt: stop}
		want, events := feedAll(t, &HTTP1Parser{}, w, string(stream), steps(len(stream)))
		hash := sum.Sum(nil)
		memo := &HTTP1Parser{Memo: new(Memo)}
		for range 2 { // the second time from the memo
			for _, next := range []func(int) int{steps(int(step) + 1), cutAt(int(at)), steps(len(stream))} {
				if got, e := feedAll(t, memo, w, string(stream), next); got != want || e != events {
					t.Fatalf("at once %+v, %s\nin pieces %+v, %s", want, events, got, e)
				}
				if want.Err == nil && !bytes.Equal(sum.Sum(nil), hash) {
					t.Fatal("another hash in pieces")
				}
			}
		}
		r, err := WholeResponse(stream, head, true)
		if err != want.Err || err == nil && (int64(len(r.Body)) != want.Length || r.Status != want.Status ||
			r.TotalBytes != len(stream)-len(want.Rest)) {
			t.Fatalf("whole %+v, %v; in parts %+v", r, err, want)
		}
		if err == nil && want.Equal != (string(r.Body) == "value") {
			t.Fatalf("body %q, equal %v", r.Body, want.Equal)
		}
		if got := sha256.Sum256(r.Body); err == nil && !bytes.Equal(got[:], hash) {
			t.Fatalf("body %q, another hash", r.Body)
		}
	})
}
