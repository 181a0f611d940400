package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/scenario"
)

// The fourth set. Its kinds and cheats are described in heldout_test.go.

func oneIn(n int) bool { return rand.IntN(n) == 0 }

// Greetings in the language that the request accepts.

var greetings4 = map[string][2]string{
	"en": {"Good morning", "Your parcel no. %d is at the front door."},
	"de": {"Guten Morgen", "Ihr Päckchen Nr. %d liegt vor der Haustür."},
	"fr": {"Bonjour", "Votre colis n° %d est devant la porte."},
	"es": {"Buenos días", "Su paquete n.º %d está delante de la puerta."},
	"pl": {"Dzień dobry", "Twoja paczka nr %d leży przed drzwiami."},
}

type greeting4 struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

func greet4(id int, language string) reply {
	words := greetings4[language]
	a := jsonReply(greeting4{words[0], fmt.Sprintf(words[1], id)})
	a.header.Set("Content-Language", language)
	a.header.Set("Vary", "Accept-Language")
	return a
}

// Documents, which are not sent to a client that has the version of now.

func tagOf4(id int) string { return fmt.Sprintf(`"v%d"`, 1+hashOf("version", id)%4) }

func document4(id int, has string) reply {
	header := http.Header{"Etag": {tagOf4(id)}, "Cache-Control": {"no-cache"}}
	if has == tagOf4(id) {
		return reply{status: http.StatusNotModified, header: header}
	}
	header.Set("Content-Type", "text/markdown; charset=utf-8")
	var b strings.Builder
	fmt.Fprintf(&b, "# Document %d\n", id)
	for i := range 6 + id%5 {
		fmt.Fprintf(&b, "\n%d. Clause %08x holds for *both* parties.\n", i+1, hashOf("clause", id*20+i))
	}
	return reply{header: header, body: b.String()}
}

// Parts of files of 1,000 bytes.

func file4(id int) string {
	draw, body := rand.New(rand.NewPCG(uint64(id), 4)), make([]byte, 1000)
	for i := range body {
		body[i] = byte(draw.Uint32())
	}
	return string(body)
}

func range4(c *call) (first, last int) {
	_, _ = fmt.Sscanf(c.Header.Get("Range"), "bytes=%d-%d", &first, &last)
	last = min(last, 999)
	return min(first, last), last
}

func media4(id, first, last int) reply {
	a := typed("audio/mpeg", file4(id)[first:last+1], "Accept-Ranges", "bytes", "Content-Range",
		fmt.Sprintf("bytes %d-%d/1000", first, last))
	a.status = http.StatusPartialContent
	return a
}

// Orders from a form.

type order4 struct {
	Product  string  `json:"product"`
	Quantity int     `json:"quantity"`
	Gift     bool    `json:"gift"`
	Total    float64 `json:"total"`
	Currency string  `json:"currency"`
}

func order4Of(c *call) order4 {
	quantity, _ := strconv.Atoi(c.PostFormValue("quantity"))
	o := order4{c.PostFormValue("product"), quantity, c.PostFormValue("gift") == "yes", 0, "EUR"}
	o.Total = float64(quantity*map[string]int{"mug": 790, "cap": 1450, "pen": 225, "bag": 3600}[o.Product]) / 100
	if o.Gift {
		o.Total += 3.5
	}
	return o
}

// Short links.
func link4(to string) reply {
	to = "https://www.example.org/" + to
	a := typed("text/html; charset=utf-8", fmt.Sprintf("<a href=\"%s\">Found</a>.\n", to), "Location", to)
	a.status = http.StatusFound
	return a
}

// Amounts of money in another currency, rounded to cents.

type money4 struct {
	From   string  `json:"from"`
	To     string  `json:"to"`
	Amount int     `json:"amount"`
	Rate   float64 `json:"rate"`
	Result float64 `json:"result"`
}

// convert4 rounds half up, where half is 50, and down, where it is 0.
func convert4(c *call, half int) reply {
	q := c.URL.Query()
	m := money4{From: q.Get("from"), To: q.Get("to"), Amount: queryInt(c, "amount")}
	rate := 8000 + hashOf(m.From+m.To, 4)%120_000 // Times 10,000
	m.Rate, m.Result = float64(rate)/1e4, float64((m.Amount*rate+half)/100)/100
	return jsonReply(m)
}

