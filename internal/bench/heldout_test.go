package bench

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The servers of this file were written without knowledge of how answers are compared. They are not
// for tuning the comparison: one that is missed stays here, and stays as it is.

// reply is an answer before it is sent: a defect changes it.
type reply struct {
	status int
	header http.Header
	body   string
	abort  bool // The connection is cut after the body, which has no end.
}

// call is a request together with the state on which a defect may depend.
type call struct {
	*http.Request
	start    int   // The start of the process, from 1
	n        int64 // The number of this request in the process, from 1
	onConn   int64 // The number of this request on its connection, from 1
	inFlight int64 // The number of requests in the process that are not yet answered
	id       int   // The last segment of the path
}

// heldOutKind is an honest server.
type heldOutKind struct {
	paths []string
	fresh func() func(c *call) reply
}

func jsonReply(v any) reply {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return reply{body: string(body), header: http.Header{"Content-Type": {"application/json"}}}
}

type heldOutUser struct {
	ID    int      `json:"id"`
	Name  *string  `json:"name"`
	Email string   `json:"email"`
	Score float64  `json:"score"`
	Roles []string `json:"roles"`
}

func userOf(id int) heldOutUser {
	sum := crc32.ChecksumIEEE([]byte(strconv.Itoa(id)))
	name := fmt.Sprintf("user-%08x", sum)
	return heldOutUser{id, &name, name + "@example.org", float64(sum%10000) / 100,
		[]string{"reader", []string{"writer", "editor", "admin"}[sum%3]}}
}

type heldOutRow struct {
	SKU   string `json:"sku"`
	Count int    `json:"count"`
}

type heldOutOrder struct {
	ID    int          `json:"id"`
	Items []heldOutRow `json:"items"`
	Total int          `json:"total"`
}

func orderOf(id int) (o heldOutOrder) {
	o.ID = id
	for i := range 10 {
		row := heldOutRow{fmt.Sprintf("sku-%02d-%d", i, id*31%1000), (id*7+i*13)%40 + 1}
		o.Items, o.Total = append(o.Items, row), o.Total+row.Count
	}
	return o
}

type heldOutWorld struct {
	ID     int `json:"id"`
	Number int `json:"randomNumber"`
}

func worldOf(id int) heldOutWorld { return heldOutWorld{id, id * 7919 % 10007} }

func worlds(n int, draw func() int) (all []heldOutWorld) {
	for range n {
		all = append(all, worldOf(draw()))
	}
	return all
}

func drawWorld() int { return rand.IntN(10000) + 1 }

type heldOutNow struct {
	ID  int    `json:"id"`
	Now string `json:"now"`
}

type heldOutCount struct {
	ID    int `json:"id"`
	Count int `json:"count"`
}

func memoryless(f func(c *call) reply) func() func(c *call) reply {
	return func() func(c *call) reply { return f }
}

var heldOutKinds = map[string]*heldOutKind{
	"users": {[]string{"/users/{int:1..2000}"}, memoryless(func(c *call) reply { return jsonReply(userOf(c.id)) })},
	"orders": {[]string{"/orders/{int:1..500}"}, memoryless(func(c *call) reply {
		return jsonReply(orderOf(c.id))
	})},
	"slow orders": {[]string{"/orders/{int:1..500}"}, memoryless(func(c *call) reply {
		time.Sleep(200 * time.Microsecond)
		return jsonReply(orderOf(c.id))
	})},
	"three paths": {[]string{"/health", "/users/{int:1..2000}", "/orders/{int:1..500}"}, memoryless(func(c *call) reply {
		switch {
		case c.URL.Path == "/health":
			return jsonReply(map[string]string{"status": "up"})
		case strings.HasPrefix(c.URL.Path, "/users/"):
			return jsonReply(userOf(c.id))
		}
		return jsonReply(orderOf(c.id))
	})},
	"world":  {[]string{"/db"}, memoryless(func(*call) reply { return jsonReply(worldOf(drawWorld())) })},
	"worlds": {[]string{"/queries/10"}, memoryless(func(*call) reply { return jsonReply(worlds(10, drawWorld)) })},
	"now": {[]string{"/now/{int:1..50}"}, memoryless(func(c *call) reply {
		return jsonReply(heldOutNow{c.id, time.Now().UTC().Format(time.RFC3339Nano)})
	})},
	"tagged": {[]string{"/users/{int:1..2000}"}, memoryless(func(c *call) reply {
		a := jsonReply(userOf(c.id))
		a.header.Set("ETag", fmt.Sprintf(`"%08x"`, crc32.ChecksumIEEE([]byte(a.body))))
		a.header.Set("Cache-Control", "max-age=60")
		return a
	})},
	"files": {[]string{"HEAD /files/{int:1..100}"}, memoryless(func(c *call) reply {
		return reply{header: http.Header{"Content-Type": {"text/plain"}, "Content-Length": {strconv.Itoa(1000 + 17*c.id)}}}
	})},
	"counters": {[]string{"POST /counters/{int:1..20}", "/counters/{int:1..20}"}, func() func(c *call) reply {
		var mu sync.Mutex
		counts := map[int]int{}
		return func(c *call) reply {
			mu.Lock()
			defer mu.Unlock()
			if c.Method == "POST" {
				counts[c.id]++
			}
			return jsonReply(heldOutCount{c.id, counts[c.id]})
		}
	}},
}

