package bench

import (
	"cmp"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"html"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A second set of servers that were written without knowledge of how answers are compared, in the form of the
// first (heldout_test.go). Nor are these for tuning the comparison: one that is missed stays here as it is.

func sum2(text string, n int) uint32 { return crc32.ChecksumIEEE(fmt.Appendf(nil, "%s %d", text, n)) }

func now2() string { return time.Now().UTC().Format(time.RFC3339Nano) }

func token2() string { return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) }

// part2 is a segment of the path, counted from 0, as a number.
func part2(c *call, i int) int {
	parts := strings.Split(strings.TrimPrefix(c.URL.Path, "/"), "/")
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}

// query2 is a number in the query.
func query2(c *call, name string) int {
	n, _ := strconv.Atoi(c.URL.Query().Get(name))
	return n
}

// body2 is an answer of this media type; names are pairs of a further header and its value.
func body2(kind, body string, names ...string) reply {
	a := reply{body: body, header: http.Header{"Content-Type": {kind}}}
	for pair := range slices.Chunk(names, 2) {
		a.header.Set(pair[0], pair[1])
	}
	return a
}

// json2 is an answer whose JSON is spelled by hand.
func json2(format string, args ...any) reply {
	return body2("application/json", fmt.Sprintf(format, args...))
}

// decode2 reads back what jsonReply wrote.
func decode2[T any](a *reply) (v T) {
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		panic(err)
	}
	return v
}

// A list in pages of ten, with a cursor.

type item2 struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

type page2 struct {
	Items []item2 `json:"items"`
	Next  *string `json:"next"`
}

const articles2 = 200

func pageOf2(cursor int) (p page2) {
	p.Items = []item2{}
	for id := cursor + 1; id <= min(cursor+10, articles2); id++ {
		p.Items = append(p.Items, item2{id, fmt.Sprintf("Article %d on %08x", id, sum2("title", id))})
	}
	if cursor+10 < articles2 {
		next := strconv.Itoa(cursor + 10)
		p.Next = &next
	}
	return p
}

// A search, best hits first.