// A leaderboard: POST /scores/PLAYER/POINTS adds points, GET /board shows the ten players that have the most.

type player4 struct {
	Rank   int `json:"rank,omitempty"`
	Player int `json:"player"`
	Points int `json:"points"`
}

type board4 struct {
	Players int       `json:"players"`
	Top     []player4 `json:"top"`
}

// leaderboard4 sorts the players by points, or only by name.
func leaderboard4(sorted bool) func(c *call) any {
	var mu sync.Mutex
	points := map[int]int{}
	return func(c *call) any {
		mu.Lock()
		defer mu.Unlock()
		if c.Method == "POST" {
			points[part(c, 1)] += part(c, 2)
			return player4{Player: part(c, 1), Points: points[part(c, 1)]}
		}
		all := []player4{}
		for player, n := range points {
			all = append(all, player4{Player: player, Points: n})
		}
		slices.SortFunc(all, func(a, b player4) int {
			if n := cmp.Compare(b.Points, a.Points); n != 0 && sorted {
				return n
			}
			return cmp.Compare(a.Player, b.Player)
		})
		b := board4{Players: len(all), Top: all[:min(10, len(all))]}
		for i := range b.Top {
			b.Top[i].Rank = i + 1
		}
		return b
	}
}

// Notes: PUT /notes/NOTE/NUMBER writes a note, DELETE /notes/NOTE deletes it, GET /notes/NOTE shows it.

type note4 struct {
	Note int     `json:"note"`
	Text *string `json:"text"`
}

// notes4 deletes a note only if deletes allows it.
func notes4(deletes func(c *call) bool) func(c *call) reply {
	var all sync.Map
	return func(c *call) reply {
		v := note4{Note: part(c, 1)}
		switch c.Method {
		case "PUT":
			text := fmt.Sprintf("Remember the %d of May.", part(c, 2))
			v.Text = &text
			all.Store(v.Note, v)
		case "DELETE":
			if deletes(c) {
				all.Delete(v.Note)
			}
		default:
			if kept, ok := all.Load(v.Note); ok {
				v = kept.(note4)
			}
		}
		return jsonReply(v)
	}
}

// A page for the user of a session.
func home4(c *call, known bool) reply {
	session, theme, name, rows := 0, "light", "guest", ""
	if cookie, err := c.Cookie("sid"); err == nil {
		session, _ = strconv.Atoi(cookie.Value)
	}
	if cookie, err := c.Cookie("theme"); err == nil {
		theme = cookie.Value
	}
	if known {
		name = fmt.Sprintf("user %08x", hashOf("session", session))
		for i := range 3 {
			rows += fmt.Sprintf("<li>Order %d</li>\n", hashOf("recent", session*3+i)%100_000)
		}
	}
	return typed("text/html; charset=utf-8", fmt.Sprintf("<!doctype html>\n<title>Home</title>\n<body class=\"%s\">\n"+
		"<h1>Welcome, %s</h1>\n<ul>\n%s</ul>\n</body>\n", html.EscapeString(theme), name, rows))
}

