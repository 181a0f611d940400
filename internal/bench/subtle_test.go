package bench

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/alike"
	"dyno/internal/load/loop"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

// sent is an answer of a server of this file.
type sent struct {
	header map[string]string
	body   string
}

// serves returns a process whose answers f makes; n counts its requests, start its starts.
func serves(f func(start int, n int64, r *http.Request) sent) func(start int) http.Handler {
	return func(start int) http.Handler {
		var n atomic.Int64
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p := f(start, n.Add(1), r)
			for name, value := range p.header {
				w.Header().Set(name, value)
			}
			if r.Method == "HEAD" {
				return
			}
			write(w, p.body)
		})
	}
}

// from returns a process that answers as honest does until the cheat begins: in the epochs, after some
// requests.
func from(after int64, honest, cheat func(start int, n int64, r *http.Request) sent) func(start int) http.Handler {
	return serves(func(start int, n int64, r *http.Request) sent {
		if start > 1 && n > after {
			return cheat(start, n, r)
		}
		return honest(start, n, r)
	})
}

func plainText(body string, header ...string) sent {
	p := sent{map[string]string{}, body}
	for i := 0; i < len(header); i += 2 {
		p.header[header[i]] = header[i+1]
	}
	return p
}

// without returns f's answers without a header.
func without(name string, f func(int, int64, *http.Request) sent) func(int, int64, *http.Request) sent {
	return func(start int, n int64, r *http.Request) sent {
		p := f(start, n, r)
		delete(p.header, name)
		return p
	}
}

func tagged(_ int, _ int64, r *http.Request) sent {
	body := fmt.Sprintf(`{"id":%d}`, id(r))
	return plainText(body, "ETag", fmt.Sprintf(`"%x"`, crc32.ChecksumIEEE([]byte(body))), "Vary", "Accept")
}

func login(_ int, _ int64, r *http.Request) sent {
	return plainText(fmt.Sprintf(`{"user":%q}`, r.URL.Query().Get("user")), "Set-Cookie",
		fmt.Sprintf("sid=%x; HttpOnly", rand.Uint64()))
}

func hello(_ int, _ int64, _ *http.Request) sent {
	return plainText("hello\n", "Vary", "Accept", "Content-Security-Policy", "default-src 'self'")
}

func sizes(_ int, _ int64, r *http.Request) sent {
	return plainText("", "Content-Length", strconv.Itoa(1000+id(r)), "Last-Modified", "Thu, 26 Nov 2026 17:00:00 GMT")
}

func sized(length string) func(int, int64, *http.Request) sent {
	return func(int, int64, *http.Request) sent {
		return plainText("", "Content-Length", length, "Last-Modified", "Thu, 26 Nov 2026 17:00:00 GMT")
	}
}

func tokens(pool int) func(int, int64, *http.Request) sent {
	return func(int, int64, *http.Request) sent {
		return plainText(fmt.Sprintf(`{"token":"%08x"}`, crc32.ChecksumIEEE([]byte(fmt.Sprint(rand.IntN(pool))))))
	}
}

func lottery(different int) func(int, int64, *http.Request) sent {
	return func(int, int64, *http.Request) sent {
		var all []string
		for i := range 8 {
			if i < different {
				all = append(all, fmt.Sprint(rand.IntN(1_000_000)))
			} else {
				all = append(all, all[i%different])
			}
		}
		return plainText(`{"drawn":[` + strings.Join(all, ",") + `]}`)
	}
}

func dated(_ int, _ int64, r *http.Request) sent {
	return plainText(fmt.Sprintf(`{"id":%d,"secret":%d,"at":%d}`, id(r), rand.Uint32(), time.Now().UnixNano()))
}

// stopped is dated with a clock that stands still.
func stopped(_ int, _ int64, r *http.Request) sent {
	return plainText(fmt.Sprintf(`{"id":%d,"secret":%d,"at":17}`, id(r), rand.Uint32()))
}

// once answers each path with what was its first answer.
func once(f func(int, int64, *http.Request) sent) func(int, int64, *http.Request) sent {
	var first sync.Map
	return func(start int, n int64, r *http.Request) sent {
		p, _ := first.LoadOrStore(fmt.Sprint(start, r.URL.Path), f(start, n, r))
		return p.(sent)
	}
}

