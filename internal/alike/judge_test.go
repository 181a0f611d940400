package alike

import (
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno/internal/load"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// TestCutBodies: bodies that are too long to be kept whole are judged by their length, also where requests are
// drawn.
func TestCutBodies(t *testing.T) {
	for _, drawn := range []bool{false, true} {
		made := func(name string) *side {
			asked := &scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1}}}
			return &side{name: name, scenario: asked, answers: [][]scenario.Answer{{{Drawn: drawn,
				Response: &wire.Response{Status: 200, Body: make([]byte, 100)}}}}}
		}
		j := &juror{sides: &Sides{all: []*side{made("a"), made("b")}}, names: []string{"a", "b"}}
		j.all = map[string]*evidence{"a": {side: j.sides.all[0]}, "b": {side: j.sides.all[1]}}
		for length, wrong := range map[int64]bool{9: true, 60: false, 300: true} {
			e := &evidence{side: j.sides.all[0], odd: []load.Sampled{{Status: 200, Length: length, Body: []byte{0}, Cut: true}}}
			if err := j.shapes(e); (err != nil) != wrong {
				t.Errorf("drawn: %v, %d bytes: %v", drawn, length, err)
			}
		}
	}
}

// judged returns a judge for sides a and b, with these answers before the load and these samples
// under it, for one request.
func judged(sent string, before, under map[string][]string) *juror {
	asked := &scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200}}}}
	j := &juror{sides: &Sides{}, contract: asked, all: map[string]*evidence{}, out: map[string]*Verdict{}}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		one := &side{name: name, scenario: asked}
		for _, body := range before[name] {
			one.answers = append(one.answers, []scenario.Answer{{Sent: sent, Response: &wire.Response{Status: 200,
				Body: []byte(body)}}})
		}
		one.learn()
		e := &evidence{side: one}
		for _, body := range under[name] {
			e.kept = append(e.kept, sampledOf(body))
		}
		e.blend(int64(len(e.kept)), 0)
		j.sides.all, j.names = append(j.sides.all, one), append(j.names, name)
		j.all[name], j.out[name] = e, &Verdict{}
	}
	return j
}

func sampledOf(body string) load.Sampled {
	return load.Sampled{Status: 200, Length: int64(len(body)), Body: []byte(body)}
}

// TestRepeats: values that repeat more often than on the other side, and than before the load, are wrong if
// they do so after the load, too; sides that draw from one distribution are never separated.
func TestRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	row := func(most int) func(int) string {
		return func(int) string { return fmt.Sprintf(`{"id":%d}`, rng.IntN(most)*(10_000/most)) }
	}
	list := func(different int) func(int) string {
		return func(int) string {
			a, b := rng.IntN(1e6), rng.IntN(1e6)
			if different == 1 {
				b = a
			}
			return fmt.Sprintf("[%d,%d]", a, b)
		}
	}
	again := func(most int) func(int) string {
		return func(int) string {
			var list []string
			for range 100 {
				list = append(list, fmt.Sprint(rng.IntN(most)))
			}
			return "[" + strings.Join(list, ",") + "]"
		}
	}
	clock := func(step int) func(int) string {
		at := 1000
		return func(int) string { at += step; return fmt.Sprintf("at %06d now", at/100) }
	}
	hash := func(step int) func(int) string {
		tell := clock(step)
		return func(i int) string { return fmt.Sprintf(`{"sum":"%x"}`, crc32.ChecksumIEEE([]byte(tell(i)))) }
	}
	took := func(most int) func(int) string {
		return func(int) string { return fmt.Sprintf(`{"us":%d}`, 1+rng.IntN(most)) }
	}
	fixed := func(int) string { return "at 7 now" }
	in := func(all []string) (out []scenario.Answer) {
		for _, body := range all {
			out = append(out, scenario.Answer{Response: &wire.Response{Status: 200, Body: []byte(body)}})
		}
		return out
	}
	for name, c := range map[string]struct {
		before, loadA, loadB func(int) string
		beforeB, afterA      func(int) string // nil: before
		wrong                string
	}{
		"few rows": {before: row(10_000), loadA: row(16), loadB: row(10_000), afterA: row(16), wrong: "16 different values"},
		"few rows, from the start": {before: row(16), loadA: row(16), loadB: row(10_000), beforeB: row(10_000),
			afterA: row(16)}, // judged before the load
		"few rows, not after the load": {before: row(10_000), loadA: row(16), loadB: row(10_000)},
		"the first rows":               {before: row(10_000), loadA: took(16), loadB: row(10_000)}, // other names: judged elsewhere
		"one element twice": {before: list(2), loadA: list(1), loadB: list(2), afterA: list(1),
			wrong: "values at .[*] in the answers"},
		"one element for all":      {before: again(40), loadA: again(1), loadB: again(40), afterA: again(1), wrong: "at .["},
		"a clock stands still":     {before: clock(100), loadA: fixed, loadB: clock(100), wrong: "word 2"},
		"of a clock":               {before: hash(100), loadA: hash(20), loadB: hash(100)},
		"clocks, fast, slow":       {before: clock(100), loadA: clock(1), loadB: clock(90)},
		"durations":                {before: took(20), loadA: took(20), beforeB: took(5000), loadB: took(5000), afterA: took(20)},
		"durations under load":     {before: took(20), loadA: took(20), loadB: took(5000)},
		"durations, alike at rest": {before: took(5000), loadA: took(20), loadB: took(5000)},
	} {
		c.beforeB, c.afterA = orElse(c.beforeB, c.before), orElse(c.afterA, c.before)
		j := judged("GET /", map[string][]string{"a": times(20, c.before), "b": times(20, c.beforeB)},
			map[string][]string{"a": times(300, c.loadA), "b": times(300, c.loadB)})
		for side, f := range map[string]func(int) string{"a": c.before, "b": c.beforeB} {
			j.all[side].side.inTurn = in(times(300, f))
		}
		j.again = func(side string, _ []scenario.Mark) ([]scenario.Answer, error) {
			return in(times(300, map[string]func(int) string{"a": c.afterA, "b": c.beforeB}[side])), nil
		}
		j.varied(0)
		if err := j.out["a"].Wrong; (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
		if err := j.out["b"].Wrong; err != nil {
			t.Errorf("%s: b: %v", name, err)
		}
	}
	for _, most := range []int{2, 20, 100, 300, 1000, 10_000} {
		for range 30 {
			j := judged("GET /", map[string][]string{"a": times(20, row(most)), "b": times(20, row(most))},
				map[string][]string{"a": times(200, row(most)), "b": times(150, row(most))})
			if j.varied(0); j.out["a"].Wrong != nil || j.out["b"].Wrong != nil {
				t.Errorf("of %d: %v, %v", most, j.out["a"].Wrong, j.out["b"].Wrong)
			}
		}
	}
}