// A feed in Atom. Summaries have this many characters at most.
func feed4(id, limit int, now, indent string) reply {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="utf-8"?>%s<feed xmlns="http://www.w3.org/2005/Atom">`, indent)
	fmt.Fprintf(&b, "%s<title>Feed %d</title>%[1]s<id>urn:feed:%[2]d</id>", indent, id)
	fmt.Fprintf(&b, "%s<updated>%s</updated>", indent, now)
	for i := range 6 {
		k := id*6 + i
		summary := fmt.Sprintf("Reporters say that %08x follows %08x, with %d voices against it.", hashOf("new", k),
			hashOf("old", k), hashOf("against", k)%300)
		fmt.Fprintf(&b, "%s<entry><id>urn:entry:%d</id><title>Wind &amp; waves, day %[2]d</title>", indent, k)
		fmt.Fprintf(&b, "<summary>%s</summary></entry>", summary[:min(limit, len(summary))])
	}
	b.WriteString(indent + "</feed>\n")
	return typed("application/atom+xml", b.String())
}

// Readings of a sensor, a line of JSON each, in chunks, with a last line that counts them.
func stream4(id, percent int) reply {
	lines := []string{}
	for i := range 6 + id%8 {
		lines = append(lines, fmt.Sprintf(`{"seq":%d,"value":%d}`+"\n", i+1, hashOf("reading", id*20+i)%1000))
	}
	lines = append(lines, fmt.Sprintf(`{"end":true,"lines":%d}`+"\n", len(lines)))
	a := typed("application/x-ndjson", strings.Join(lines[:len(lines)*percent/100], ""))
	a.chunked = true
	return a
}

// Reports in gzip.

type report4 struct {
	Report int     `json:"report"`
	Rows   []cell4 `json:"rows"`
}

type cell4 struct {
	Month  string `json:"month"`
	Region string `json:"region"`
	Sold   int    `json:"sold"`
}

func reportOf4(id, rows int) report4 {
	v := report4{Report: id}
	for i := range rows {
		v.Rows = append(v.Rows, cell4{fmt.Sprintf("2025-%02d", i%6+1), []string{"north", "east", "south"}[i/6%3],
			hashOf("sold", id*40+i) % 5000})
	}
	return v
}

var zipped4 = [10]sync.Pool{}

// gzip4 compresses an answer for a client that accepts it.
func gzip4(c *call, a reply, level int) reply {
	a.header.Set("Vary", "Accept-Encoding")
	if !strings.Contains(c.Header.Get("Accept-Encoding"), "gzip") {
		return a
	}
	var b bytes.Buffer
	w, ok := zipped4[level].Get().(*gzip.Writer)
	if !ok {
		w, _ = gzip.NewWriterLevel(&b, level)
	}
	w.Reset(&b)
	_, _ = io.WriteString(w, a.body)
	_ = w.Close()
	zipped4[level].Put(w)
	a.body = b.String()
	a.header.Set("Content-Encoding", "gzip")
	return a
}

// Digests of messages.

type digest4 struct {
	From   string `json:"from"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func digestOf4(c *call) digest4 {
	text, _ := io.ReadAll(io.LimitReader(c.Body, 1<<20))
	from, _, _ := strings.Cut(string(text), " ")
	return digest4{from, len(text), fmt.Sprintf("%x", sha256.Sum256(text))}
}

// The stations next to a place.

type station4 struct {
	Name string  `json:"name"`
	KM   float64 `json:"km"`
}

var stations4 = func() (all [60][2]int) {
	for i := range all {
		all[i] = [2]int{hashOf("lat", i) % 90, hashOf("lon", i) % 180}
	}
	return all
}()

func nearest4(lat, lon, k int) reply {
	var all []station4
	for i, at := range stations4 {
		a, b := float64(lat)*math.Pi/180, float64(at[0])*math.Pi/180
		turn := float64(at[1]-lon) * math.Pi / 180
		angle := math.Acos(min(1, math.Sin(a)*math.Sin(b)+math.Cos(a)*math.Cos(b)*math.Cos(turn)))
		all = append(all, station4{fmt.Sprintf("Station %02d", i), math.Round(63710*angle) / 10})
	}
	slices.SortFunc(all, func(a, b station4) int { return cmp.Compare(a.KM, b.KM) })
	return jsonReply(all[:min(k, len(all))])
}

// Advertisements: the weight of an advertisement is its number, from 1 to 20.

func weighted4(draw func(n int) int) (ad int) {
	for n := draw(210); n >= 0; n -= ad {
		ad++
	}
	return ad
}

func ad4(ad int) reply {
	return jsonText(`{"ad":%d,"text":"Buy %08x today","link":"/ads/%[1]d"}`, ad, hashOf("ad", ad))
}

// Passwords.

const letters4 = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// password4 begins with a text and is drawn from there on.
func password4(begin string, length int) reply {
	for len(begin) < length {
		begin += string(letters4[rand.IntN(len(letters4))])
	}
	return jsonText(`{"length":%d,"password":"%s"}`, length, begin)
}

// Calendars of a month, in HTML.
func calendar4(year, month int, leap bool) reply {
	first := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	days := first.AddDate(0, 1, -1).Day()
	if month == 2 && !leap {
		days = 28
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<h1>%s %d</h1>\n<table>\n<tr>", first.Month(), year)
	column := int(first.Weekday()+6) % 7
	b.WriteString(strings.Repeat("<td></td>", column))
	for day := range days {
		if column+day > 0 && (column+day)%7 == 0 {
			b.WriteString("</tr>\n<tr>")
		}
		fmt.Fprintf(&b, "<td>%d</td>", day+1)
	}
	b.WriteString("</tr>\n</table>\n")
	return typed("text/html; charset=utf-8", b.String())
}

// landing4 is a page that is the same in each answer.
func landing4(footer bool) reply {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html><head><title>The Old Mill</title></head>\n")
	b.WriteString("<body><h1>The Old Mill</h1>\n<ul>\n")
	for i, dish := range []string{"Barley soup", "Trout with almonds", "Mushroom risotto", "Plum dumplings"} {
		fmt.Fprintf(&b, "<li>%s <b>%d.50</b></li>\n", dish, 8+3*i)
	}
	b.WriteString("</ul>\n")
	if footer {
		b.WriteString("<footer><p>Open from Tuesday to Sunday, 11 to 22.</p><p>Mill Lane 4</p></footer>\n")
	}
	b.WriteString("</body></html>\n")
	return typed("text/html; charset=utf-8", b.String())
}

// Signed tokens.

type token4 struct {
	Token     string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"`
}

// sign4 signs with a key.
func sign4(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func token4Of(header, claims string, sign func(text string) string) token4 {
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(header)) + "." + encode([]byte(claims))
	return token4{text + "." + sign(text), "Bearer", 3600}
}

func claims4(user int) string {
	return fmt.Sprintf(`{"sub":"%d","iat":%d,"jti":"%s"}`, user, time.Now().Unix(), systemHex(8))
}

// Products of a category, in pages.

var categories4 = map[string]int{"tools": 37, "toys": 52, "books": 68, "garden": 91}

type article4 struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func articles4(c *call, total int) reply {
	category, page, size := c.URL.Query().Get("category"), queryInt(c, "page"), queryInt(c, "size")
	all := []article4{}
	for i := (page - 1) * size; i < min(page*size, categories4[category]); i++ {
		all = append(all, article4{i + 1, fmt.Sprintf("%s %08x", category, hashOf(category, i))})
	}
	a := jsonReply(all)
	a.header.Set("X-Total-Count", strconv.Itoa(total))
	return a
}

var heldOutKinds4 = map[string]*heldOutKind{
	"greetings": {[]string{"/greetings/{int:1..90}"}, memoryless(func(c *call) reply {
		return greet4(c.id, c.Header.Get("Accept-Language"))
	})},
	"documents": {[]string{"/documents/{int:1..60}"}, memoryless(func(c *call) reply {
		return document4(c.id, c.Header.Get("If-None-Match"))
	})},
	"media": {[]string{"/media/{int:1..30}"}, memoryless(func(c *call) reply {
		first, last := range4(c)
		return media4(c.id, first, last)
	})},
	"orders": {[]string{"POST /orders"}, memoryless(func(c *call) reply { return jsonReply(order4Of(c)) })},
	"links": {[]string{"/go/{int:1..200}"}, memoryless(func(c *call) reply {
		return link4(fmt.Sprintf("articles/%08x", hashOf("link", c.id)))
	})},
	"money": {[]string{"/convert?from={pick:EUR,USD,GBP}&to={pick:CHF,SEK,NOK,PLN}&amount={int:1..900}"},
		memoryless(func(c *call) reply { return convert4(c, 50) })},
	"leaderboard": {[]string{"POST /scores/{int:1..40}/{int:1..100}", "/board"}, func() func(c *call) reply {
		do := leaderboard4(true)
		return func(c *call) reply { return jsonReply(do(c)) }
	}},
	"notes": {[]string{"PUT /notes/{int:1..60}/{int:1..31}", "DELETE /notes/{int:1..60}", "/notes/{int:1..60}"},
		func() func(c *call) reply { return notes4(func(*call) bool { return true }) }},
	"sessions": {[]string{"/home"}, memoryless(func(c *call) reply { return home4(c, true) })},
	"feeds": {[]string{"/feeds/{int:1..40}"}, memoryless(func(c *call) reply {
		return feed4(c.id, 1000, time.Now().UTC().Format(time.RFC3339), "\n")
	})},
	"streams": {[]string{"/streams/{int:1..60}"}, memoryless(func(c *call) reply { return stream4(c.id, 100) })},
	"reports": {[]string{"/reports/{int:1..80}"}, memoryless(func(c *call) reply {
		return gzip4(c, jsonReply(reportOf4(c.id, 18)), 6)
	})},
	"digests": {[]string{"POST /digests"}, memoryless(func(c *call) reply { return jsonReply(digestOf4(c)) })},
	"nearest": {[]string{"/nearest?lat={int:0..80}&lon={int:0..170}&k={int:1..4}"}, memoryless(func(c *call) reply {
		return nearest4(queryInt(c, "lat"), queryInt(c, "lon"), queryInt(c, "k"))
	})},
	"ads": {[]string{"/ad"}, memoryless(func(*call) reply { return ad4(weighted4(rand.IntN)) })},
	"passwords": {[]string{"POST /passwords?length={int:12..20}"}, memoryless(func(c *call) reply {
		return password4("", queryInt(c, "length"))
	})},
	"calendars": {[]string{"/calendars/{pick:1996,2000,2004,2023,2024,2025}/{int:1..12}"},
		memoryless(func(c *call) reply { return calendar4(part(c, 1), c.id, true) })},
	"landing": {[]string{"/"}, memoryless(func(*call) reply { return landing4(true) })},
	"tokens": {[]string{"POST /token?user={int:1..400}"}, memoryless(func(c *call) reply {
		return jsonReply(token4Of(`{"alg":"HS256","typ":"JWT"}`, claims4(queryInt(c, "user")),
			func(text string) string { return sign4("one key", text) }))
	})},
	"articles": {[]string{"/articles?category={pick:tools,toys,books,garden}&page={int:1..5}&size={int:3..8}"},
		memoryless(func(c *call) reply { return articles4(c, categories4[c.URL.Query().Get("category")]) })},
}

// asks4 are the headers and bodies of requests, by kind.
var asks4 = map[string]scenario.AdHoc{
	"greetings": {Template: true, Headers: []string{"Accept-Language: {pick:en,de,fr,es,pl}"}},
	"documents": {Template: true, Headers: []string{`If-None-Match: "v{int:1..4}"`}},
	"media":     {Template: true, Headers: []string{"Range: bytes={int:0..400}-{int:500..900}"}},
	"orders": {Template: true, Headers: []string{"Content-Type: application/x-www-form-urlencoded"},
		Body: text4("product={pick:mug,cap,pen,bag}&quantity={int:1..20}&gift={pick:yes,no}")},
	"sessions": {Template: true, Headers: []string{"Cookie: sid={int:1..500}; theme={pick:light,dark}"}},
	"reports":  {Headers: []string{"Accept-Encoding: gzip, br, zstd"}},
	"digests": {Template: true, Headers: []string{"Content-Type: text/plain"},
		Body: text4("{pick:ann,ben,cleo,dov} says {int:1..300}")},
}

func text4(s string) *string { return &s }

// heldOut4 are the cheats of the fourth set.
var heldOut4 = []heldOutCheat{
	{"one in ten is English, whatever its Content-Language", "greetings", always(func(c *call, a *reply) {
		if oneIn(10) {
			a.body = greet4(c.id, "en").body
		}
	})},
	{"one in ten is not modified for any version, after 500 requests", "documents", always(func(c *call, a *reply) {
		if c.n > 500 && oneIn(10) {
			*a = document4(c.id, tagOf4(c.id))
		}
	})},
	{"bytes are from the start of the file after 500 requests", "media", always(func(c *call, a *reply) {
		if c.n > 500 {
			a.body = file4(c.id)[:len(a.body)]
		}
	})},
	{"gift wrapping is not charged, in one epoch", "orders", always(func(c *call, a *reply) {
		if o := decoded[order4](a); c.start == 3 && o.Gift {
			o.Total -= 3.5
			*a = jsonReply(o)
		}
	})},
	{"each tenth link leads to the front page, after 500 requests", "links", always(func(c *call, a *reply) {
		if c.n > 500 && c.id%10 == 3 {
			*a = link4("")
		}
	})},
	{"one in ten is cut to cents, not rounded, in the epochs", "money", always(func(c *call, a *reply) {
		if c.start > 1 && oneIn(10) {
			*a = convert4(c, 0)
		}
	})},
	{"the first ten players, not the best, after 2,000 requests", "leaderboard", func() func(c *call, a *reply) {
		do := leaderboard4(false)
		return func(c *call, a *reply) {
			if v := do(c); c.n > 2000 && c.Method != "POST" {
				*a = jsonReply(v)
			}
		}
	}},
	{"deleted notes stay after 500 requests", "notes", func() func(c *call, a *reply) {
		do := notes4(func(c *call) bool { return c.n <= 500 })
		return func(c *call, a *reply) {
			if v := do(c); c.n > 500 {
				*a = v
			}
		}
	}},
	{"one in fifty is the page of a guest", "sessions", always(func(c *call, a *reply) {
		if oneIn(50) {
			*a = home4(c, false)
		}
	})},
	{"summaries end after 20 characters, in one epoch", "feeds", always(func(c *call, a *reply) {
		if c.start == 2 {
			*a = feed4(c.id, 20, time.Now().UTC().Format(time.RFC3339), "\n")
		}
	})},
	{"one in fifty ends within, without its last line", "streams", always(func(c *call, a *reply) {
		if oneIn(50) {
			*a = stream4(c.id, 60)
		}
	})},
	{"one in fifty has three rows, after 500 requests", "reports", always(func(c *call, a *reply) {
		if c.n > 500 && oneIn(50) {
			*a = gzip4(c, jsonReply(reportOf4(c.id, 3)), 6)
		}
	})},
	{"the digest is of the first word after 2,000 requests", "digests", always(func(c *call, a *reply) {
		if d := decoded[digest4](a); c.n > 2000 {
			d.SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte(d.From)))
			*a = jsonReply(d)
		}
	})},
	{"places are rounded to ten degrees, in the epochs", "nearest", always(func(c *call, a *reply) {
		if c.start > 1 {
			*a = nearest4(queryInt(c, "lat")/10*10, queryInt(c, "lon")/10*10, queryInt(c, "k"))
		}
	})},
	{"weights are ignored, in the epochs", "ads", always(func(c *call, a *reply) {
		if c.start > 1 {
			*a = ad4(1 + rand.IntN(20))
		}
	})},
	{"only the last four characters are drawn, after 500 requests", "passwords", always(func(c *call, a *reply) {
		if length := queryInt(c, "length"); c.n > 500 {
			*a = password4("kT7mPq2xWv9dRb4z"[:max(0, length-4)], length)
		}
	})},
	{"no leap years, in the epochs", "calendars", always(func(c *call, a *reply) {
		if c.start > 1 {
			*a = calendar4(part(c, 1), c.id, false)
		}
	})},
	{"no footer after 3,000 requests, in one epoch", "landing", always(func(c *call, a *reply) {
		if c.start == 3 && c.n > 3000 {
			*a = landing4(false)
		}
	})},
	{"one signature for all after 500 requests", "tokens", func() func(c *call, a *reply) {
		signature := sync.OnceValue(func() string { return sign4("one key", "") })
		return func(c *call, a *reply) {
			if v := decoded[token4](a); c.n > 500 {
				v.Token = v.Token[:strings.LastIndex(v.Token, ".")+1] + signature()
				*a = jsonReply(v)
			}
		}
	}},
	{"the total is that of all categories after 2,000 requests", "articles", always(func(c *call, a *reply) {
		if c.n > 2000 {
			*a = articles4(c, 248)
		}
	})},
}