// subtle are cheats whose bodies, one by one, are right, or whose bodies are constant.
var subtle = []struct {
	name, path    string
	after         int64
	honest, cheat func(int, int64, *http.Request) sent
}{
	{"no Vary beside a constant body", "/", 400, hello, without("Vary", hello)},
	{"a language of a constant body", "/", 400, hello, func(int, int64, *http.Request) sent {
		return plainText("hello\n", "Vary", "Accept", "Content-Security-Policy", "default-src 'self'", "Content-Language",
			"de")
	}},
	{"no ETag of a drawn body", "/u/{int:1..2000}", 0, tagged, without("ETag", tagged)},
	{"no ETag, each third", "/u/{int:1..2000}", 0, tagged, func(start int, n int64, r *http.Request) sent {
		if n%3 == 0 {
			return without("ETag", tagged)(start, n, r)
		}
		return tagged(start, n, r)
	}},
	{"no length of HEAD", "HEAD /f/7", 400, sizes, without("Content-Length", sizes)},
	{"another length of HEAD", "HEAD /f/7", 0, sizes, sized("1000")},
	{"one length of drawn HEAD", "HEAD /f/{int:1..100}", 0, sizes, sized("1000")},
	{"no Last-Modified of HEAD", "HEAD /f/{int:1..100}", 500, sizes, without("Last-Modified", sizes)},
	{"a token out of 20", "/", 0, tokens(1 << 30), tokens(20)},
	{"eight numbers, two different", "/", 0, lottery(8), lottery(2)},
	{"a value per path", "/d/{int:1..2000}", 0, dated, once(dated)},
	{"a clock that stands still beside a value that varies", "/d/1", 0, dated, stopped},
	{"a login without its cookie", "POST /login?user={int:1..5000}", 300, login, without("Set-Cookie", login)},
	{"a clock that stands still, drawn", "/d/{int:1..30}", 0, dated, stopped},
}

// TestSubtleCheats: no server has a figure that sends fewer headers under load than before it, or that
// draws its values from fewer.
func TestSubtleCheats(t *testing.T) {
	for i, c := range subtle {
		if !chosen(8, i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := mutant{paths: []string{c.path}, honest: serves(c.honest), other: from(c.after, c.honest, c.cheat)}
			run, err := m.compare(t, loop.Engine{})
			why, ok := figured(run, err, "other")
			if ok {
				t.Errorf("it has a figure: %s", why)
			}
			if why, ok := figured(run, err, "honest"); !ok {
				t.Errorf("the honest side has none: %s", why)
			}
			t.Log(why)
		})
	}
}

