package bench

import (
	"strings"
	"testing"
	"time"
)

// No clock's reading is within the time of one before it: reading the many processes of a service took the generator's
// CPU, and both "used 105 %" of it.
func TestClocksNest(t *testing.T) {
	var read []string
	clock := func(name string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			read = append(read, name)
			return 0, nil
		}
	}
	clocks(clock("server"), nil, clock("generator"), clock("service"))()
	const want = "service generator server server generator service"
	if got := strings.Join(read, " "); got != want {
		t.Errorf("read %s; want %s", got, want)
	}
}
