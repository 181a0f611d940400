package alike

import (
	"fmt"
	"strings"
	"testing"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// TestInTurn: the more sides, and the longer their answers, the fewer are compared.
func TestInTurn(t *testing.T) {
	answers := func(n, size int) (all []scenario.Answer) {
		for range n {
			all = append(all, scenario.Answer{Response: &wire.Response{Body: make([]byte, size)}})
		}
		return all
	}
	short, long := answers(3000, 100), answers(100, 1<<20)
	for _, c := range []struct {
		sides int
		b     []scenario.Answer
		want  int
	}{{2, short, 3000}, {2, short[:7], 7}, {3, short, 3000}, {10, short, 1000}, {2, long, 16}, {4, long, 2}, {2, nil, 0}} {
		if n := inTurn(c.sides, short, c.b); n != c.want {
			t.Errorf("%d sides, %d answers: %d; want %d", c.sides, len(c.b), n, c.want)
		}
	}
}

// BenchmarkHistories compares sequences of answers with 100 kB of JSON each, a part of which
// varies.
func BenchmarkHistories(b *testing.B) {
	const size, n = 100_000, 16 << 20 / 100_000
	for _, sides := range []int{2, 10} {
		b.Run(fmt.Sprint(sides), func(b *testing.B) {
			before, nth := map[string][]string{}, 0
			body := func() string {
				nth++
				rows := strings.Repeat(`{"name":"a row","count":12.5,"tags":["one","two"]},`, size/51)
				return fmt.Sprintf(`{"id":%d,"rows":[%snull]}`, nth, rows)
			}
			for i := range sides {
				before[fmt.Sprint("s", i)] = []string{body(), body()}
			}
			j := judged("GET /", before, nil)
			sequence := func() (all []scenario.Answer) {
				for range n {
					all = append(all, scenario.Answer{Sent: "GET /", Response: &wire.Response{Status: 200, Body: []byte(body())}})
				}
				return all
			}
			for _, e := range j.all {
				e.inTurn, e.side.inTurn = sequence(), sequence()
			}
			for b.Loop() {
				j.histories()
			}
			for name, v := range j.out {
				if v.Wrong != nil {
					b.Fatal(name, v.Wrong)
				}
			}
		})
	}
}
