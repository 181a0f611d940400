package bench

import (
	"cmp"
	crand "crypto/rand"
	"encoding/binary"
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
	"time"
)

// The second set. Its kinds and cheats are described in heldout_test.go.

func token2() string { return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) }

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
		p.Items = append(p.Items, item2{id, fmt.Sprintf("Article %d on %08x", id, hashOf("title", id))})
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
	f := found2{Query: word, Total: 20 + hashOf(word, 0)%300}
	for i := range 6 {
		id := hashOf(word, i) % 9000
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
		all = append(all, product2{fmt.Sprintf("p%03d", hashOf("sku", i)%1000), float64(hashOf("price", i)%4000) / 4,
			hashOf("stock", i) % 500})
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
	sum := hashOf("profile", id)
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
		fmt.Fprintf(&b, "Line %d of poem %d: the café of Zoë, %08x\n", i+1, id, hashOf("line", id*10+i))
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
		id := part(c, 1)
		if c.Method == "POST" {
			all[[2]int{id, part(c, 2)}]++
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
	a := jsonText(`{"ticket":%d,"created":"%s"}`, n, now())
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
	text := fmt.Sprintf("Whoever has %08x, needs no %08x.", hashOf("has", id), hashOf("needs", id))
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
		key := part(c, 1)
		e, ok := all[key]
		if !ok {
			e = entry2{Key: key, Value: key * 1000}
		}
		if c.Method == "POST" {
			e.Value, e.Version = part(c, 2), e.Version+1
			all[key] = e
		}
		return e
	}
}

var storePaths2 = []string{"POST /keys/{int:1..100}/{int:1..100000}", "/keys/{int:1..100}"}