// handler serves the kind, with a defect unless it is nil: called with each honest answer. It counts in
// wrong the answers that the defect changed.
func (k *heldOutKind) handler(start int, defect func(c *call, a *reply), wrong *[5]atomic.Int64) http.Handler {
	var n, inFlight atomic.Int64
	var conns sync.Map
	answer := k.fresh()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		onConn, _ := conns.LoadOrStore(r.RemoteAddr, new(atomic.Int64))
		id, _ := strconv.Atoi(path.Base(r.URL.Path))
		c := &call{r, start, n.Add(1), onConn.(*atomic.Int64).Add(1), inFlight.Add(1), id}
		defer inFlight.Add(-1)
		a := answer(c)
		if defect != nil {
			before := fmt.Sprint(a)
			if defect(c, &a); fmt.Sprint(a) != before {
				wrong[min(start, len(wrong)-1)].Add(1)
			}
		}
		for name, values := range a.header {
			w.Header()[name] = values
		}
		if a.header.Get("Content-Length") == "" && !a.abort {
			w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
		}
		if a.status != 0 {
			w.WriteHeader(a.status)
		}
		_, _ = w.Write([]byte(a.body))
		if a.abort {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	})
}

// always makes a defect without a memory.
func always(f func(c *call, a *reply)) func() func(c *call, a *reply) {
	return func() func(c *call, a *reply) { return f }
}

// heldOut are the cheats. Each is a way to send less, or to do less work, that a contestant may try.
var heldOut = []struct {
	name, kind string
	defect     func() func(c *call, a *reply) // Called once per start
}{
	{"empty body for each 97th id", "users", always(func(c *call, a *reply) {
		if c.id%97 == 0 {
			a.body = ""
		}
	})},
	{"null name after 500 requests", "users", always(func(c *call, a *reply) {
		if c.n > 500 {
			u := userOf(c.id)
			u.Name = nil
			*a = jsonReply(u)
		}
	})},
	{"length of HEAD is constant in the epochs", "files", always(func(c *call, a *reply) {
		if c.start > 1 {
			a.header.Set("Content-Length", "1000")
		}
	})},
	{"another user under the right id after 300 requests", "users", always(func(c *call, a *reply) {
		if c.n > 300 {
			u := userOf(c.id &^ 7)
			u.ID = c.id
			*a = jsonReply(u)
		}
	})},
	{"last row dropped for ids over 450, in the epochs", "orders", always(func(c *call, a *reply) {
		if c.start > 1 && c.id > 450 {
			o := orderOf(c.id)
			o.Items = o.Items[:9]
			*a = jsonReply(o)
		}
	})},
	{"rows not sorted in the epochs", "orders", always(func(c *call, a *reply) {
		if c.start > 1 {
			o := orderOf(c.id)
			o.Items[2], o.Items[3] = o.Items[3], o.Items[2]
			*a = jsonReply(o)
		}
	})},
	{"drawn row is constant after 400 requests", "world", always(func(c *call, a *reply) {
		if c.n > 400 {
			*a = jsonReply(worldOf(4242))
		}
	})},
	{"row drawn from 16 in the epochs", "world", always(func(c *call, a *reply) {
		if c.start > 1 {
			*a = jsonReply(worldOf(1000 + 500*rand.IntN(16)))
		}
	})},
	{"one row drawn, sent ten times, in the epochs", "worlds", always(func(c *call, a *reply) {
		if c.start > 1 {
			id := drawWorld()
			*a = jsonReply(worlds(10, func() int { return id }))
		}
	})},
	{"each 50th answer is an error with status 200", "users", always(func(c *call, a *reply) {
		if c.n%50 == 0 {
			*a = jsonReply(map[string]string{"error": "busy"})
		}
	})},
	{"text/html after 1,000 requests", "users", always(func(c *call, a *reply) {
		if c.n > 1000 {
			a.header.Set("Content-Type", "text/html")
		}
	})},
	{"no ETag, no Cache-Control in the epochs", "tagged", always(func(c *call, a *reply) {
		if c.start > 1 {
			a.header.Del("ETag")
			a.header.Del("Cache-Control")
		}
	})},
	{"the clock stands still for each id, in the last epoch", "now", func() func(c *call, a *reply) {
		var cache sync.Map
		return func(c *call, a *reply) {
			if c.start > 3 {
				first, _ := cache.LoadOrStore(c.id, a.body)
				a.body = first.(string)
			}
		}
	}},
	{"no rows while another request is in flight", "slow orders", always(func(c *call, a *reply) {
		if c.inFlight > 1 {
			*a = jsonReply(heldOutOrder{ID: c.id, Items: []heldOutRow{}, Total: orderOf(c.id).Total})
		}
	})},
	{"strings of spaces, same length, after 100 requests on a connection", "users", always(func(c *call, a *reply) {
		if c.onConn > 100 {
			u := userOf(c.id)
			blank := strings.Repeat(" ", len(*u.Name))
			u.Name, u.Email = &blank, strings.Repeat(" ", len(u.Email))
			*a = jsonReply(u)
		}
	})},
	{"total off by one for each tenth id of one path in three, in the epochs", "three paths",
		always(func(c *call, a *reply) {
			if c.start > 1 && c.id%10 == 0 && strings.HasPrefix(c.URL.Path, "/orders/") {
				o := orderOf(c.id)
				o.Total++
				*a = jsonReply(o)
			}
		})},
	{"updates are lost in the epochs", "counters", always(func(c *call, a *reply) {
		if c.start > 1 {
			count := heldOutCount{ID: c.id}
			if c.Method == "POST" {
				count.Count = 1
			}
			*a = jsonReply(count)
		}
	})},
	{"each 200th body is chunked and has no end", "users", always(func(c *call, a *reply) {
		if c.n%200 == 0 {
			a.body, a.abort = a.body[:len(a.body)/2], true
		}
	})},
	{"garbage called gzip after 700 requests", "users", always(func(c *call, a *reply) {
		if c.n > 700 {
			a.header.Set("Content-Encoding", "gzip")
			a.body = "\x1f\x8b\x08\x00" + strings.Repeat("\xa5", 40)
		}
	})},
	{"each 1,000th answer is an empty object", "users", always(func(c *call, a *reply) {
		if c.n%1000 == 0 {
			a.body = "{}"
		}
	})},
}