// TestHonestAndUnlike: servers that differ from each other, and from one answer to the next, where honest
// servers may, have their figures.
func TestHonestAndUnlike(t *testing.T) {
	body := func(format string, v func() any) func(int, int64, *http.Request) sent {
		return func(int, int64, *http.Request) sent { return plainText(fmt.Sprintf(format, v())) }
	}
	const up = "up\n"
	linear := uint32(7)
	var mu sync.Mutex
	for i, c := range []struct {
		name, path string
		a, b       func(int, int64, *http.Request) sent
	}{
		{"other random numbers", "/", body(`{"row":%d}`, func() any { return 1 + rand.IntN(10_000) }),
			body(`{"row":%d}`, func() any {
				mu.Lock()
				defer mu.Unlock()
				linear = linear*1664525 + 1013904223
				return 1 + int(linear>>8)%10_000
			})},
		{"zeros that are rare", "/", body(`{"row":%d}`, func() any { return rand.IntN(5000) }), nil},
		{"logins", "POST /login?user={int:1..5000}", login, nil},
		{"dice", "/", body(`{"pips":%d}`, func() any { return 1 + rand.IntN(6) }), nil},
		{"durations", "/", body(`{"id":"x","took_us":%d}`, func() any { return 3 + rand.IntN(20) }),
			body(`{"id":"x","took_us":%d}`, func() any { return 500 + rand.IntN(90_000) })},
		{"durations of which one is within the other", "/", body(`{"took_us":%d}`, func() any { return 3 + rand.IntN(20) }),
			body(`{"took_us":%d}`, func() any { return 3 + rand.IntN(90_000) })},
		{"clock of milliseconds, fast and slow", "/", body(`{"at":%d}`, func() any { return time.Now().UnixMilli() }),
			body(`{"at":%d}`, func() any { time.Sleep(time.Millisecond); return time.Now().UnixMilli() })},
		{"rows and a clock of milliseconds", "/", body(`[%s]`, func() any {
			return fmt.Sprintf(`{"id":%d,"at":%d},{"id":%d,"at":%[2]d}`, rand.IntN(10), time.Now().UnixMilli(), rand.IntN(10))
		}), nil},
		{"a quote for 5 ms", "/", once5ms(), once5ms()},
		{"a sorted choice", "/", body(`{"words":["%s"]}`, func() any {
			return strings.Join([]string{"a", "b", "c"}[:1+rand.IntN(3)], `","`)
		}), nil},
		{"headers of one side vary", "/", func(int, int64, *http.Request) sent { return plainText(up) },
			func(_ int, n int64, _ *http.Request) sent {
				p := plainText(up, "ETag", fmt.Sprintf(`"%x"`, rand.Uint64()), "X-Request-Id", fmt.Sprint(rand.Uint64()))
				if n%2 == 0 {
					p.header["X-Sampled"] = "1"
				}
				return p
			}},
		{"a header of one answer in 50", "/", func(_ int, n int64, _ *http.Request) sent {
			if n%50 == 49 {
				return plainText(up, "Traceparent", fmt.Sprint(n))
			}
			return plainText(up)
		}, nil},
		{"headers of a cache, which is empty under load", "/", func(int, int64, *http.Request) sent { return plainText(up) },
			func(start int, n int64, _ *http.Request) sent {
				if start == 1 || n%50 > 0 {
					return plainText(up, "Age", fmt.Sprint(n/50), "X-Cache", "HIT", "Cache-Control", "max-age=9")
				}
				return plainText(up, "Cache-Control", "max-age=9")
			}},
		{"headers of the process", "/", func(start int, _ int64, _ *http.Request) sent {
			return plainText(up, "Last-Modified", time.Unix(int64(start)*1e6, 0).UTC().Format(http.TimeFormat), "ETag",
				fmt.Sprintf(`"%d"`, start), "X-Instance", fmt.Sprint(start))
		}, nil},
		{"headers that the draw decides", "/p/{int:1..40}", func(_ int, _ int64, r *http.Request) sent {
			p := plainText(fmt.Sprintf(`{"page":%d}`, id(r)))
			if id(r) < 39 {
				p.header["Link"] = fmt.Sprintf(`</p/%d>; rel="next"`, id(r)+1)
			}
			if id(r)%3 == 0 {
				p.header["Content-Language"] = "de"
			}
			return p
		}, nil},
		{"a cookie for each that has none", "/", func(_ int, _ int64, r *http.Request) sent {
			if _, err := r.Cookie("sid"); err == nil {
				return plainText(up)
			}
			return plainText(up, "Set-Cookie", fmt.Sprintf("sid=%x; HttpOnly", rand.Uint64()))
		}, nil},
		{"connections that end", "/", func(_ int, n int64, _ *http.Request) sent {
			if n%100 == 0 {
				return plainText(up, "Connection", "close")
			}
			return plainText(up, "Keep-Alive", "timeout=5, max=100")
		}, nil},
		{"HEAD", "HEAD /f/{int:1..100}", sizes, nil},
		{"HEAD of a clock", "HEAD /", func(int, int64, *http.Request) sent {
			return plainText("", "Content-Length", fmt.Sprint(100+rand.IntN(3)))
		}, nil},
	} {
		if !chosen(8, i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.b == nil {
				c.b = c.a
			}
			orders := [][2]func(int, int64, *http.Request) sent{{c.a, c.b}, {c.b, c.a}}
			if testing.Short() {
				orders = orders[:1]
			}
			for _, sides := range orders {
				run, err := (&mutant{paths: []string{c.path}, honest: serves(sides[0]), other: serves(sides[1])}).compare(t,
					loop.Engine{})
				for _, side := range []string{"honest", "other"} {
					if why, ok := figured(run, err, side); !ok {
						t.Errorf("%s has no figure: %s", side, why)
					}
				}
			}
		})
	}
}

// once5ms answers with a random number that holds for 5 ms.
func once5ms() func(int, int64, *http.Request) sent {
	var mu sync.Mutex
	var until time.Time
	var n uint64
	return func(int, int64, *http.Request) sent {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.After(until) {
			n, until = rand.Uint64(), now.Add(5*time.Millisecond)
		}
		return plainText(fmt.Sprintf(`{"quote":%d}`, n))
	}
}

// TestSampler: what is sampled is what was asked before the load, in its protocol.
func TestSampler(t *testing.T) {
	p := wholePlan(small("a", "b"))
	p.Levels[0].HTTP = "h2"
	b := &Bench{Alike: &alike.Sides{}, Scenario: &scenario.Scenario{}, run: &record.Run{Plan: p}, exact: newExact(),
		Others: map[string]*scenario.Scenario{"other": {}}}
	b.exact.agreed(b.Scenario, b.Scenario, []string{"ref"})
	at := p.First()
	if s := b.sampler("a", at); s == nil || s.OnlyBodies || b.sampler("ref", at) != nil {
		t.Errorf("%+v", s)
	}
	at.HTTP = "https"
	if s := b.sampler("a", at); s == nil || !s.OnlyBodies {
		t.Errorf("%+v", s)
	}
	if at.Scenario = "other"; b.sampler("a", at) != nil {
		t.Error("another scenario is sampled")
	}
}
