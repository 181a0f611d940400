package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestRender(t *testing.T) {
	for _, n := range []int{0, 1, 10, 30, 100, 500} {
		body := render(n, 7)
		type record struct {
			Id, Name string
			Time     int64
		}
		records := []record{}
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		if err := d.Decode(&records); err != nil || len(records) != n {
			t.Fatalf("%d records: %d, %v", n, len(records), err)
		}
		// encoding/json, as published, writes the very same bytes.
		var want bytes.Buffer
		if json.NewEncoder(&want).Encode(records); !bytes.Equal(body, want.Bytes()) {
			t.Errorf("%d records: %s", n, body)
		}
		// A record has at most 83 bytes, then a comma or the end: 842 for 10, 42,002 for 500.
		if len(body) > 84*n+2+1 {
			t.Errorf("%d records are %d bytes", n, len(body))
		}
		if !bytes.Equal(body, render(n, 7)) {
			t.Errorf("%d records: another body of the same seed", n)
		}
		if n > 0 && bytes.Equal(body, render(n, 8)) {
			t.Errorf("%d records: the same body of another seed", n)
		}
	}
}
