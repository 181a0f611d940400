package judge

import "testing"

func TestBears(t *testing.T) {
	for _, c := range []struct {
		n    int64
		q    float64
		want bool
	}{{20, .5, true}, {19, .5, false}, {1000, .99, true}, {999, .99, false}, {100_000, .999, true},
		{99_999, .999, false}, {10_000, .999, false},
		{1_000_000, .9999, true}, {999_999, .9999, false}, {0, .5, false}} {
		if got := Bears(c.n, c.q); got != c.want {
			t.Errorf("the quantile %v of %d: %v", c.q, c.n, got)
		}
	}
}