type hit2 struct {
	ID    int     `json:"id"`
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

type found2 struct {
	Query string `json:"query"`
	Total int    `json:"total"`
	Hits  []hit2 `json:"hits"`
}

func search2(word string) found2 {
	f := found2{Query: word, Total: 20 + int(sum2(word, 0)%300)}
	for i := range 6 {
		id := int(sum2(word, i) % 9000)
		f.Hits = append(f.Hits, hit2{id, fmt.Sprintf("%s no. %d", word, id), float64(99-7*i) / 4})
	}
	return f
}

// A list that is sorted as the request says.

type product2 struct {
	SKU   string  `json:"sku"`
	Price float64 `json:"price"`
	Stock int     `json:"stock"`
}

func products2(by string, n int) []product2 {
	var all []product2
	for i := range 40 {
		all = append(all, product2{fmt.Sprintf("p%03d", sum2("sku", i)%1000), float64(sum2("price", i)%4000) / 4,
			int(sum2("stock", i) % 500)})
	}
	slices.SortStableFunc(all, func(a, b product2) int {
		switch by {
		case "price":
			return cmp.Compare(a.Price, b.Price)
		case "stock":
			return b.Stock - a.Stock
		}
		return strings.Compare(a.SKU, b.SKU)
	})
	return all[:max(0, min(n, len(all)))]
}

// Profiles, whose address, and the zip code of it, not all have.

type address2 struct {
	Street string  `json:"street"`
	City   string  `json:"city"`
	Zip    *string `json:"zip,omitempty"`
}

type profile2 struct {
	ID      int       `json:"id"`
	Name    string    `json:"name"`
	Age     int       `json:"age"`
	Address *address2 `json:"address,omitempty"`
	Phones  []string  `json:"phones"`
	Manager *int      `json:"manager"`
}

func profileOf2(id int) profile2 {
	sum := sum2("profile", id)
	p := profile2{ID: id, Name: fmt.Sprintf("René %x", sum), Age: 18 + int(sum%60), Phones: []string{}}
	for i := range sum % 3 {
		p.Phones = append(p.Phones, fmt.Sprintf("+49-%d-%d", i+30, sum%100000))
	}
	if sum%5 != 0 {
		p.Address = &address2{Street: fmt.Sprintf("%d Main Street", sum%200+1), City: []string{"Ulm", "Köln"}[sum%2]}
		if sum%2 == 0 {
			zip := fmt.Sprintf("%05d", sum%100000)
			p.Address.Zip = &zip
		}
	}
	if sum%4 != 0 {
		manager := int(sum%300) + 1
		p.Manager = &manager
	}
	return p
}

// A page with a form, the token of the form, and the time.
func form2(id int, token, now string) string {
	return fmt.Sprintf(`<!doctype html>
<html><head><title>Order %d</title></head>
<body><h1>Order %[1]d</h1>
<form method="post" action="/orders/%[1]d">
<input type="hidden" name="csrf" value="%s">
<input name="amount" value="%d"><button>Send</button>
</form>
<footer>Rendered at %s</footer></body></html>
`, id, token, id%7+1, now)
}

func poem2(id int) string {
	var b strings.Builder
	for i := range 4 + id%4 {
		fmt.Fprintf(&b, "Line %d of poem %d: the café of Zoë, %08x\n", i+1, id, sum2("line", id*10+i))
	}
	return b.String()
}

// Shopping carts: POST /carts/ID/SKU puts one more into a cart, GET /carts/ID shows it.

type line2 struct {
	SKU      int `json:"sku"`
	Quantity int `json:"quantity"`
}

type cart2 struct {
	Cart  int     `json:"cart"`
	Items []line2 `json:"items"`
	Total int     `json:"total"`
}

func carts2() func(c *call) cart2 {
	var mu sync.Mutex
	all := map[[2]int]int{}
	return func(c *call) cart2 {
		mu.Lock()
		defer mu.Unlock()
		id := part2(c, 1)
		if c.Method == "POST" {
			all[[2]int{id, part2(c, 2)}]++
		}
		v := cart2{Cart: id, Items: []line2{}}
		for sku := range 10 {
			if quantity := all[[2]int{id, sku}]; quantity > 0 {
				v.Items, v.Total = append(v.Items, line2{sku, quantity}), v.Total+quantity
			}
		}
		return v
	}
}

var cartPaths2 = []string{"POST /carts/{int:1..30}/{int:1..9}", "/carts/{int:1..30}"}

func ticket2(n int64) reply {
	a := json2(`{"ticket":%d,"created":"%s"}`, n, now2())
	a.status = http.StatusCreated
	a.header.Set("Location", fmt.Sprintf("/tickets/%d", n))
	return a
}

// Quotes, of which one is drawn.

type quote2 struct {
	ID     int     `json:"id"`
	Text   *string `json:"text"`
	Author string  `json:"author"`
}

func quoteOf2(id int) quote2 {
	text := fmt.Sprintf("Whoever has %08x, needs no %08x.", sum2("has", id), sum2("needs", id))
	return quote2{id, &text, []string{"Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal"}[id%8] + " " +
		[]string{"Stone", "Wood", "Reed", "Moss", "Clay"}[id/8%5]}
}

// A store: POST /keys/KEY/VALUE writes, GET /keys/KEY reads.

type entry2 struct {
	Key     int `json:"key"`
	Value   int `json:"value"`
	Version int `json:"version"`
}

func store2() func(c *call) entry2 {
	var mu sync.Mutex
	all := map[int]entry2{}
	return func(c *call) entry2 {
		mu.Lock()
		defer mu.Unlock()
		key := part2(c, 1)
		e, ok := all[key]
		if !ok {
			e = entry2{Key: key, Value: key * 1000}
		}
		if c.Method == "POST" {
			e.Value, e.Version = part2(c, 2), e.Version+1
			all[key] = e
		}
		return e
	}
}

var storePaths2 = []string{"POST /keys/{int:1..100}/{int:1..100000}", "/keys/{int:1..100}"}

func login2(user int) reply {
	a := json2(`{"user":%d,"name":"user-%08x","csrf":"%s","expires":"%s"}`, user, sum2("user", user), token2(),
		time.Now().UTC().Add(time.Hour).Format(time.RFC3339Nano))
	a.header.Set("Set-Cookie", "sid="+token2()+"; Path=/; HttpOnly; SameSite=Lax")
	return a
}

// Figures of fifty values.

type stats2 struct {
	ID     int     `json:"id"`
	Count  int     `json:"count"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
}

func statsOf2(id int) stats2 {
	draw, values, total := rand.New(rand.NewPCG(uint64(id), 2)), []float64{}, 0.0
	for range 50 {
		v := float64(draw.IntN(40000)) / 4
		values, total = append(values, v), total+v
	}
	slices.Sort(values)
	return stats2{id, 50, values[0], values[49], math.Round(total*2) / 100, values[25]}
}

// blob2 is 2 KiB, and their checksum behind them. From zero on they are zeroes.
func blob2(id, zero int) reply {
	draw, body := rand.New(rand.NewPCG(uint64(id), 3)), make([]byte, 0, 2052)
	for len(body) < 2048 {
		body = binary.LittleEndian.AppendUint64(body, draw.Uint64())
	}
	clear(body[zero:])
	sum := crc32.ChecksumIEEE(body)
	return body2("application/octet-stream", string(binary.BigEndian.AppendUint32(body, sum)),
		"X-Checksum", fmt.Sprintf("%08x", sum))
}

func greet2(name string) reply {
	return body2("text/html; charset=utf-8", "<!doctype html><title>Hello</title><p>Hello, "+name+"!</p>\n")
}

type goods2 struct {
	ID    int     `json:"id"`
	Name  string  `json:"name"`
	Price float64 `json:"price"`
}

func goodsOf2(id int) goods2 {
	return goods2{id, fmt.Sprintf("thing-%08x", sum2("thing", id)), float64(sum2("cost", id)%2000) / 20}
}

func unknown2(id int) reply {
	a := json2(`{"error":"no such item","id":%d}`, id)
	a.status = http.StatusNotFound
	return a
}

func feed2(*call) reply {
	return body2("application/rss+xml", `<?xml version="1.0"?><rss><channel><title>N</title><lastBuildDate>`+
		time.Now().UTC().Format(time.RFC1123Z)+"</lastBuildDate><item><title>A&amp;B</title></item></channel></rss>\n")
}

const greetPath2 = "/greet?name={pick:alice,bob,%3Cb%3Eeve%3C%2Fb%3E,R%26D,Zo%C3%AB}"

var heldOutKinds2 = map[string]*heldOutKind{
	"pages": {[]string{"/articles?cursor={int:0..195}"}, memoryless(func(c *call) reply {
		return jsonReply(pageOf2(query2(c, "cursor")))
	})},
	"search": {[]string{"/search?q={pick:oak,elm,ash,fir,yew,box,bay,fig}"}, memoryless(func(c *call) reply {
		return jsonReply(search2(c.URL.Query().Get("q")))
	})},
	"top": {[]string{"/top?by={pick:sku,price,stock}&n={int:5..12}"}, memoryless(func(c *call) reply {
		return jsonReply(products2(c.URL.Query().Get("by"), query2(c, "n")))
	})},
	"profiles": {[]string{"/profiles/{int:1..300}"}, memoryless(func(c *call) reply {
		return jsonReply(profileOf2(c.id))
	})},
	"form": {[]string{"/forms/{int:1..40}"}, memoryless(func(c *call) reply {
		return body2("text/html; charset=utf-8", form2(c.id, token2(), now2()))
	})},
	"poems": {[]string{"/poems/{int:1..200}"}, memoryless(func(c *call) reply {
		return body2("text/plain; charset=utf-8", poem2(c.id))
	})},
	"carts": {cartPaths2, func() func(c *call) reply {
		do := carts2()
		return func(c *call) reply { return jsonReply(do(c)) }
	}},
	"tickets": {[]string{"POST /tickets"}, func() func(c *call) reply {
		var n atomic.Int64
		return func(*call) reply { return ticket2(n.Add(1)) }
	}},
	"quotes": {[]string{"/quote"}, memoryless(func(*call) reply { return jsonReply(quoteOf2(rand.IntN(40))) })},
	"slow store": {storePaths2, func() func(c *call) reply {
		do := store2()
		return func(c *call) reply {
			time.Sleep(200 * time.Microsecond)
			return jsonReply(do(c))
		}
	}},
	"login": {[]string{"POST /login?user={int:1..100}"}, memoryless(func(c *call) reply {
		return login2(query2(c, "user"))
	})},
	"stats": {[]string{"/stats/{int:1..100}"}, memoryless(func(c *call) reply { return jsonReply(statsOf2(c.id)) })},
	"blobs": {[]string{"/blobs/{int:1..64}"}, memoryless(func(c *call) reply { return blob2(c.id, 2048) })},
	"greet": {[]string{greetPath2}, memoryless(func(c *call) reply {
		return greet2(html.EscapeString(c.URL.Query().Get("name")))
	})},
	"echo": {[]string{"/echo?value={uuid}"}, memoryless(func(c *call) reply {
		return jsonReply(map[string]string{"value": c.URL.Query().Get("value")})
	})},
	"catalog": {[]string{"/items/{int:1..400}"}, memoryless(func(c *call) reply {
		if c.id%5 == 0 {
			return unknown2(c.id)
		}
		return jsonReply(goodsOf2(c.id))
	})},
	"batch": {[]string{"/batch?a={int:1..60}&b={int:1..60}"}, memoryless(func(c *call) reply {
		return jsonReply([]goods2{goodsOf2(query2(c, "a")), goodsOf2(query2(c, "b"))})
	})},
}

// heldOut2 are the cheats of the second set.
var heldOut2 = []struct {
	name, kind string
	defect     func() func(c *call, a *reply) // Called once per start
}{
	{"each page is the last, in one epoch", "pages", always(func(c *call, a *reply) {
		if c.start == 3 {
			p := pageOf2(query2(c, "cursor"))
			p.Next = nil
			*a = jsonReply(p)
		}
	})},
	{"total is the length of the page, for one word, after 100 requests", "search", always(func(c *call, a *reply) {
		if f := search2(c.URL.Query().Get("q")); c.n > 100 && f.Query == "yew" {
			f.Total = len(f.Hits)
			*a = jsonReply(f)
		}
	})},
	{"the order that is asked for is ignored after 500 requests", "top", always(func(c *call, a *reply) {
		if c.n > 500 {
			*a = jsonReply(products2("sku", query2(c, "n")))
		}
	})},
	{"no address for each 30th id, in the epochs", "profiles", always(func(c *call, a *reply) {
		if c.start > 1 && c.id%30 == 7 {
			p := profileOf2(c.id)
			p.Address = nil
			*a = jsonReply(p)
		}
	})},
	{"a number is a string in each 100th answer", "profiles", always(func(c *call, a *reply) {
		if p := profileOf2(c.id); c.n%100 == 0 {
			number := fmt.Sprintf(`"age":%d`, p.Age)
			a.body = strings.Replace(a.body, number, fmt.Sprintf(`"age":"%d"`, p.Age), 1)
		}
	})},
	{"address of the answer before, after 50 on a connection", "profiles", func() func(c *call, a *reply) {
		var before sync.Map // By connection
		return func(c *call, a *reply) {
			if id, ok := before.Swap(c.RemoteAddr, c.id); ok && c.onConn > 50 {
				p := profileOf2(c.id)
				p.Address = profileOf2(id.(int)).Address
				*a = jsonReply(p)
			}
		}
	}},
	{"one token for all forms after 250 requests", "form", always(func(c *call, a *reply) {
		if c.n > 250 {
			a.body = form2(c.id, "5f0c6a9b2d1e48377a90b3c4d5e6f708", now2())
		}
	})},
	{"a tenth of the pages are templates not filled in, in the last epoch", "form", always(func(c *call, a *reply) {
		if c.start > 3 && rand.IntN(10) == 0 {
			a.body = form2(c.id, "{{.Token}}", "{{.Now}}")
		}
	})},
	{"text ends after 64 bytes for ids over 192, in the epochs", "poems", always(func(c *call, a *reply) {
		if c.start > 1 && c.id > 192 {
			a.body = a.body[:64]
		}
	})},
	{"question marks for what is not ASCII, after 600 requests", "poems", always(func(c *call, a *reply) {
		if c.n > 600 {
			a.body = strings.Map(func(r rune) rune {
				if r > 127 {
					return '?'
				}
				return r
			}, a.body)
		}
	})},
	{"reads stand still after 100 writes", "carts", func() func(c *call, a *reply) {
		replica := carts2()
		var writes atomic.Int64
		return func(c *call, a *reply) {
			if c.Method != "POST" {
				*a = jsonReply(replica(c))
			} else if writes.Add(1) <= 100 {
				replica(c)
			}
		}
	}},
	{"each number is given to two, in the epochs", "tickets", func() func(c *call, a *reply) {
		var n atomic.Int64
		return func(c *call, a *reply) {
			if c.start > 1 {
				*a = ticket2((n.Add(1) + 1) / 2)
			}
		}
	}},
	{"each 80th is 200 without a location, and nothing is made", "tickets", always(func(c *call, a *reply) {
		if c.n%80 == 0 {
			*a = json2(`{"ticket":0,"created":null}`)
		}
	})},
	{"the author is drawn by itself after 200 requests", "quotes", always(func(c *call, a *reply) {
		if c.n > 200 {
			q := decode2[quote2](a)
			q.Author = quoteOf2((q.ID + 1 + rand.IntN(39)) % 40).Author
			*a = jsonReply(q)
		}
	})},
	{"text of one quote in forty is null, in the epochs", "quotes", always(func(c *call, a *reply) {
		if q := decode2[quote2](a); c.start > 1 && q.ID == 17 {
			q.Text = nil
			*a = jsonReply(q)
		}
	})},
	{"keys over 90 are locked, status 200, while another request is in flight", "slow store",
		always(func(c *call, a *reply) {
			if c.inFlight > 1 && part2(c, 1) > 90 {
				*a = json2(`{"error":"locked","key":%d}`, part2(c, 1))
			}
		})},
	{"no cookie after 300 requests", "login", always(func(c *call, a *reply) {
		if c.n > 300 {
			a.header.Del("Set-Cookie")
		}
	})},
	{"who logs in later on a connection is who was first", "login", func() func(c *call, a *reply) {
		var first sync.Map // By connection
		return func(c *call, a *reply) {
			if user, later := first.LoadOrStore(c.RemoteAddr, query2(c, "user")); later {
				*a = login2(user.(int))
			}
		}
	}},
	{"mean without decimals in one answer of twenty", "stats", always(func(c *call, a *reply) {
		if rand.IntN(20) == 0 {
			s := statsOf2(c.id)
			s.Mean = math.Trunc(s.Mean)
			*a = jsonReply(s)
		}
	})},
	{"second half is zeroes, checksum fits, for each 16th id after 350 requests", "blobs",
		always(func(c *call, a *reply) {
			if c.n > 350 && c.id%16 == 3 {
				*a = blob2(c.id, 1024)
			}
		})},
	{"names are not escaped after 100 requests", "greet", always(func(c *call, a *reply) {
		if c.n > 100 {
			*a = greet2(c.URL.Query().Get("name"))
		}
	})},
	{"each 100th echo is of the request before", "echo", func() func(c *call, a *reply) {
		var before atomic.Value
		return func(c *call, a *reply) {
			if body, ok := before.Swap(a.body).(string); ok && c.n%100 == 0 {
				a.body = body
			}
		}
	}},
	{"unknown items are made up, status 200, in the epochs", "catalog", always(func(c *call, a *reply) {
		if c.start > 1 && c.id%5 == 0 {
			*a = jsonReply(goods2{ID: c.id})
		}
	})},
	{"only the first of two, in one epoch", "batch", always(func(c *call, a *reply) {
		if c.start == 2 {
			*a = jsonReply([]goods2{goodsOf2(query2(c, "a"))})
		}
	})},
}

// start2 makes the handler of each start of an honest server. header are pairs of a name and a value.
func start2(fresh func() func(c *call) reply, header ...string) func(start int) http.Handler {
	return func(start int) http.Handler {
		inner := (&heldOutKind{fresh: fresh}).handler(start, nil, nil)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for pair := range slices.Chunk(header, 2) {
				w.Header().Set(pair[0], pair[1])
			}
			inner.ServeHTTP(w, r)
		})
	}
}

// kind2 is the honest server of a kind.
func kind2(kind string, header ...string) func(start int) http.Handler {
	return start2(func() func(c *call) reply { return heldOutKinds2[kind].fresh() }, header...)
}

// plain2 is an honest server without a state.
func plain2(f func(c *call) reply) func(start int) http.Handler { return start2(memoryless(f)) }

// chunked2 sends the same bodies in chunks.
func chunked2(f func(c *call) reply) func(start int) http.Handler {
	return func(int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := f(&call{Request: r, id: part2(&call{Request: r}, 1)})
			for name, values := range a.header {
				w.Header()[name] = values
			}
			half := len(a.body) / 2
			_, _ = w.Write([]byte(a.body[:half]))
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write([]byte(a.body[half:]))
		})
	}
}

// indented2 is the same JSON with whitespace and a last line feed.
func indented2(v any) reply {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return body2("application/json; charset=utf-8", string(body)+"\n")
}

// lcg2 is another generator, with a seed of its own for each start.
func lcg2() func(n int) int {
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

// system2 is n random bytes of the system, in hexadecimal.
func system2(n int) string {
	b := make([]byte, n)
	_, _ = crand.Read(b)
	return fmt.Sprintf("%x", b)
}

func uuid2(b []byte) string {
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// rates2 are the rates of three currencies, which go up and down.
func rates2(step func(n int) int, format string) func(c *call) reply {
	rate := func(base float64) float64 { return base * (1 + float64(step(2001)-1000)/1e5) }
	return func(*call) reply { return json2(format, rate(1.08), rate(0.86), rate(161.5), now2()) }
}

// dice2 rolls as many dice as the path says.
func dice2(roll func(n int) int) func(c *call) reply {
	return func(c *call) reply {
		rolls, sum := []int{}, 0
		for range min(c.id, 100) {
			n := roll(6) + 1
			rolls, sum = append(rolls, n), sum+n
		}
		return jsonReply(map[string]any{"rolls": rolls, "sum": sum})
	}
}

// deck2 shuffles ten cards.
func deck2(n func(n int) int) func(c *call) reply {
	return func(*call) reply {
		cards := []string{"A", "K", "Q", "J", "10", "9", "8", "7", "6", "5"}
		for i := len(cards) - 1; i > 0; i-- {
			j := n(i + 1)
			cards[i], cards[j] = cards[j], cards[i]
		}
		return jsonReply(map[string]any{"cards": cards})
	}
}

var begin2 = time.Now()

func uptime2() float64 { return time.Since(begin2).Seconds() }

func visits2(format string) func() func(c *call) reply {
	return func() func(c *call) reply {
		var n atomic.Int64
		return func(*call) reply { return json2(format, n.Add(1), now2()) }
	}
}

// honest2 are pairs of honest servers: they differ as two implementations of one service may.
var honest2 = []struct {
	name, kind string // The kind has the paths, unless paths has them
	paths      []string
	one, other func(start int) http.Handler
}{
	{"pages: order of keys, Server", "pages", nil, kind2("pages", "Server", "one/1.0"), plain2(func(c *call) reply {
		var items []string
		p := pageOf2(query2(c, "cursor"))
		for _, i := range p.Items {
			items = append(items, fmt.Sprintf(`{"title":"%s","id":%d}`, i.Title, i.ID))
		}
		next := "null"
		if p.Next != nil {
			next = strconv.Quote(*p.Next)
		}
		return json2(`{"next":%s,"items":[%s]}`, next, strings.Join(items, ","))
	})},
	{"search: whitespace", "search", nil, kind2("search"), plain2(func(c *call) reply {
		return indented2(search2(c.URL.Query().Get("q")))
	})},
	{"top: whole numbers with .00", "top", nil, kind2("top"), plain2(func(c *call) reply {
		var rows []string
		for _, p := range products2(c.URL.Query().Get("by"), query2(c, "n")) {
			rows = append(rows, fmt.Sprintf(`{"sku":"%s","price":%.2f,"stock":%d}`, p.SKU, p.Price, p.Stock))
		}
		return json2("[%s]", strings.Join(rows, ", "))
	})},
	{"profiles: letters as escapes", "profiles", nil, kind2("profiles"), plain2(func(c *call) reply {
		a := jsonReply(profileOf2(c.id))
		a.body = strings.NewReplacer("é", `\u00e9`, "ö", `\u00f6`).Replace(a.body)
		return a
	})},
	{"form: tokens of the system's generator, time in seconds", "form", nil, kind2("form"), plain2(func(c *call) reply {
		return body2("text/html; charset=utf-8", form2(c.id, system2(16), time.Now().UTC().Format(time.RFC3339)))
	})},
	{"poems: charset in upper case, Cache-Control", "poems", nil, kind2("poems", "Cache-Control", "no-cache"),
		plain2(func(c *call) reply { return body2("text/plain; charset=UTF-8", poem2(c.id)) })},
	{"carts: order of keys", "carts", nil, kind2("carts"), start2(func() func(c *call) reply {
		do := carts2()
		return func(c *call) reply {
			v := do(c)
			var items []string
			for _, l := range v.Items {
				items = append(items, fmt.Sprintf(`{"quantity":%d,"sku":%d}`, l.Quantity, l.SKU))
			}
			return json2(`{"total":%d,"items":[%s],"cart":%d}`, v.Total, strings.Join(items, ","), v.Cart)
		}
	})},
	{"tickets: another first number", "tickets", nil, kind2("tickets"), start2(func() func(c *call) reply {
		var n atomic.Int64
		n.Store(1_000_000)
		return func(*call) reply { return ticket2(n.Add(1)) }
	})},
	{"objects: UUIDs of two generators, time with other digits", "", []string{"POST /objects"},
		plain2(func(*call) reply {
			b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, rand.Uint64()), rand.Uint64())
			return json2(`{"id":"%s","created":"%s"}`, uuid2(b), now2())
		}), plain2(func(*call) reply {
			b := make([]byte, 16)
			_, _ = crand.Read(b)
			return json2(`{"id":"%s","created":"%s"}`, uuid2(b), time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
		})},
	{"quotes: another generator", "quotes", nil, kind2("quotes"), start2(func() func(c *call) reply {
		draw := lcg2()
		return func(*call) reply { return jsonReply(quoteOf2(draw(40))) }
	})},
	{"store: order of keys, whitespace", "slow store", nil, kind2("slow store"), start2(func() func(c *call) reply {
		do := store2()
		return func(c *call) reply {
			time.Sleep(180 * time.Microsecond)
			e := do(c)
			return json2(`{ "version": %d, "value": %d, "key": %d }`, e.Version, e.Value, e.Key)
		}
	})},
	{"login: longer tokens, other order of the cookie's attributes", "login", nil, kind2("login"),
		plain2(func(c *call) reply {
			user := query2(c, "user")
			a := json2(`{"user":%d,"name":"user-%08x","csrf":"%s","expires":"%s"}`, user, sum2("user", user),
				system2(20), time.Now().UTC().Add(time.Hour).Format(time.RFC3339))
			a.header.Set("Set-Cookie", "sid="+system2(24)+"; HttpOnly; SameSite=Lax; Path=/")
			return a
		})},
	{"stats: decimals and exponents", "stats", nil, kind2("stats"), plain2(func(c *call) reply {
		s := statsOf2(c.id)
		return json2(`{"id":%d,"count":%d,"min":%.4f,"max":%e,"mean":%.3f,"median":%.4f}`, s.ID, s.Count, s.Min, s.Max,
			s.Mean, s.Median)
	})},
	{"blobs: in chunks", "blobs", nil, kind2("blobs"), chunked2(func(c *call) reply { return blob2(c.id, 2048) })},
	{"greet: other headers", "greet", nil, kind2("greet", "Server", "two", "X-Powered-By", "three"),
		kind2("greet", "Server", "four/4.4 (Unix)", "X-Content-Type-Options", "nosniff", "Vary", "Accept-Encoding")},
	{"echo: whitespace, id of the request", "echo", nil, kind2("echo"), plain2(func(c *call) reply {
		a := indented2(map[string]string{"value": c.URL.Query().Get("value")})
		a.header.Set("X-Request-Id", system2(8))
		return a
	})},
	{"catalog: order of keys, of errors too", "catalog", nil, kind2("catalog"), plain2(func(c *call) reply {
		if c.id%5 == 0 {
			a := json2(`{"id":%d, "error":"no such item"}`, c.id)
			a.status = http.StatusNotFound
			return a
		}
		g := goodsOf2(c.id)
		return json2(`{"price":%g,"name":"%s","id":%d}`, g.Price, g.Name, g.ID)
	})},
	{"batch: order of keys, in chunks", "batch", nil, kind2("batch"), chunked2(func(c *call) reply {
		a, b := goodsOf2(query2(c, "a")), goodsOf2(query2(c, "b"))
		return json2(`[{"name":"%s","price":%.2f,"id":%d},{"name":"%s","price":%.2f,"id":%d}]`, a.Name, a.Price, a.ID,
			b.Name, b.Price, b.ID)
	})},
	{"rates: another generator, other digits", "", []string{"/rates"},
		plain2(rates2(rand.IntN, `{"EUR":%.4f,"GBP":%.4f,"JPY":%.4f,"at":"%s"}`)),
		plain2(rates2(lcg2(), `{"EUR":%.5g,"GBP":%.4g,"JPY":%.7g,"at":"%s"}`))},
	{"dice: another generator", "", []string{"/roll/{int:2..8}"}, plain2(dice2(rand.IntN)), plain2(dice2(lcg2()))},
	{"deck: two ways to shuffle", "", []string{"/deck"}, plain2(deck2(rand.IntN)), plain2(deck2(lcg2()))},
	{"visits: whitespace, order of keys", "", []string{"/visits"}, start2(visits2(`{"visits":%d,"at":"%s"}`)),
		start2(visits2(`{"at": "%[2]s", "visits": %[1]d}`))},
	{"feed: XML with the time", "", []string{"/feed.xml"},
		plain2(feed2), start2(memoryless(feed2), "Server", "feeder", "Cache-Control", "no-store")},
	{"uptime: other process, other digits", "", []string{"/uptime"},
		plain2(func(*call) reply { return json2(`{"status":"up","pid":%d,"uptime":%.3f}`, 4711, uptime2()) }),
		plain2(func(*call) reply { return json2(`{"status":"up","pid":%d,"uptime":%.6f}`, 998, uptime2()) })},
}

// TestHeldOut2 logs how many of the cheats of the second set have no figure, and of how many honest pairs both
// sides have one. A cheat counts as caught only if the honest servers of its kind, compared with each other, both
// have a figure.
func TestHeldOut2(t *testing.T) {
	if !inFull {
		t.Skip("DYNO_MUTANTS=all is not set")
	}
	var mu sync.Mutex
	unfair, missed, refused := map[string]string{}, map[string]string{}, map[string]string{} // By kind, cheat, pair
	both := func(t *testing.T, m mutant, i int, into map[string]string) {
		t.Parallel()
		run, err := m.compare(t, engineOf(i))
		for _, side := range []string{"honest", "other"} {
			why, ok := figured(run, err, side)
			if t.Logf("%s has a figure: %v; %s", side, ok, why); !ok {
				mu.Lock()
				into[m.name] = side + ": " + why
				mu.Unlock()
			}
		}
	}
	t.Run("all", func(t *testing.T) {
		n := 0
		for kind, k := range heldOutKinds2 {
			i := n
			n++
			t.Run("kind "+kind, func(t *testing.T) {
				both(t, mutant{name: kind, paths: k.paths, honest: kind2(kind), other: kind2(kind)}, i, unfair)
			})
		}
		for i, pair := range honest2 {
			t.Run("pair "+pair.name, func(t *testing.T) {
				paths := pair.paths
				if pair.kind != "" {
					paths = heldOutKinds2[pair.kind].paths
				}
				both(t, mutant{name: pair.name, paths: paths, honest: pair.one, other: pair.other}, i, refused)
			})
		}
		for i, cheat := range heldOut2 {
			t.Run(cheat.name, func(t *testing.T) {
				t.Parallel()
				k := heldOutKinds2[cheat.kind]
				wrong := new([5]atomic.Int64) // By start
				m := mutant{name: cheat.name, paths: k.paths, honest: kind2(cheat.kind),
					other: func(start int) http.Handler { return k.handler(start, cheat.defect(), wrong) }}
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
	caught, fair := 0, 0
	for _, cheat := range heldOut2 {
		if why, ok := missed[cheat.name]; ok {
			t.Logf("missed: %s: %s", cheat.name, why)
		} else if why, ok := unfair[cheat.kind]; ok {
			t.Logf("no verdict: %s: the honest servers have no figure: %s", cheat.name, why)
		} else {
			caught++
		}
	}
	for _, pair := range honest2 {
		if why, ok := refused[pair.name]; ok {
			t.Logf("honest, without a figure: %s: %s", pair.name, why)
		} else {
			fair++
		}
	}
	t.Logf("caught %d of %d", caught, len(heldOut2))
	t.Logf("honest with figures %d of %d", fair, len(honest2))
}