func orElse(f, otherwise func(int) string) func(int) string {
	if f == nil {
		return otherwise
	}
	return f
}

// TestHeaders: a header section under load must be as before the load, except for connection
// fields, fields that varied, and added fields.
func TestHeaders(t *testing.T) {
	fields := func(lines ...string) (all []wire.Field) {
		for _, line := range lines {
			name, value, _ := strings.Cut(line, ": ")
			all = append(all, wire.Field{Name: name, Value: value})
		}
		return all
	}
	for name, c := range map[string]struct {
		sent          string
		before, under []string
		wrong         string
	}{
		"the same": {"GET /", []string{"ETag: 1"}, []string{"etag: 2"}, ""},
		"missing":  {"GET /", []string{"ETag: 1"}, nil, "header etag: not sent; before the load: sent"},
		"added":    {"GET /", nil, []string{"X-Trace: 1"}, ""},
		"of the connection": {"GET /", []string{"Keep-Alive: 5", "Content-Length: 3"},
			[]string{"Transfer-Encoding: chunked"}, ""},
		"of a cache":   {"GET /", []string{"X-Cache: HIT", "Age: 1"}, nil, ""},
		"about caches": {"GET /", []string{"Cache-Control: no-store"}, nil, "header cache-control"},
		"another type": {"GET /", []string{"Content-Type: a/b"}, []string{"Content-Type: a/c"},
			"Content-Type: a/c; before the load: a/b"},
		"length of HEAD": {"HEAD /", []string{"Content-Length: 9"}, []string{"Content-Length: 8"},
			"header content-length: 8"},
		"no length of HEAD": {"HEAD /", []string{"Content-Length: 9"}, nil, "header content-length: not sent"},
		"no type":           {"GET /", []string{"Content-Type: a/b"}, nil, "Content-Type: none"},
	} {
		for _, varies := range []bool{false, true} {
			j := judged(c.sent, map[string][]string{"a": {"", ""}}, nil)
			e := j.all["a"]
			e.answers[0][0].Response.Fields = fields(c.before...)
			e.answers[1][0].Response.Fields = fields(c.before...)
			if varies {
				e.answers[1][0].Response.Fields = fields(c.under...)
			}
			e.side.learn()
			e.heads = []load.Sampled{{Status: 200, Fields: fields(c.under...)}}
			j.again = func(string, []scenario.Mark) ([]scenario.Answer, error) { return e.answers[0], nil }
			j.learnHeads(e)
			err := j.headers(e)
			if (err != nil) != (c.wrong != "" && !varies) || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s, varies: %v: %v", name, varies, err)
			}
		}
	}
}

