package alike

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno/internal/load"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

func times(n int, f func(i int) string) (all []string) {
	for i := range n {
		all = append(all, f(i))
	}
	return all
}

// TestVariedHeaders: header field values vary as on the other side: cookies by their name.
func TestVariedHeaders(t *testing.T) {
	cookie := func(i int) string { return fmt.Sprintf("sid=%x; Max-Age=%d", rand.Uint64(), i) }
	one := func(i int) string { return fmt.Sprintf("sid=1; Max-Age=%d", i) }
	for name, c := range map[string]struct {
		a     func(int) string
		wrong string
	}{
		"each its own": {cookie, ""},
		"one for all":  {one, "header set-cookie (sid)"},
	} {
		j := judged("GET /", map[string][]string{"a": times(20, one), "b": times(20, one)}, nil)
		for side, f := range map[string]func(int) string{"a": c.a, "b": cookie} {
			e := j.all[side]
			for i := range e.answers {
				e.answers[i][0].Response.Fields = []wire.Field{{Name: "Set-Cookie", Value: cookie(i)}}
			}
			for i := range 400 {
				e.heads = append(e.heads, load.Sampled{Status: 200, Nth: i,
					Fields: []wire.Field{{Name: "Set-Cookie", Value: f(i)}}})
			}
		}
		j.varied(0)
		if err := j.out["a"].Wrong; (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
		if err := j.out["b"].Wrong; err != nil {
			t.Errorf("%s: b: %v", name, err)
		}
	}
}

// TestDrawnHeads: an answer that differs on another side, to a draw that was not sent before the
// load, is a difference; a side that contradicts itself is the wrong one.
func TestDrawnHeads(t *testing.T) {
	to := func(where string) []wire.Field { return []wire.Field{{Name: "Location", Value: where}} }
	for name, c := range map[string]struct{ x, nowA, nowB, wrongA, wrongB string }{
		"alike":        {x: "/a", nowA: "/a", nowB: "http://host/a"},
		"otherwise":    {x: "/b", nowA: "/b", nowB: "/a", wrongA: "location: /b; b answers: /a", wrongB: "nothing tells"},
		"not any more": {x: "/b", nowA: "/a", nowB: "/a", wrongA: "location: /b; b answers: /a"},
	} {
		j := judged("GET /1", map[string][]string{"a": {"", ""}, "b": {"", ""}}, nil)
		for _, e := range j.all {
			for _, answers := range e.answers {
				answers[0].Drawn, answers[0].Response.Fields = true, to("/1")
			}
		}
		j.all["a"].heads = []load.Sampled{{Status: 200, Fields: to(c.x)}}
		j.again = func(name string, _ []scenario.Mark) ([]scenario.Answer, error) {
			where := map[string]string{"a": c.nowA, "b": c.nowB}[name]
			return []scenario.Answer{{Sent: "GET /2", Drawn: true,
				Response: &wire.Response{Status: 200, Fields: to(where)}}}, nil
		}
		j.drawnHeads(j.all["a"])
		for side, wrong := range map[string]string{"a": c.wrongA, "b": c.wrongB} {
			if err := j.out[side].Wrong; (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s, %s: %v", name, side, err)
			}
		}
	}
}

// TestHistories: the answers of freshly started sides to one sequence are compared, except for
// parts that both change at each start; a side that alone changes is wrong, unless it did so
// before.
func TestHistories(t *testing.T) {
	const n = 200
	sequence := func(board func(k int) int, id func(k int) int) (all []scenario.Answer) {
		for k := range n {
			all = append(all, scenario.Answer{Sent: "GET /", Response: &wire.Response{Status: 200,
				Body: fmt.Appendf(nil, `{"best":%d,"id":%d}`, board(k), id(k))}})
		}
		return all
	}
	right, first := func(k int) int { return k / 3 }, func(k int) int { return min(k/3, 10) }
	now := func(int) int { return rand.Int() }
	one := func(int) int { return 1 }
	lazy := func(k int) int { return k/3 - rand.IntN(2) }
	for name, c := range map[string]struct {
		before, a, b   func(k int) int // a's answers before the first load
		idA, idB       func(k int) int
		wrongA, wrongB string
	}{
		"alike":           {right, right, right, now, now, "", ""},
		"always":          {first, first, right, now, now, "nothing tells", "nothing tells"},
		"from the epochs": {right, first, right, now, now, "before, it answered alike", ""},
		"other ids":       {right, right, right, one, func(int) int { return 2 }, "nothing tells", "nothing tells"},
		"stores late":     {lazy, lazy, right, now, now, "", ""},
		"nothing sent":    {nil, nil, right, now, now, "", ""},
	} {
		j := judged("GET /", map[string][]string{"a": {"{}", "{}"}, "b": {"{}", "{}"}}, nil)
		if c.a != nil {
			j.all["a"].side.inTurn, j.all["a"].inTurn = sequence(c.before, c.idA), sequence(c.a, c.idA)
		}
		j.all["b"].side.inTurn, j.all["b"].inTurn = sequence(right, c.idB), sequence(c.b, c.idB)
		j.histories()
		for side, wrong := range map[string]string{"a": c.wrongA, "b": c.wrongB} {
			if err := j.out[side].Wrong; (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s, %s: %v", name, side, err)
			}
		}
	}
}

// TestHistoriesOfChanges: values that varied when a change was sent again may differ from the
// start, as numbers do, or now and then, but not from some request on. Values that did not vary may
// not differ.
func TestHistoriesOfChanges(t *testing.T) {
	late := func(first, each int) func(k int) int {
		return func(k int) int {
			if k >= first && k%each == 0 {
				return k + 1000
			}
			return k
		}
	}
	two := func(int) int { return 2 }
	for name, c := range map[string]struct {
		job, left func(k int) int // b's; a's are the request's number and 2
		wrong     bool
	}{
		"alike":              {late(999, 1), two, false},
		"another order":      {late(150, 1), two, true},
		"other numbers":      {late(0, 1), two, false},
		"now and then":       {late(150, 3), two, false},
		"too few before":     {late(50, 1), two, false},
		"another length":     {late(999, 1), func(k int) int { return 2 + k/299 }, true},
		"beside its numbers": {late(0, 1), func(k int) int { return 2 + k/299 }, true},
	} {
		sequence := func(job, left func(k int) int) (all []scenario.Answer) {
			for k := range 300 {
				all = append(all, scenario.Answer{Sent: "POST /", Response: &wire.Response{Status: 200,
					Body: fmt.Appendf(nil, "job %d left %d", job(k), left(k))}})
			}
			return all
		}
		answers := []string{"job 1 left 2", "job 2 left 2"}
		j := judged("POST /", map[string][]string{"a": answers, "b": answers}, nil)
		j.contract.Requests[0].Method = "POST"
		j.all["a"].inTurn, j.all["b"].inTurn = sequence(late(999, 1), two), sequence(c.job, c.left)
		j.all["a"].side.inTurn, j.all["b"].side.inTurn = j.all["a"].inTurn, j.all["b"].inTurn
		j.histories()
		for _, side := range j.names {
			if err := j.out[side].Wrong; (err != nil) != c.wrong {
				t.Errorf("%s, %s: %v", name, side, err)
			}
		}
	}
}

// TestDrawnStatus: another status than on the other side, with an equal body or without one that is sampled, is wrong.
func TestDrawnStatus(t *testing.T) {
	for name, c := range map[string]struct {
		x, nowA, nowB int
		wrong         string
	}{
		"alike":        {404, 404, 404, ""},
		"not any more": {200, 404, 404, "status"},
	} {
		j := judged("GET /1", map[string][]string{"a": {"{}", "{}"}, "b": {"{}", "{}"}}, nil)
		for _, e := range j.all {
			for _, answers := range e.answers {
				answers[0].Drawn = true
			}
		}
		e := j.all["a"]
		e.heads = []load.Sampled{{Status: c.x, Body: []byte("{}")}}
		j.again = func(name string, marks []scenario.Mark) (all []scenario.Answer, _ error) {
			status := map[string]int{"a": c.nowA, "b": c.nowB}[name]
			for range max(1, len(marks)) {
				all = append(all, scenario.Answer{Sent: "GET /2", Drawn: true,
					Response: &wire.Response{Status: status, Body: []byte("{}")}})
			}
			return all, nil
		}
		err := j.drawn(e, e.heads)
		j.drawnHeads(e)
		for _, err := range []error{err, j.out["a"].Wrong} {
			if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
