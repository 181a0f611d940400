package refserver

import "testing"

func TestHashes(t *testing.T) {
	if n := hashes(hashZeros); n != 10_278 {
		t.Errorf("%d hashes; go-web-framework-benchmark makes 10278", n)
	}
}
