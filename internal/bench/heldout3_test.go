package bench

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The third set. Its kinds and cheats are described in heldout_test.go.

// Weather stations, with the forecast of a day.

type hour3 struct {
	Hour int     `json:"hour"`
	Temp float64 `json:"temp"`
	Rain float64 `json:"rain"`
}

type weather3 struct {
	Station int     `json:"station"`
	Place   string  `json:"place"`
	Temp    float64 `json:"temp"`
	Hourly  []hour3 `json:"hourly"`
}

func weatherOf3(id int) weather3 {
	w := weather3{id, fmt.Sprintf("Station %x", hashOf("place", id)), float64(hashOf("t", id)%160)/4 - 8, nil}
	for h := range 8 {
		k := id*24 + h
		temp, rain := w.Temp+float64(hashOf("dt", k)%24)/4-3, float64(hashOf("rain", k)%90)/10
		w.Hourly = append(w.Hourly, hour3{h * 3, temp, rain})
	}
	return w
}

// Threads of comments, three levels deep.

type comment3 struct {
	ID      int        `json:"id"`
	Author  string     `json:"author"`
	Text    string     `json:"text"`
	Replies []comment3 `json:"replies"`
}

// threadOf3 is a comment with replies down to this depth.
func threadOf3(id, depth int) comment3 {
	author := []string{"ann", "ben", "cleo", "dov"}[hashOf("by", id)%4]
	c := comment3{id, author, fmt.Sprintf("I say %08x.", hashOf("say", id)), []comment3{}}
	if depth > 0 {
		for i := range 2 {
			c.Replies = append(c.Replies, threadOf3(id*10+i+1, depth-1))
		}
	}
	return c
}