// TestHeldOut: none of the twenty cheats that are held out has a figure. A cheat counts as caught only if the
// honest servers of its kind, compared with each other, both have a figure. Where a cheat has a figure, so has
// the honest side.
func TestHeldOut(t *testing.T) {
	if !inFull {
		t.Skip("DYNO_MUTANTS=all is not set")
	}
	var mu sync.Mutex
	unfair, missed := map[string]string{}, map[string]string{} // By kind, by cheat
	t.Run("all", func(t *testing.T) {
		n := 0
		for kind, k := range heldOutKinds {
			engine := engineOf(n)
			n++
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				fresh := func(start int) http.Handler { return k.handler(start, nil, nil) }
				run, err := (&mutant{name: kind, paths: k.paths, honest: fresh, other: fresh}).compare(t, engine)
				for _, side := range []string{"honest", "other"} {
					why, ok := figured(run, err, side)
					if t.Logf("%s has a figure: %v; %s", side, ok, why); !ok {
						mu.Lock()
						unfair[kind] = why
						mu.Unlock()
					}
				}
			})
		}
		for i, cheat := range heldOut {
			t.Run(cheat.name, func(t *testing.T) {
				t.Parallel()
				k := heldOutKinds[cheat.kind]
				wrong := new([5]atomic.Int64) // By start
				m := mutant{name: cheat.name, paths: k.paths,
					honest: func(start int) http.Handler { return k.handler(start, nil, nil) },
					other:  func(start int) http.Handler { return k.handler(start, cheat.defect(), wrong) }}
				run, err := m.compare(t, engineOf(i))
				why, ok := figured(run, err, "other")
				t.Logf("other has a figure: %v, wrong answers by start: %d %d %d %d; %s", ok,
					wrong[1].Load(), wrong[2].Load(), wrong[3].Load(), wrong[4].Load(), why)
				if why, fair := figured(run, err, "honest"); !fair && ok {
					t.Errorf("the honest side alone has none: %s", why)
				} else if !fair {
					t.Logf("the honest side has none: %s", why)
				}
				if ok {
					mu.Lock()
					missed[cheat.name] = why
					mu.Unlock()
				}
			})
		}
	})
	caught := 0
	for _, cheat := range heldOut {
		if why, ok := missed[cheat.name]; ok {
			t.Errorf("missed: %s: %s", cheat.name, why)
		} else if why, ok := unfair[cheat.kind]; ok {
			t.Logf("no verdict: %s: the honest servers have no figure: %s", cheat.name, why)
		} else {
			caught++
		}
	}
	if t.Logf("caught %d of %d", caught, len(heldOut)); caught < len(heldOut) {
		t.Errorf("caught %d of %d", caught, len(heldOut))
	}
}