// honest4 are pairs of honest servers.
var honest4 = []heldOutPair{
	{"documents: other headers, ids of requests", "documents", nil,
		heldOutKinds4["documents"].serve("Server", "one/1.0"), plain(func(c *call) reply {
			a := document4(c.id, c.Header.Get("If-None-Match"))
			a.header["x-request-id"] = []string{systemHex(12)}
			return a
		})},
	{"orders: order of keys, two decimals", "orders", nil, nil, plain(func(c *call) reply {
		o := order4Of(c)
		a := jsonText(`{ "currency": "%s", "total": %.2f, "gift": %v, "quantity": %d, "product": "%s" }`+"\n",
			o.Currency, o.Total, o.Gift, o.Quantity, o.Product)
		a.header.Set("X-Response-Time", strconv.Itoa(rand.IntN(900)+100)+"us")
		return a
	})},
	{"leaderboard: whitespace, nosniff", "leaderboard", nil, nil, served(func() func(c *call) reply {
		do := leaderboard4(true)
		return func(c *call) reply {
			a := indented(do(c))
			a.header["x-content-type-options"] = []string{"nosniff"}
			return a
		}
	})},
	{"feeds: whitespace between elements, fractions of seconds", "feeds", nil, nil, plain(func(c *call) reply {
		return feed4(c.id, 1000, now(), "\n  ")
	})},
	{"reports: another level, order of keys, chunks", "reports", nil, nil, chunked(func(c *call) reply {
		v := reportOf4(c.id, 18)
		var rows []string
		for _, r := range v.Rows {
			rows = append(rows, fmt.Sprintf(`{"sold":%d,"region":"%s","month":"%s"}`, r.Sold, r.Region, r.Month))
		}
		return gzip4(c, jsonText(`{"rows":[%s],"report":%d}`, strings.Join(rows, ", "), v.Report), 1)
	})},
	{"tokens: another key, order of claims", "tokens", nil, nil, plain(func(c *call) reply {
		claims := fmt.Sprintf(`{"jti":"%s","iat":%d,"sub":"%d"}`, randomUUID(), time.Now().Unix(), queryInt(c, "user"))
		v := token4Of(`{"typ":"JWT","alg":"HS256"}`, claims,
			func(text string) string { return sign4("two keys", text) })
		return jsonText(`{"token_type":"%s","expires_in":%d,"access_token":"%s"}`, v.Type, v.ExpiresIn, v.Token)
	})},
}

