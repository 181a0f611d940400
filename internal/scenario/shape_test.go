package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// TestShapeOfManyMembers: objects with too many members are compared by the types of their values, without
// memory per name.
func TestShapeOfManyMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	many := func(n int, value string) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":%s`, i, value)
		}
		return []byte("{" + b.String()[1:] + "}")
	}
	body := many(100_000, "1")
	s := NewShape([][]byte{body, many(99_000, "2")}, true)
	if !s.Fits(body) || s.Fits(many(100_000, `""`)[:len(body)]) || s.Breach(many(90_000, `"x"`), 2) == "" ||
		s.Breach(many(90_000, "7"), 2) != "" {
		t.Error("the shape does not hold the type of values alone")
	}
	if n := testing.AllocsPerRun(3, func() { s.Fits(body) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
