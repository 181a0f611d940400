package bench

import (
	"reflect"
	"testing"

	"dyno/internal/record"
)

func TestWhole(t *testing.T) {
	h := record.Host{ServerCPUs: []int{1, 3}, GeneratorCPUs: []int{2}}
	for n, want := range map[int][]int{0: {1, 2, 3}, 3: {1, 2, 3}, 4: {0, 1, 2, 3}, 5: {0, 1, 2, 3}} {
		got := whole(h, true, n, []int{0, 1, 2, 3})
		if !reflect.DeepEqual(got.ServerCPUs, want) || got.GeneratorCPUs != nil || !got.Pinned {
			t.Errorf("of %d for servers: %v, %v, pinned: %v", n, got.ServerCPUs, got.GeneratorCPUs, got.Pinned)
		}
	}
	if got := whole(h, false, 0, nil); got.ServerCPUs != nil || len(got.GeneratorCPUs) != 3 {
		t.Errorf("all for the generator: %v, %v", got.ServerCPUs, got.GeneratorCPUs)
	}
}