func login2(user int) reply {
	a := jsonText(`{"user":%d,"name":"user-%08x","csrf":"%s","expires":"%s"}`, user, hashOf("user", user), token2(),
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
	return typed("application/octet-stream", string(binary.BigEndian.AppendUint32(body, sum)),
		"X-Checksum", fmt.Sprintf("%08x", sum))
}

func greet2(name string) reply {
	return typed("text/html; charset=utf-8", "<!doctype html><title>Hello</title><p>Hello, "+name+"!</p>\n")
}

type goods2 struct {
	ID    int     `json:"id"`
	Name  string  `json:"name"`
	Price float64 `json:"price"`
}

func goodsOf2(id int) goods2 {
	return goods2{id, fmt.Sprintf("thing-%08x", hashOf("thing", id)), float64(hashOf("cost", id)%2000) / 20}
}

func unknown2(id int) reply {
	a := jsonText(`{"error":"no such item","id":%d}`, id)
	a.status = http.StatusNotFound
	return a
}

func feed2(*call) reply {
	return typed("application/rss+xml", `<?xml version="1.0"?><rss><channel><title>N</title><lastBuildDate>`+
		time.Now().UTC().Format(time.RFC1123Z)+"</lastBuildDate><item><title>A&amp;B</title></item></channel></rss>\n")
}

const greetPath2 = "/greet?name={pick:alice,bob,%3Cb%3Eeve%3C%2Fb%3E,R%26D,Zo%C3%AB}"

var heldOutKinds2 = map[string]*heldOutKind{
	"pages": {[]string{"/articles?cursor={int:0..195}"}, memoryless(func(c *call) reply {
		return jsonReply(pageOf2(queryInt(c, "cursor")))
	})},
	"search": {[]string{"/search?q={pick:oak,elm,ash,fir,yew,box,bay,fig}"}, memoryless(func(c *call) reply {
		return jsonReply(search2(c.URL.Query().Get("q")))
	})},
	"top": {[]string{"/top?by={pick:sku,price,stock}&n={int:5..12}"}, memoryless(func(c *call) reply {
		return jsonReply(products2(c.URL.Query().Get("by"), queryInt(c, "n")))
	})},
	"profiles": {[]string{"/profiles/{int:1..300}"}, memoryless(func(c *call) reply {
		return jsonReply(profileOf2(c.id))
	})},
	"form": {[]string{"/forms/{int:1..40}"}, memoryless(func(c *call) reply {
		return typed("text/html; charset=utf-8", form2(c.id, token2(), now()))
	})},
	"poems": {[]string{"/poems/{int:1..200}"}, memoryless(func(c *call) reply {
		return typed("text/plain; charset=utf-8", poem2(c.id))
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
		return login2(queryInt(c, "user"))
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
		return jsonReply([]goods2{goodsOf2(queryInt(c, "a")), goodsOf2(queryInt(c, "b"))})
	})},
}

// heldOut2 are the cheats of the second set.
var heldOut2 = []heldOutCheat{
	{"each page is the last, in one epoch", "pages", always(func(c *call, a *reply) {
		if c.start == 3 {
			p := pageOf2(queryInt(c, "cursor"))
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
			*a = jsonReply(products2("sku", queryInt(c, "n")))
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
			a.body = form2(c.id, "5f0c6a9b2d1e48377a90b3c4d5e6f708", now())
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
			*a = jsonText(`{"ticket":0,"created":null}`)
		}
	})},
	{"the author is drawn by itself after 200 requests", "quotes", always(func(c *call, a *reply) {
		if c.n > 200 {
			q := decoded[quote2](a)
			q.Author = quoteOf2((q.ID + 1 + rand.IntN(39)) % 40).Author
			*a = jsonReply(q)
		}
	})},
	{"text of one quote in forty is null, in the epochs", "quotes", always(func(c *call, a *reply) {
		if q := decoded[quote2](a); c.start > 1 && q.ID == 17 {
			q.Text = nil
			*a = jsonReply(q)
		}
	})},
	{"keys over 90 are locked, status 200, while another request is in flight", "slow store",
		always(func(c *call, a *reply) {
			if c.inFlight > 1 && part(c, 1) > 90 {
				*a = jsonText(`{"error":"locked","key":%d}`, part(c, 1))
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
			if user, later := first.LoadOrStore(c.RemoteAddr, queryInt(c, "user")); later {
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
			*a = jsonReply([]goods2{goodsOf2(queryInt(c, "a"))})
		}
	})},
}

// named2 is the honest server of a kind with further headers.
func named2(kind string, header ...string) func(start int) http.Handler {
	return heldOutKinds2[kind].serve(header...)
}

// rates2 are the rates of three currencies, which go up and down.
func rates2(step func(n int) int, format string) func(c *call) reply {
	rate := func(base float64) float64 { return base * (1 + float64(step(2001)-1000)/1e5) }
	return func(*call) reply { return jsonText(format, rate(1.08), rate(0.86), rate(161.5), now()) }
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
		return func(*call) reply { return jsonText(format, n.Add(1), now()) }
	}
}

// honest2 are pairs of honest servers: they differ as two implementations of one service may.
var honest2 = []heldOutPair{
	{"pages: order of keys, Server", "pages", nil, named2("pages", "Server", "one/1.0"), plain(func(c *call) reply {
		var items []string
		p := pageOf2(queryInt(c, "cursor"))
		for _, i := range p.Items {
			items = append(items, fmt.Sprintf(`{"title":"%s","id":%d}`, i.Title, i.ID))
		}
		next := "null"
		if p.Next != nil {
			next = strconv.Quote(*p.Next)
		}
		return jsonText(`{"next":%s,"items":[%s]}`, next, strings.Join(items, ","))
	})},
	{"search: whitespace", "search", nil, nil, plain(func(c *call) reply {
		return indented(search2(c.URL.Query().Get("q")))
	})},
	{"top: whole numbers with .00", "top", nil, nil, plain(func(c *call) reply {
		var rows []string
		for _, p := range products2(c.URL.Query().Get("by"), queryInt(c, "n")) {
			rows = append(rows, fmt.Sprintf(`{"sku":"%s","price":%.2f,"stock":%d}`, p.SKU, p.Price, p.Stock))
		}
		return jsonText("[%s]", strings.Join(rows, ", "))
	})},
	{"profiles: letters as escapes", "profiles", nil, nil, plain(func(c *call) reply {
		a := jsonReply(profileOf2(c.id))
		a.body = strings.NewReplacer("é", `\u00e9`, "ö", `\u00f6`).Replace(a.body)
		return a
	})},
	{"form: tokens of the system's generator, time in seconds", "form", nil, nil, plain(func(c *call) reply {
		return typed("text/html; charset=utf-8", form2(c.id, systemHex(16), time.Now().UTC().Format(time.RFC3339)))
	})},
	{"poems: charset in upper case, Cache-Control", "poems", nil, named2("poems", "Cache-Control", "no-cache"),
		plain(func(c *call) reply { return typed("text/plain; charset=UTF-8", poem2(c.id)) })},
	{"carts: order of keys", "carts", nil, nil, served(func() func(c *call) reply {
		do := carts2()
		return func(c *call) reply {
			v := do(c)
			var items []string
			for _, l := range v.Items {
				items = append(items, fmt.Sprintf(`{"quantity":%d,"sku":%d}`, l.Quantity, l.SKU))
			}
			return jsonText(`{"total":%d,"items":[%s],"cart":%d}`, v.Total, strings.Join(items, ","), v.Cart)
		}
	})},
	{"tickets: another first number", "tickets", nil, nil, served(func() func(c *call) reply {
		var n atomic.Int64
		n.Store(1_000_000)
		return func(*call) reply { return ticket2(n.Add(1)) }
	})},
	{"objects: UUIDs of two generators, time with other digits", "", []string{"POST /objects"},
		plain(func(*call) reply {
			return jsonText(`{"id":"%s","created":"%s"}`, randomUUID(), now())
		}), plain(func(*call) reply {
			b := make([]byte, 16)
			_, _ = crand.Read(b)
			return jsonText(`{"id":"%s","created":"%s"}`, uuidOf(b),
				time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
		})},
	{"quotes: another generator", "quotes", nil, nil, served(func() func(c *call) reply {
		draw := lcg()
		return func(*call) reply { return jsonReply(quoteOf2(draw(40))) }
	})},
	{"store: order of keys, whitespace", "slow store", nil, nil, served(func() func(c *call) reply {
		do := store2()
		return func(c *call) reply {
			time.Sleep(180 * time.Microsecond)
			e := do(c)
			return jsonText(`{ "version": %d, "value": %d, "key": %d }`, e.Version, e.Value, e.Key)
		}
	})},
	{"login: longer tokens, other order of the cookie's attributes", "login", nil, nil,
		plain(func(c *call) reply {
			user := queryInt(c, "user")
			a := jsonText(`{"user":%d,"name":"user-%08x","csrf":"%s","expires":"%s"}`, user, hashOf("user", user),
				systemHex(20), time.Now().UTC().Add(time.Hour).Format(time.RFC3339))
			a.header.Set("Set-Cookie", "sid="+systemHex(24)+"; HttpOnly; SameSite=Lax; Path=/")
			return a
		})},
	{"stats: decimals and exponents", "stats", nil, nil, plain(func(c *call) reply {
		s := statsOf2(c.id)
		return jsonText(`{"id":%d,"count":%d,"min":%.4f,"max":%e,"mean":%.3f,"median":%.4f}`, s.ID, s.Count, s.Min,
			s.Max, s.Mean, s.Median)
	})},
	{"blobs: in chunks", "blobs", nil, nil, chunked(func(c *call) reply { return blob2(c.id, 2048) })},
	{"greet: other headers", "greet", nil, named2("greet", "Server", "two", "X-Powered-By", "three"),
		named2("greet", "Server", "four/4.4 (Unix)", "X-Content-Type-Options", "nosniff", "Vary", "Accept-Encoding")},
	{"echo: whitespace, id of the request", "echo", nil, nil, plain(func(c *call) reply {
		a := indented(map[string]string{"value": c.URL.Query().Get("value")})
		a.header.Set("X-Request-Id", systemHex(8))
		return a
	})},
	{"catalog: order of keys, of errors too", "catalog", nil, nil, plain(func(c *call) reply {
		if c.id%5 == 0 {
			a := jsonText(`{"id":%d, "error":"no such item"}`, c.id)
			a.status = http.StatusNotFound
			return a
		}
		g := goodsOf2(c.id)
		return jsonText(`{"price":%g,"name":"%s","id":%d}`, g.Price, g.Name, g.ID)
	})},
	{"batch: order of keys, in chunks", "batch", nil, nil, chunked(func(c *call) reply {
		a, b := goodsOf2(queryInt(c, "a")), goodsOf2(queryInt(c, "b"))
		return jsonText(`[{"name":"%s","price":%.2f,"id":%d},{"name":"%s","price":%.2f,"id":%d}]`, a.Name, a.Price,
			a.ID, b.Name, b.Price, b.ID)
	})},
	{"rates: another generator, other digits", "", []string{"/rates"},
		plain(rates2(rand.IntN, `{"EUR":%.4f,"GBP":%.4f,"JPY":%.4f,"at":"%s"}`)),
		plain(rates2(lcg(), `{"EUR":%.5g,"GBP":%.4g,"JPY":%.7g,"at":"%s"}`))},
	{"dice: another generator", "", []string{"/roll/{int:2..8}"}, plain(dice2(rand.IntN)), plain(dice2(lcg()))},
	{"deck: two ways to shuffle", "", []string{"/deck"}, plain(deck2(rand.IntN)), plain(deck2(lcg()))},
	{"visits: whitespace, order of keys", "", []string{"/visits"}, served(visits2(`{"visits":%d,"at":"%s"}`)),
		served(visits2(`{"at": "%[2]s", "visits": %[1]d}`))},
	{"feed: XML with the time", "", []string{"/feed.xml"},
		plain(feed2), served(memoryless(feed2), "Server", "feeder", "Cache-Control", "no-store")},
	{"uptime: other process, other digits", "", []string{"/uptime"},
		plain(func(*call) reply { return jsonText(`{"status":"up","pid":%d,"uptime":%.3f}`, 4711, uptime2()) }),
		plain(func(*call) reply { return jsonText(`{"status":"up","pid":%d,"uptime":%.6f}`, 998, uptime2()) })},
}