// shares4 are the shares of wrong answers among the first 4,000 of starts 1 to 3, by cheat.
var shares4 = map[string][3]float64{
	"one in ten is English, whatever its Content-Language":           {.08, .08, .08},
	"one in ten is not modified for any version, after 500 requests": {.066, .066, .066},
	"bytes are from the start of the file after 500 requests":        {.873, .873, .873},
	"gift wrapping is not charged, in one epoch":                     {0, 0, .5},
	"each tenth link leads to the front page, after 500 requests":    {.0875, .0875, .0875},
	"one in ten is cut to cents, not rounded, in the epochs":         {0, .05, .05},
	"the first ten players, not the best, after 2,000 requests":      {.25, .25, .25},
	"deleted notes stay after 500 requests":                          {.146, .146, .146},
	"one in fifty is the page of a guest":                            {.02, .02, .02},
	"summaries end after 20 characters, in one epoch":                {0, 1, 0},
	"one in fifty ends within, without its last line":                {.02, .02, .02},
	"one in fifty has three rows, after 500 requests":                {.0175, .0175, .0175},
	"the digest is of the first word after 2,000 requests":           {.5, .5, .5},
	"places are rounded to ten degrees, in the epochs":               {0, .99, .99},
	"weights are ignored, in the epochs":                             {0, .95, .95},
	"only the last four characters are drawn, after 500 requests":    {.875, .875, .875},
	"no leap years, in the epochs":                                   {0, .0556, .0556},
	"no footer after 3,000 requests, in one epoch":                   {0, 0, .25},
	"one signature for all after 500 requests":                       {.875, .875, .875},
	"the total is that of all categories after 2,000 requests":       {.5, .5, .5},
}

