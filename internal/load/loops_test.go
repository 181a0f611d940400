package load

import "testing"

func TestLoops(t *testing.T) {
	for _, c := range []struct{ cpus, connections, want int }{
		{0, 0, 1}, {0, 100, 1}, {1, 1, 1}, {1, 5000, 1}, {2, 125, 2}, {32, 125, 7}, {32, 64, 4}, {4, 31, 1}, {4, 32,
			2}, {32, 1, 1}, {64, 100_000, 64},
	} {
		if got := Loops(c.cpus, c.connections); got != c.want || got > 1 && c.connections/got < leastPerLoop {
			t.Errorf("%d CPUs, %d connections: %d loops, want %d", c.cpus, c.connections, got, c.want)
		}
	}
}
