package bench

import (
	crand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load/loop"
	"dyno/internal/scenario"
)

// The servers of the held-out sets, in heldout*_test.go, were written without knowledge of how answers are
// compared. They are not for tuning the comparison: a cheat that is missed stays here, and stays as it is.

// heldOutSet is a set of servers. The first set is in this file.
type heldOutSet struct {
	kinds  map[string]*heldOutKind
	cheats []heldOutCheat
	pairs  []heldOutPair
	asks   map[string]scenario.AdHoc // By kind: headers and bodies of requests
	strict bool                      // A cheat that is not caught fails the test
}

var heldOutSets = []heldOutSet{
	{kinds: heldOutKinds, cheats: heldOut, strict: true},
	{kinds: heldOutKinds2, cheats: heldOut2, pairs: honest2},
	{kinds: heldOutKinds3, cheats: heldOut3},
	{kinds: heldOutKinds4, cheats: heldOut4, pairs: honest4, asks: asks4},
	{kinds: heldOutKinds5, cheats: heldOut5, pairs: honest5, asks: asks5},
	{kinds: heldOutKinds6, cheats: heldOut6, pairs: honest6, asks: asks6},
}

// heldOutCheat is a server of a kind with a defect, which changes honest answers.
type heldOutCheat struct {
	name, kind string
	defect     func() func(c *call, a *reply) // Called once per start
}

// heldOutPair are two honest servers that differ as two implementations of one service may.
type heldOutPair struct {
	name, kind string
	paths      []string                     // Without a kind
	one, other func(start int) http.Handler // Without one: the server of the kind
}

// reply is an answer before it is sent: a defect changes it.
type reply struct {
	status  int
	header  http.Header
	body    string
	chunked bool
	abort   bool // The connection is cut after the body, which has no end.
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
		if a.header.Get("Content-Length") == "" && !a.abort && !a.chunked {
			w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
		}
		if a.status != 0 {
			w.WriteHeader(a.status)
		}
		if half := len(a.body) / 2; a.chunked {
			_, _ = w.Write([]byte(a.body[:half]))
			_ = http.NewResponseController(w).Flush()
			a.body = a.body[half:]
		}
		_, _ = w.Write([]byte(a.body))
		if a.abort {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	})
}

// serve makes the handler of each start of the honest server. header are pairs of a further header and its value.
func (k *heldOutKind) serve(header ...string) func(start int) http.Handler {
	return func(start int) http.Handler {
		inner := k.handler(start, nil, nil)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for pair := range slices.Chunk(header, 2) {
				w.Header().Set(pair[0], pair[1])
			}
			inner.ServeHTTP(w, r)
		})
	}
}

func served(fresh func() func(c *call) reply, header ...string) func(start int) http.Handler {
	return (&heldOutKind{fresh: fresh}).serve(header...)
}

// plain is an honest server without a state.
func plain(f func(c *call) reply) func(start int) http.Handler { return served(memoryless(f)) }

// chunked is an honest server that sends bodies in chunks.
func chunked(f func(c *call) reply) func(start int) http.Handler {
	return plain(func(c *call) reply {
		a := f(c)
		a.chunked = true
		return a
	})
}

// part is a segment of the path, counted from 0, as a number.
func part(c *call, i int) int {
	parts := strings.Split(strings.TrimPrefix(c.URL.Path, "/"), "/")
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}

// queryInt is a number in the query.
func queryInt(c *call, name string) int {
	n, _ := strconv.Atoi(c.URL.Query().Get(name))
	return n
}

// typed is an answer of this media type; names are pairs of a further header and its value.
func typed(kind, body string, names ...string) reply {
	a := reply{body: body, header: http.Header{"Content-Type": {kind}}}
	for pair := range slices.Chunk(names, 2) {
		a.header.Set(pair[0], pair[1])
	}
	return a
}

// jsonText is an answer whose JSON is spelled by hand.
func jsonText(format string, args ...any) reply {
	return typed("application/json", fmt.Sprintf(format, args...))
}

// indented is the same JSON with whitespace and a last line feed.
func indented(v any) reply {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return typed("application/json; charset=utf-8", string(body)+"\n")
}

// decoded reads back what jsonReply wrote.
func decoded[T any](a *reply) (v T) {
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		panic(err)
	}
	return v
}

// hashOf makes up data: the same for the same text and number.
func hashOf(text string, n int) int {
	return int(crc32.ChecksumIEEE(fmt.Appendf(nil, "%s/%d", text, n)))
}

func now() string { return time.Now().UTC().Format(time.RFC3339Nano) }

// lcg is another generator than that of math/rand, with a seed of its own for each start.
func lcg() func(n int) int {
	var state atomic.Uint64
	state.Store(uint64(time.Now().UnixNano()))
	return func(n int) int {
		for {
			old := state.Load()
			if next := old*6364136223846793005 + 1442695040888963407; state.CompareAndSwap(old, next) {
				return int(next >> 33 % uint64(n))
			}
		}
	}
}