// TestLostHeaders: a side whose answers lack a header in some share is wrong if all answers before
// the load had it and the other side's have it under load, as far as both sides have come.
func TestLostHeaders(t *testing.T) {
	lines := func(text string) (all []wire.Field) {
		for _, line := range strings.Split(text, "; ") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				all = append(all, wire.Field{Name: name, Value: value})
			}
		}
		return all
	}
	const sid, both = "Set-Cookie: sid=1", "Set-Cookie: sid=1; Set-Cookie: csrf=2; ETag: 3"
	after := func(from int, without string) func(int, string) string {
		return func(i int, full string) string {
			if i >= from {
				return without
			}
			return full
		}
	}
	each := func(n int, without string) func(int, string) string {
		return func(i int, full string) string {
			if i%n == 0 {
				return without
			}
			return full
		}
	}
	for name, c := range map[string]struct {
		before string
		a, b   func(i int, full string) string
		nA, nB int
		client bool   // it keeps cookies
		now    string // a's answer without a cookie, after the load
		wrong  string
	}{
		"stops": {sid, after(100, ""), nil, 300, 300, false, "",
			"no header set-cookie (sid), though all answers before the load had it; in 200 of 300 sampled answers, b in 0"},
		"one in five":        {sid, each(5, ""), each(200, ""), 500, 500, false, "", "no header set-cookie"},
		"one of two cookies": {both, each(3, sid+"; ETag: 3"), nil, 400, 400, false, "", "set-cookie (csrf), "},
		"no ETag": {both, each(3, sid+"; Set-Cookie: csrf=2"), nil, 400, 400, false, "",
			"no header etag, "},
		"all, cookies":               {sid, after(0, ""), nil, 60, 20, false, "", "set-cookie"},
		"the other lacks it as well": {sid, each(3, ""), each(4, ""), 400, 400, false, "", ""},
		"by chance":                  {sid, each(40, ""), nil, 400, 400, false, "", ""},
		"a header of caches":         {"X-Cache: HIT", each(3, ""), nil, 400, 400, false, "", ""},
		"where only a has come":      {sid, after(300, ""), nil, 1000, 300, false, "", ""},
		"kept cookies, alike":        {sid, after(4, ""), after(4, ""), 400, 400, true, sid, ""},
		"set where none is sent":     {sid, after(4, ""), nil, 400, 400, true, sid, ""},
		"kept cookies, stops":        {sid, after(100, ""), nil, 400, 400, true, "", "set-cookie"},
	} {
		j := judged("POST /login", map[string][]string{"a": {"", ""}, "b": {"", ""}}, nil)
		j.sides.stateful, j.contract.Cookies = true, c.client
		for side, under := range map[string]func(int, string) string{"a": c.a, "b": c.b} {
			e, n := j.all[side], map[string]int{"a": c.nA, "b": c.nB}[side]
			for k := range e.answers {
				e.answers[k][0].Response.Fields = lines(c.before)
			}
			for i := range n {
				text := c.before
				if under != nil {
					text = under(i, text)
				}
				e.heads = append(e.heads, load.Sampled{Status: 200, Fields: lines(text), Nth: i})
			}
			j.learnHeads(e)
		}
		j.again = func(string, []scenario.Mark) ([]scenario.Answer, error) {
			return []scenario.Answer{{Sent: "POST /login", Response: &wire.Response{Status: 200, Fields: lines(c.now)}}}, nil
		}
		err := j.headers(j.all["a"])
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
		if err := j.headers(j.all["b"]); err != nil {
			t.Errorf("%s: b: %v", name, err)
		}
		if n := j.out["a"].Heads; (n == int64(c.nA)) == c.client {
			t.Errorf("%s: %d header sections", name, n)
		}
	}
}

