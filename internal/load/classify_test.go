package load

import (
	"fmt"
	"strings"
	"testing"

	"dyno/internal/http1"
	"dyno/internal/scenario"
)

// wants is the contract e as a connection gets it.
func wants(t *testing.T, e scenario.Expect) *scenario.Want {
	t.Helper()
	m, err := (&scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1,
		Expect: e}}}).Compile("h", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := new(scenario.Want)
	m.NewSource(1, 0, 1).Next(nil, w)
	return w
}

// judge reads one answer as an engine does, in pieces of size.
func judge(t *testing.T, p *http1.Parser, w *scenario.Want, answer string, size int) Kind {
	t.Helper()
	Expect(p, w)
	headers := true
	var buf []byte
	for answer != "" {
		k := min(size, len(answer))
		buf, answer = append(buf, answer[:k]...), answer[k:]
		for again := true; again; {
			n, ev, err := p.Feed(buf)
			if err != nil {
				t.Fatal(err)
			}
			if again = ev == http1.AtHead; again {
				headers = CheckHeaders(p.Fields(), w.Headers)
			}
			if buf = buf[n:]; ev == http1.Done {
				return Classify(p, w, headers, len(buf) > 0)
			}
		}
	}
	t.Fatal("not complete")
	return 0
}

func TestJudge(t *testing.T) {
	const hash = "cd42404d52ad55ccfa9aca4adc828aa5800ad9d385a0671fbcbf724118320619" // of "value"
	value, five := "value", int64(5)
	some, _ := scenario.ParseStatuses("2xx,304")
	answer := func(status int, body string) string {
		return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", status,
			len(body), body)
	}
	p := http1.Parser{Memo: new(http1.Memo)}
	for name, c := range map[string]struct {
		e      scenario.Expect
		answer string
		want   Kind
	}{
		"status":          {scenario.Expect{Status: 200}, answer(200, "any"), OK},
		"other status":    {scenario.Expect{Status: 200}, answer(201, ""), Status},
		"statuses":        {scenario.Expect{Statuses: some}, answer(299, "any"), OK},
		"other statuses":  {scenario.Expect{Statuses: some}, answer(500, "any"), Status},
		"strange status":  {scenario.Expect{Statuses: some}, answer(999, "any"), Status},
		"body":            {scenario.Expect{Status: 200, Body: &value}, answer(200, "value"), OK},
		"other body":      {scenario.Expect{Status: 200, Body: &value}, answer(200, "valse"), Body},
		"short body":      {scenario.Expect{Status: 200, Body: &value}, answer(200, "valu"), Length},
		"length":          {scenario.Expect{Status: 200, Length: &five}, answer(200, "12345"), OK},
		"other length":    {scenario.Expect{Status: 200, Length: &five}, answer(200, "1234"), Length},
		"hash":            {scenario.Expect{Status: 200, SHA256: hash}, answer(200, "value"), OK},
		"other hash":      {scenario.Expect{Status: 200, SHA256: hash}, answer(200, "valse"), Body},
		"length and hash": {scenario.Expect{Status: 200, SHA256: hash, Length: &five}, answer(200, "values"), Length},
		"present": {scenario.Expect{Status: 200, Headers: map[string]string{"content-TYPE": ""}},
			answer(200, ""), OK},
		"absent": {scenario.Expect{Status: 200, Headers: map[string]string{"ETag": ""}}, answer(200, ""),
			Header},
		"surplus": {scenario.Expect{Status: 200, Length: &five}, answer(200, "value") + "!", Length},
		"chunked": {scenario.Expect{Status: 200, SHA256: hash, Length: &five},
			"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nva\r\n3;x\r\nlue\r\n0\r\n\r\n", OK},
	} {
		w := wants(t, c.e)
		for _, size := range []int{1 << 10, 1, 3} {
			for range 2 {
				if size < 1<<10 && name == "surplus" {
					continue // which only shows when it is there already
				}
				if got := judge(t, &p, w, c.answer, size); got != c.want {
					t.Errorf("%s, in steps of %d: %v; want %v", name, size, got, c.want)
				}
			}
		}
	}
}

func TestJudgeDoesNotAllocate(t *testing.T) {
	const hash = "cd42404d52ad55ccfa9aca4adc828aa5800ad9d385a0671fbcbf724118320619"
	w := wants(t, scenario.Expect{Status: 200, SHA256: hash, Headers: map[string]string{"A": ""}})
	p := http1.Parser{Memo: new(http1.Memo)}
	answers := [2][]byte{}
	for i := range answers {
		answers[i] = []byte("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", i+1) + "\r\nContent-Length: 5\r\n\r\nvalue")
	}
	turn := func() {
		for _, b := range answers {
			Expect(&p, w)
			n, _, _ := p.Feed(b)
			ok := CheckHeaders(p.Fields(), w.Headers)
			if p.Feed(b[n:]); Classify(&p, w, ok, false) != OK {
				t.Error("not kept")
			}
		}
	}
	turn()
	if n := testing.AllocsPerRun(200, turn); n != 0 {
		t.Errorf("%v allocations for two answers", n)
	}
}