// systemHex is n random bytes of the system, in hexadecimal.
func systemHex(n int) string {
	b := make([]byte, n)
	_, _ = crand.Read(b)
	return fmt.Sprintf("%x", b)
}

func uuidOf(b []byte) string {
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

func randomUUID() string {
	return uuidOf(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, rand.Uint64()), rand.Uint64()))
}

// always makes a defect without a memory.
func always(f func(c *call, a *reply)) func() func(c *call, a *reply) {
	return func() func(c *call, a *reply) { return f }
}

// heldOut are the cheats. Each is a way to send less, or to do less work, that a contestant may try.
var heldOut = []heldOutCheat{
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

// TestHeldOut logs how many cheats of each set have no figure, and in how many honest pairs both sides have one.
// A cheat counts as caught only if the honest servers of its kind, compared with each other, both have a figure.
// Where a cheat has a figure, so has the honest side.
func TestHeldOut(t *testing.T) {
	if !inFull {
		t.Skip("DYNO_MUTANTS=all is not set")
	}
	for i := range heldOutSets {
		t.Run(strconv.Itoa(i+1), heldOutSets[i].run)
	}
}

// run compares the servers of the set that -run selects.
func (s *heldOutSet) run(t *testing.T) {
	type outcome struct {
		figured bool
		why     string
	}
	var mu sync.Mutex
	outcomes := map[string]outcome{} // By the name of the subtest
	compare := func(t *testing.T, i int, m *mutant) func(side string) (why string, ok bool) {
		t.Parallel()
		run, err := m.compare(t, loop.Engine{})
		return func(side string) (string, bool) { return figured(run, err, side) }
	}
	note := func(name string, figured bool, why string) {
		mu.Lock()
		defer mu.Unlock()
		outcomes[name] = outcome{figured, why}
	}
	honest := func(t *testing.T, i int, m *mutant) {
		figure := compare(t, i, m)
		all, whys := true, ""
		for _, side := range []string{"honest", "other"} {
			why, ok := figure(side)
			if t.Logf("%s has a figure: %v; %s", side, ok, why); !ok {
				all, whys = false, whys+side+": "+why+"; "
			}
		}
		note(m.name, all, whys)
	}
	t.Run("all", func(t *testing.T) {
		for i, kind := range slices.Sorted(maps.Keys(s.kinds)) {
			name := "kind " + kind
			t.Run(name, func(t *testing.T) {
				k := s.kinds[kind]
				honest(t, i, &mutant{name: name, paths: k.paths, ask: s.asks[kind], honest: k.serve(),
					other: k.serve()})
			})
		}
		for i, pair := range s.pairs {
			name := "pair " + pair.name
			t.Run(name, func(t *testing.T) {
				m := mutant{name: name, paths: pair.paths, honest: pair.one, other: pair.other}
				if k := s.kinds[pair.kind]; k != nil {
					m.paths, m.ask = k.paths, s.asks[pair.kind]
					if m.honest == nil {
						m.honest = k.serve()
					}
				}
				honest(t, i, &m)
			})
		}
		for i, cheat := range s.cheats {
			t.Run(cheat.name, func(t *testing.T) {
				k := s.kinds[cheat.kind]
				wrong := new([5]atomic.Int64) // By start
				other := func(start int) http.Handler { return k.handler(start, cheat.defect(), wrong) }
				figure := compare(t, i, &mutant{name: cheat.name, paths: k.paths, ask: s.asks[cheat.kind],
					honest: k.serve(), other: other})
				why, ok := figure("other")
				note(cheat.name, ok, why)
				t.Logf("other has a figure: %v, wrong answers by start: %d %d %d %d; %s", ok,
					wrong[1].Load(), wrong[2].Load(), wrong[3].Load(), wrong[4].Load(), why)
				if why, fair := figure("honest"); !fair && ok {
					t.Errorf("the honest side alone has none: %s", why)
				} else if !fair {
					t.Logf("the honest side has none: %s", why)
				}
			})
		}
	})
	caught, cheats, fair, pairs := 0, 0, 0, 0
	for _, cheat := range s.cheats {
		o, compared := outcomes[cheat.name]
		if !compared {
			continue
		}
		cheats++
		if kind, compared := outcomes["kind "+cheat.kind]; o.figured {
			t.Logf("missed: %s: %s", cheat.name, o.why)
		} else if !compared {
			t.Logf("no verdict: %s: the honest servers were not compared", cheat.name)
		} else if !kind.figured {
			t.Logf("no verdict: %s: the honest servers have no figure: %s", cheat.name, kind.why)
		} else {
			caught++
		}
	}
	for _, pair := range s.pairs {
		o, compared := outcomes["pair "+pair.name]
		if compared {
			pairs++
		}
		if o.figured {
			fair++
		} else if compared {
			t.Logf("honest, without a figure: %s: %s", pair.name, o.why)
		}
	}
	if t.Logf("caught %d of %d", caught, cheats); s.strict && caught < cheats {
		t.Errorf("caught %d of %d", caught, cheats)
	}
	if pairs > 0 {
		t.Logf("honest with figures %d of %d", fair, pairs)
	}
}