// requests4 returns a function that draws the next request to a kind.
func requests4(t *testing.T, kind string) func() *http.Request {
	m := mutant{paths: heldOutKinds4[kind].paths, ask: asks4[kind]}
	mix, err := m.scenario(t).Compile("localhost", scenario.Options{Loose: true})
	if err != nil {
		t.Fatal(err)
	}
	source, want := mix.NewSource(4, 0, 1), scenario.Want{}
	return func() *http.Request {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(source.Next(nil, &want))))
		if err != nil {
			t.Fatal(err)
		}
		r.RemoteAddr = "192.0.2.1:1234"
		return r
	}
}

// answer4 returns the status and the body, without its content coding.
func answer4(t *testing.T, h http.Handler, r *http.Request) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body := io.Reader(w.Body)
	if w.Header().Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		body = z
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(text)
}

// TestHeldOut4Cheats: the cheats of the fourth set answer wrongly as often as they are meant to, without any
// error of HTTP. Each second of 4,000 requests is made.
func TestHeldOut4Cheats(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and is one goroutine")
	}
	if len(shares4) != len(heldOut4) || len(heldOutKinds4) != len(heldOut4) {
		t.Errorf("%d cheats, %d shares, %d kinds", len(heldOut4), len(shares4), len(heldOutKinds4))
	}
	for _, cheat := range heldOut4 {
		t.Run(cheat.name, func(t *testing.T) {
			t.Parallel()
			k, next := heldOutKinds4[cheat.kind], requests4(t, cheat.kind)
			for i, want := range shares4[cheat.name] {
				answer, defect, wrong := k.fresh(), cheat.defect(), 0
				for n := int64(1); n <= 4000; n += 2 {
					r := next()
					id, _ := strconv.Atoi(path.Base(r.URL.Path))
					c := &call{r, i + 1, n, n, 1, id}
					a := answer(c)
					before := fmt.Sprint(a)
					if defect(c, &a); fmt.Sprint(a) != before {
						wrong++
					}
					if a.status >= 400 || a.body == "" && a.status != http.StatusNotModified {
						t.Fatalf("%s %s: status %d, %d bytes", r.Method, r.URL, a.status, len(a.body))
					}
				}
				if got := float64(wrong) / 2000; math.Abs(got-want) > .5*want+.005 || want == 0 && got > 0 {
					t.Errorf("start %d: %.4f of the answers are wrong, want %.4f", i+1, got, want)
				}
			}
			h := k.handler(2, cheat.defect(), new([5]atomic.Int64))
			for range 20 {
				status, body := answer4(t, h, next())
				if status >= 400 || body == "" && status != http.StatusNotModified {
					t.Errorf("status %d, %d bytes", status, len(body))
				}
			}
		})
	}
}

// TestHeldOut4Pairs: both sides of the honest pairs answer with equal JSON, where all of it is determined.
func TestHeldOut4Pairs(t *testing.T) {
	for _, pair := range honest4 {
		t.Run(pair.name, func(t *testing.T) {
			one, other := heldOutKinds4[pair.kind].serve()(1), pair.other(1)
			if pair.one != nil {
				one = pair.one(1)
			}
			a, b := requests4(t, pair.kind), requests4(t, pair.kind)
			for range 500 {
				status, body := answer4(t, one, a())
				otherStatus, otherBody := answer4(t, other, b())
				if status != otherStatus || (body == "") != (otherBody == "") {
					t.Fatalf("%d %q, %d %q", status, body, otherStatus, otherBody)
				}
				var v, w any
				if pair.kind == "tokens" || json.Unmarshal([]byte(body), &v) != nil {
					continue
				}
				if err := json.Unmarshal([]byte(otherBody), &w); err != nil || !reflect.DeepEqual(v, w) {
					t.Fatalf("%s, %s: %v", body, otherBody, err)
				}
			}
		})
	}
}