// TestRareZeros: a zero, or an empty list, that comes by chance fails no side; one in place of a
// value in more answers than chance explains does, and so does any other kind of value.
func TestRareZeros(t *testing.T) {
	for name, c := range map[string]struct {
		odd     string
		kept    int
		odds    int64 // of this many, at most 256 are kept
		answers int64 // on each side
		other   string
		wrong   bool
	}{
		"once":                        {`{"n":[0,7]}`, 100, 1, 10_000, "", false},
		"once of few":                 {`{"n":[0,7]}`, 4, 1, 5, "", false},
		"nine of a million":           {`{"n":[8,0]}`, 256, 9, 1_000_000, "", false},
		"an empty list":               {`{"n":[]}`, 256, 2, 1_000_000, "", false},
		"one in 25":                   {`{"n":[0,0]}`, 256, 120, 3000, "", true},
		"each third":                  {`{"n":[0,7]}`, 100, 1000, 3000, "", true},
		"each third of few":           {`{"n":[0,7]}`, 10, 5, 15, "", true},
		"the other has it in as many": {`{"n":[0,7]}`, 100, 1000, 3000, `{"n":[0,1]}`, false},
		"null once":                   {`{"n":[null,7]}`, 100, 1, 10_000, "", true},
		"an empty text":               {`{"n":"","m":1}`, 100, 1, 10_000, "", true},
	} {
		var before, under []string
		for i := range 20 {
			before = append(before, fmt.Sprintf(`{"n":[%d,%d]}`, 1+i, 2+i))
		}
		for i := range c.kept {
			under = append(under, fmt.Sprintf(`{"n":[%d,%d]}`, 1+i, 2+i))
		}
		j := judged("GET /", map[string][]string{"a": before, "b": before}, map[string][]string{"a": under, "b": under})
		e, o := j.all["a"], j.all["b"]
		for range min(c.odds, 256) {
			e.odd = append(e.odd, sampledOf(c.odd))
		}
		if c.other != "" {
			o.odd = append(o.odd, sampledOf(c.other))
		}
		e.blend(c.answers-c.odds, c.odds)
		o.blend(c.answers, int64(len(o.odd)))
		if err := j.shapes(e); (err != nil) != c.wrong {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestByLot: the probability is exactly Fisher's.
func TestByLot(t *testing.T) {
	for _, c := range []struct {
		m, n, m2, n2 int
		want         float64
	}{{3, 3, 1, 5, 5. / 70}, {0, 4, 2, 4, 1}, {2, 2, 0, 2, 1. / 6}, {1, 10, 0, 0, 1}} {
		if p := byLot(c.m, c.n, c.m2, c.n2); math.Abs(p-c.want) > 1e-9 {
			t.Errorf("%+v: %v", c, p)
		}
	}
}

// TestRequireType: a Content-Type that all answers had becomes part of the contract; one that the
// scenario sets stays.
func TestRequireType(t *testing.T) {
	for name, c := range map[string]struct {
		types []string
		own   map[string]string
		want  map[string]string
	}{
		"one": {[]string{"text/plain", "text/plain"}, nil, map[string]string{"content-type": "text/plain"}},
		"parameters": {[]string{"text/plain", "text/plain; charset=utf-8"}, nil,
			map[string]string{"content-type": "text/plain"}},
		"two":  {[]string{"text/plain", "text/html"}, nil, nil},
		"none": {[]string{"text/plain", ""}, nil, nil},
		"own": {[]string{"text/plain", "text/plain"}, map[string]string{"Content-Type": "text/plain", "X-A": ""},
			map[string]string{"Content-Type": "text/plain", "X-A": ""}},
		"braces": {[]string{"text/{x}", "text/{x}"}, nil, nil},
	} {
		j := judged("GET /", map[string][]string{"a": {"", ""}}, nil)
		for i, kind := range c.types {
			if kind != "" {
				j.all["a"].answers[i][0].Response.Fields = []wire.Field{{Name: "Content-Type", Value: kind}}
			}
		}
		e := &scenario.Expect{Headers: c.own}
		if j.sides.requireType(0, e); !maps.Equal(e.Headers, c.want) {
			t.Errorf("%s: %v", name, e.Headers)
		}
	}
}

// TestBlend: answers with and without their shape are in the sample in proportion to their numbers.
func TestBlend(t *testing.T) {
	for _, c := range []struct {
		kept, odd  int
		fits, odds int64
		want       [2]int
	}{
		{100, 50, 6400, 50, [2]int{100, 1}}, {100, 256, 6400, 12_800, [2]int{100, 200}}, {7, 0, 7, 0, [2]int{7, 0}},
		{0, 256, 0, 9000, [2]int{0, 256}}, {100, 256, 100, 25_600, [2]int{1, 256}},
	} {
		e := &evidence{kept: make([]load.Sampled, c.kept), odd: make([]load.Sampled, c.odd)}
		for i := range e.odd {
			e.odd[i].Index = 1
		}
		e.blend(c.fits, c.odds)
		var got [2]int
		for _, x := range e.blended {
			got[x.Index]++
		}
		if got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