// Pages of a blog, in HTML.
func blogOf3(id int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html>
<html><head><title>Blog, page %d</title></head><body>
<h1>Page %[1]d</h1>
<table>
`, id)
	for i := range 8 {
		post := id*8 + i
		fmt.Fprintf(&b, "<tr><td><a href=\"/posts/%d\">Of %08x</a></td><td>%d comments</td></tr>\n", post,
			hashOf("post", post), hashOf("comments", post)%90)
	}
	fmt.Fprintf(&b, "</table>\n<a href=\"/blog/%d\">Older posts</a>\n</body></html>\n", id+1)
	return b.String()
}

// The lines of an export.
func exportOf3(id int) []string {
	lines := []string{"day,account,amount\n"}
	for i := range 6 + id%5 {
		k := id*20 + i
		lines = append(lines, fmt.Sprintf("2024-03-%02d,A%05d,%d.%02d\n", i+1, hashOf("acc", k)%100000,
			hashOf("amt", k)%900, hashOf("cent", k)%100))
	}
	return lines
}

func export3(lines []string) reply { return typed("text/csv; charset=utf-8", strings.Join(lines, "")) }

type object3 struct {
	ID      string `json:"id"`
	Created string `json:"created"`
}

// Accounts: POST /accounts/ID/AMOUNT pays in, GET /accounts/ID shows the balance.

type account3 struct {
	Account  int `json:"account"`
	Balance  int `json:"balance"`
	Deposits int `json:"deposits"`
}

func opened3(id int) account3 { return account3{Account: id, Balance: id * 100} }

var accountPaths3 = []string{"POST /accounts/{int:1..40}/{int:1..500}", "/accounts/{int:1..40}"}

// accounts3 answers a call; what is paid in stays in the account only if kept.
func accounts3() func(c *call, kept bool) reply {
	var mu sync.Mutex
	all := map[int]account3{}
	return func(c *call, kept bool) reply {
		mu.Lock()
		defer mu.Unlock()
		id, amount := part(c, 1), part(c, 2)
		v, ok := all[id]
		if !ok {
			v = opened3(id)
		}
		if c.Method == "POST" {
			v.Balance, v.Deposits = v.Balance+amount, v.Deposits+1
			if kept {
				all[id] = v
			}
		}
		return jsonReply(v)
	}
}

// assets3 are the headers of a file.
func assets3(id int) reply {
	return reply{header: http.Header{
		"Content-Type":   {"text/css; charset=utf-8"},
		"Content-Length": {strconv.Itoa(2000 + hashOf("length", id)%3000)},
		"Etag":           {fmt.Sprintf(`"%08x"`, hashOf("tag", id))},
		"Last-Modified": {time.Unix(1700000000+int64(hashOf("modified", id)%10000000), 0).UTC().
			Format(http.TimeFormat)},
	}}
}

// A dictionary.

var dictionary3 = map[string]map[string]string{
	"house": {"de": "Haus", "fr": "maison", "es": "casa", "it": "casa"},
	"tree":  {"de": "Baum", "fr": "arbre", "es": "árbol", "it": "albero"},
	"bread": {"de": "Brot", "fr": "pain", "es": "pan", "it": "pane"},
	"water": {"de": "Wasser", "fr": "eau", "es": "agua", "it": "acqua"},
	"night": {"de": "Nacht", "fr": "nuit", "es": "noche", "it": "notte"},
}

func translate3(word, to string) reply {
	return jsonReply(map[string]string{"word": word, "to": to, "translation": dictionary3[word][to]})
}

// settings3 is the same in each answer.
func settings3() reply {
	return jsonReply(map[string]any{
		"theme": "dark", "pageSize": 25, "locales": []string{"en", "de", "fr"}, "beta": true,
		"limits": map[string]int{"upload": 10485760, "requests": 600}, "support": "help@example.org", "notice": nil,
	})
}

// fortunes3 is a page of rows, sorted, with one that is added as the request is answered.
func fortunes3(added bool) reply {
	rows := []string{
		"A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1",
		"A computer program does what you tell it to do, not what you want it to do.",
		"After enough decimal places, nobody gives a damn.",
		"Computers make very fast, very accurate mistakes.",
		"Feature: A bug with seniority.",
		"<script>alert(\"This should not be displayed in a browser alert box.\");</script>",
		"フレームワークのベンチマーク",
	}
	if added {
		rows = append(rows, "Additional fortune added at request time.")
	}
	slices.Sort(rows)
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>message</th></tr>")
	for _, row := range rows {
		b.WriteString("<tr><td>" + html.EscapeString(row) + "</td></tr>")
	}
	b.WriteString("</table></body></html>")
	return typed("text/html; charset=utf-8", b.String())
}

// journal3 is what a unit has logged, under the time of the answer.
func journal3(id int, now string) reply {
	var b strings.Builder
	fmt.Fprintf(&b, "Unit %d, read at %s\n", id, now)
	for i := range 3 + id%4 {
		fmt.Fprintf(&b, "%s worker %d: job %06x done\n", []string{"INFO", "WARN"}[hashOf("level", id+i)%2], i,
			hashOf("job", id*9+i)&0xffffff)
	}
	return typed("text/plain; charset=utf-8", b.String())
}

// draw3 are n numbers of 49, sorted.
func draw3(n int, twice bool) reply {
	numbers := []int{}
	for len(numbers) < min(n, 49) {
		if k := rand.IntN(49) + 1; twice || !slices.Contains(numbers, k) {
			numbers = append(numbers, k)
		}
	}
	slices.Sort(numbers)
	return jsonReply(map[string]any{"of": 49, "numbers": numbers})
}

func suggest3(word string, limit int) reply {
	all := []string{}
	ends := strings.Split(",s, tree,wood, leaf, near me,en, seed, oil, price, house, bark", ",")
	for i := range min(limit, len(ends)) {
		all = append(all, word+ends[(i+hashOf(word, 0))%len(ends)])
	}
	return jsonReply(all)
}

// Places, somewhere on Earth.

type place3 struct {
	ID   int     `json:"id"`
	Name string  `json:"name"`
	Lat  float64 `json:"lat"`
	Lon  float64 `json:"lon"`
	Tags []int   `json:"tags"`
}

func placeOf3(id int) place3 {
	return place3{id, fmt.Sprintf("Mount %08x", hashOf("mount", id)), float64(hashOf("lat", id)%1700000-850000) / 1e4,
		float64(hashOf("lon", id)%3600000-1800000) / 1e4, []int{hashOf("tag", id) % 50, hashOf("tag", -id) % 50}}
}

// shipping3 is what a parcel costs.
func shipping3(weight, zone int) reply {
	cents := 390 + 115*zone + weight*(45+10*zone)
	return jsonReply(map[string]any{"zone": zone, "currency": "EUR", "cents": cents, "days": zone/2 + 1})
}

var heldOutKinds3 = map[string]*heldOutKind{
	"weather": {[]string{"/weather/{int:1..60}"}, memoryless(func(c *call) reply {
		return jsonReply(weatherOf3(c.id))
	})},
	"threads": {[]string{"/threads/{int:1..120}"}, memoryless(func(c *call) reply {
		return jsonReply(threadOf3(c.id, 2))
	})},
	"blog": {[]string{"/blog/{int:1..80}"}, memoryless(func(c *call) reply {
		return typed("text/html; charset=utf-8", blogOf3(c.id))
	})},
	"export": {[]string{"/export/{int:1..150}"}, memoryless(func(c *call) reply { return export3(exportOf3(c.id)) })},
	"objects": {[]string{"POST /objects"}, memoryless(func(*call) reply {
		return jsonReply(object3{randomUUID(), now()})
	})},
	"accounts": {accountPaths3, func() func(c *call) reply {
		do := accounts3()
		return func(c *call) reply { return do(c, true) }
	}},
	"assets": {[]string{"HEAD /assets/{int:1..100}"}, memoryless(func(c *call) reply { return assets3(c.id) })},
	"dictionary": {[]string{"/translate?word={pick:house,tree,bread,water,night}&to={pick:de,fr,es,it}"},
		memoryless(func(c *call) reply { return translate3(c.URL.Query().Get("word"), c.URL.Query().Get("to")) })},
	"settings": {[]string{"/settings"}, memoryless(func(*call) reply { return settings3() })},
	"fortunes": {[]string{"/fortunes"}, memoryless(func(*call) reply { return fortunes3(true) })},
	"journal":  {[]string{"/journal/{int:1..40}"}, memoryless(func(c *call) reply { return journal3(c.id, now()) })},
	"lottery":  {[]string{"/draw/{int:5..8}"}, memoryless(func(c *call) reply { return draw3(c.id, false) })},
	"suggest": {[]string{"/suggest?q={pick:oak,elm,ash,fir,yew,box,bay,fig}&limit={int:3..9}"},
		memoryless(func(c *call) reply { return suggest3(c.URL.Query().Get("q"), queryInt(c, "limit")) })},
	"places": {[]string{"/places/{int:1..300}"}, memoryless(func(c *call) reply { return jsonReply(placeOf3(c.id)) })},
	"slow shipping": {[]string{"POST /shipping?weight={int:1..50}&zone={int:1..6}"}, memoryless(func(c *call) reply {
		time.Sleep(200 * time.Microsecond)
		return shipping3(queryInt(c, "weight"), queryInt(c, "zone"))
	})},
}

// heldOut3 are the cheats of the third set.
var heldOut3 = []heldOutCheat{
	{"no forecast after 300 requests", "weather", always(func(c *call, a *reply) {
		if c.n > 300 {
			w := weatherOf3(c.id)
			w.Hourly = []hour3{}
			*a = jsonReply(w)
		}
	})},
	{"no replies to replies after 200 requests", "threads", always(func(c *call, a *reply) {
		if c.n > 200 {
			*a = jsonReply(threadOf3(c.id, 1))
		}
	})},
	{"each 250th is an error with status 200", "threads", always(func(c *call, a *reply) {
		if c.n%250 == 0 {
			*a = jsonReply(map[string]string{"error": "database is locked"})
		}
	})},
	{"one page in twenty is the page before it", "blog", always(func(c *call, a *reply) {
		if rand.IntN(20) == 0 {
			a.body = blogOf3(c.id - 1)
		}
	})},
	{"page ends within the table for ids over 76, in the epochs", "blog", always(func(c *call, a *reply) {
		if c.start > 1 && c.id > 76 {
			a.body = a.body[:len(a.body)*2/3]
		}
	})},
	{"each 400th has the head line alone", "export", always(func(c *call, a *reply) {
		if c.n%400 == 0 {
			*a = export3(exportOf3(c.id)[:1])
		}
	})},
	{"the last line is missing, in one epoch", "export", always(func(c *call, a *reply) {
		if c.start == 3 {
			lines := exportOf3(c.id)
			*a = export3(lines[:len(lines)-1])
		}
	})},
	{"ids are of a pool of 32, in the epochs", "objects", func() func(c *call, a *reply) {
		var pool [32]string
		for i := range pool {
			pool[i] = randomUUID()
		}
		return func(c *call, a *reply) {
			if c.start > 1 {
				*a = jsonReply(object3{pool[c.n%32], now()})
			}
		}
	}},
	{"one deposit in ten is confirmed, and lost", "accounts", func() func(c *call, a *reply) {
		do := accounts3()
		return func(c *call, a *reply) { *a = do(c, rand.IntN(10) > 0) }
	}},
	{"reads show the account as it was opened, after 200 requests", "accounts", always(func(c *call, a *reply) {
		if c.n > 200 && c.Method != "POST" {
			*a = jsonReply(opened3(c.id))
		}
	})},
	{"one ETag for all after 200 requests", "assets", always(func(c *call, a *reply) {
		if c.n > 200 {
			a.header.Set("ETag", assets3(1).header.Get("ETag"))
		}
	})},
	{"always German after 150 requests", "dictionary", always(func(c *call, a *reply) {
		if c.n > 150 {
			*a = translate3(c.URL.Query().Get("word"), "de")
		}
	})},
	{"each 300th is empty", "settings", always(func(c *call, a *reply) {
		if c.n%300 == 0 {
			a.body = ""
		}
	})},
	{"the row of the request is missing, in the epochs", "fortunes", always(func(c *call, a *reply) {
		if c.start > 1 {
			*a = fortunes3(false)
		}
	})},
	{"the time is the time of the 200th answer from then on", "journal", func() func(c *call, a *reply) {
		still := sync.OnceValue(now)
		return func(c *call, a *reply) {
			if c.n >= 200 {
				*a = journal3(c.id, still())
			}
		}
	}},
	{"one draw of each size after 250 requests", "lottery", func() func(c *call, a *reply) {
		var cache sync.Map
		return func(c *call, a *reply) {
			if c.n > 250 {
				first, _ := cache.LoadOrStore(c.id, a.body)
				a.body = first.(string)
			}
		}
	}},
	{"a number may be drawn twice, in the epochs", "lottery", always(func(c *call, a *reply) {
		if c.start > 1 {
			*a = draw3(c.id, true)
		}
	})},
	{"one less than the limit, for one word of eight, after 40 on a connection", "suggest",
		always(func(c *call, a *reply) {
			if word := c.URL.Query().Get("q"); c.onConn > 40 && word == "fir" {
				*a = suggest3(word, queryInt(c, "limit")-1)
			}
		})},
	{"null for each 50th id", "places", always(func(c *call, a *reply) {
		if c.id%50 == 21 {
			a.body = "null"
		}
	})},
	{"over 45 kg at the price of 1 kg, while another request is in flight", "slow shipping",
		always(func(c *call, a *reply) {
			if c.inFlight > 1 && queryInt(c, "weight") > 45 {
				*a = shipping3(1, queryInt(c, "zone"))
			}
		})},
}
