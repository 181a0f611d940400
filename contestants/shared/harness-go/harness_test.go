package harness

import "testing"

func TestHashes(t *testing.T) {
	if n := hashes(15); n != 10278 {
		t.Errorf("%d hashes for 15 zeros; want 10278", n)
	}
}
