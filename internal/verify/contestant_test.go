package verify

import (
	"slices"
	"strings"
	"testing"
)

func TestSample(t *testing.T) {
	names := strings.Fields("a b c d e f g h i j k l m n o p q r s t")
	chosen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
		got := Sample(names, 5, seed)
		if len(got) != 5 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 5 || !slices.Equal(got, Sample(names, 5, seed)) {
			t.Errorf("%s: %v", seed, got)
		}
		for _, n := range got {
			chosen[n] = true
		}
	}
	if len(chosen) < 15 { // a name is left out of ten draws with probability 0.75^10, so 1.1 of 20
		t.Errorf("ten seeds chose only %d of 20", len(chosen))
	}
	if got := Sample(names, 30, "1"); !slices.Equal(got, names) {
		t.Errorf("all: %v", got)
	}
}
