package bench

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dyno/internal/scenario"
)

// The fifth set. Its kinds and cheats are described in heldout_test.go.

// text5 is the body of the request, kept for a defect that reads it again.
func text5(c *call) string {
	if c.Form == nil {
		text, _ := io.ReadAll(io.LimitReader(c.Body, 1<<16))
		c.Form = url.Values{"text": {string(text)}}
	}
	return c.Form.Get("text")
}

// swap5 answers otherwise where on allows it.
func swap5(on func(c *call) bool, fresh func() func(c *call) reply) func() func(c *call, a *reply) {
	return func() func(c *call, a *reply) {
		otherwise := fresh()
		return func(c *call, a *reply) {
			if b := otherwise(c); on(c) {
				*a = b
			}
		}
	}
}

func after5(n int64) func(c *call) bool { return func(c *call) bool { return c.n > n } }
func rarely5(n int) func(c *call) bool  { return func(*call) bool { return oneIn(n) } }
func epochs5(c *call) bool              { return c.start > 1 }
func never5(*call) bool                 { return false }

// Polls: POST /polls/POLL/CHOICE votes, GET /polls/POLL shows the votes.

type poll5 struct {
	Poll    int            `json:"poll"`
	Votes   map[string]int `json:"votes"`
	Total   int            `json:"total"`
	Leading string         `json:"leading"`
}

// polls5 says that the choice of the last vote leads, where last is true.
func polls5(last func(c *call) bool) func(c *call) poll5 {
	var mu sync.Mutex
	polls, latest := map[int]poll5{}, map[int]string{}
	return func(c *call) poll5 {
		mu.Lock()
		defer mu.Unlock()
		p := poll5{part(c, 1), map[string]int{"yes": 0, "no": 0, "maybe": 0}, polls[part(c, 1)].Total, "none"}
		maps.Copy(p.Votes, polls[p.Poll].Votes)
		if c.Method == "POST" {
			latest[p.Poll] = path.Base(c.URL.Path)
			p.Votes[latest[p.Poll]]++
			p.Total++
		}
		polls[p.Poll] = p
		most := 0
		for _, choice := range []string{"yes", "no", "maybe"} {
			if p.Votes[choice] > most {
				p.Leading, most = choice, p.Votes[choice]
			}
		}
		if p.Total > 0 && last(c) {
			p.Leading = latest[p.Poll]
		}
		return p
	}
}

// Sign-ups, of adults with an address.

// signup5 checks the age only where adult is set.
func signup5(c *call, id, created string, adult bool, render func(v any) reply) reply {
	var form struct {
		Email string
		Age   int
	}
	bad := []string{}
	_ = json.Unmarshal([]byte(text5(c)), &form)
	if _, domain, at := strings.Cut(form.Email, "@"); !at || !strings.Contains(domain, ".") {
		bad = append(bad, "email: want an address")
	}
	if adult && form.Age < 18 {
		bad = append(bad, "age: at least 18")
	}
	a := render(map[string]any{"id": id, "email": form.Email, "created": created})
	if a.status = http.StatusCreated; len(bad) > 0 {
		a = render(map[string]any{"errors": bad})
		a.status = http.StatusUnprocessableEntity
	}
	return a
}

// Prices of shares, in cents.

type tick5 struct {
	Symbol string  `json:"symbol"`
	Bid    float64 `json:"bid"`
	Ask    float64 `json:"ask"`
	At     string  `json:"at"`
}

func tick5Of(symbol string, draw func(n int) int) tick5 {
	base := 1000 + hashOf(symbol, 5)%9000
	bid := base - base/50 + draw(base/25)
	return tick5{symbol, float64(bid) / 100, float64(bid+1+draw(9)) / 100, now()}
}

// Histograms of a thousand values.

var values5 = func() map[string][]int {
	all := map[string][]int{}
	for _, metric := range []string{"latency", "size", "queue"} {
		for i := range 1000 {
			all[metric] = append(all[metric], (hashOf(metric, i)%1000+hashOf(metric, i+1000)%1000)/2)
		}
	}
	return all
}()

// histogram5 counts each value whose number is a multiple of step, as step values.
func histogram5(metric string, bins, step int) reply {
	counts, values := make([]int, max(1, bins)), values5[metric]
	for i := 0; i < len(values); i += step {
		counts[values[i]*len(counts)/1000] += step
	}
	return jsonReply(map[string]any{"metric": metric, "total": 1000, "counts": counts})
}

// thumb5 is a small version of an image of 48 × 48 pixels: means of pixels, or the nearest of each.
func thumb5(id, w int, nearest bool) reply {
	const side = 48
	draw, w := rand.New(rand.NewPCG(uint64(id), 5)), max(1, min(w, side))
	var from [side][side]int
	for y := range side {
		for x := range side {
			from[y][x] = x*2 + y + draw.IntN(100)
		}
	}
	body := fmt.Appendf(nil, "P5\n%d %d\n255\n", w, w)
	for y := range w {
		for x := range w {
			top, left, sum, n := y*side/w, x*side/w, 0, 0
			for _, row := range from[top : (y+1)*side/w] {
				for _, v := range row[left : (x+1)*side/w] {
					sum, n = sum+v, n+1
				}
			}
			if nearest {
				sum, n = from[top][left], 1
			}
			body = append(body, byte(sum/n))
		}
	}
	return typed("image/x-portable-graymap", string(body))
}

// Routes between 30 towns.

var roads5 = func() (all [30][30]int) {
	for i := range all {
		for _, far := range []int{1, 4, 11} {
			km := 5 + hashOf("road", i*30+far)%95
			all[i][(i+far)%30], all[(i+far)%30][i] = km, km
		}
	}
	return all
}()

// route5 finds the route that costs least.
func route5(from, to int, cost func(km int) int) reply {
	from, to = from%30, to%30
	var back [30]int
	var done [30]bool
	far := slices.Repeat([]int{math.MaxInt}, 30)
	far[from] = 0
	for range far {
		here := -1
		for i, d := range far {
			if !done[i] && (here < 0 || d < far[here]) {
				here = i
			}
		}
		done[here] = true
		for i, km := range roads5[here] {
			if d := far[here] + cost(km); km > 0 && d < far[i] {
				far[i], back[i] = d, here
			}
		}
	}
	towns, km := []int{to}, 0
	for to != from {
		km += roads5[to][back[to]]
		to = back[to]
		towns = append(towns, to)
	}
	slices.Reverse(towns)
	return jsonReply(map[string]any{"towns": towns, "km": km})
}

// diff5 compares two texts word by word. Without keeps, each word counts as changed.
func diff5(text string, keeps bool) reply {
	before, after, _ := strings.Cut(text, "\n")
	var b strings.Builder
	fresh := strings.Fields(after)
	for i, old := range strings.Fields(before) {
		if i < len(fresh) && fresh[i] == old && keeps {
			fmt.Fprintf(&b, " %s\n", old)
		} else {
			fmt.Fprintf(&b, "-%s\n+%s\n", old, fresh[min(i, len(fresh)-1)])
		}
	}
	return typed("text/plain; charset=utf-8", b.String())
}

// Metrics in the media type that the client likes best.

// best5 is the media type with the highest weight; where weights are ignored, the first.
func best5(accept string, weighed bool) (best string) {
	most := 0.0
	for _, one := range strings.Split(accept, ",") {
		kind, weight, _ := strings.Cut(strings.TrimSpace(one), ";q=")
		if q, err := strconv.ParseFloat(weight, 64); err == nil && q > most && (weighed || best == "") {
			best, most = kind, q
		}
	}
	return best
}

func metrics5(id int, kind string) (a reply) {
	rows, csv := []map[string]int{}, "hour,cpu,requests\r\n"
	for i := range 6 {
		cpu, requests := hashOf("cpu", id*6+i)%100, hashOf("requests", id*6+i)%9000
		rows = append(rows, map[string]int{"hour": i * 4, "cpu": cpu, "requests": requests})
		csv += fmt.Sprintf("%d,%d,%d\r\n", i*4, cpu, requests)
	}
	if a = jsonReply(rows); kind == "text/csv" {
		a = typed("text/csv; charset=utf-8", csv)
	}
	a.header.Set("Vary", "Accept")
	return a
}

// limits5 tells a client with a key how many of 60 jokes it has left.
func limits5() func(c *call) reply {
	var mu sync.Mutex
	used := map[string]int{}
	return func(c *call) reply {
		mu.Lock()
		defer mu.Unlock()
		key := c.Header.Get("X-Api-Key")
		left := 59 - used[key]%60
		used[key]++
		joke := hashOf("joke", rand.IntN(50))
		return typed("text/plain; charset=utf-8", fmt.Sprintf("A %08x walks into a bar.\n", joke),
			"X-RateLimit-Limit", "60", "X-RateLimit-Remaining", strconv.Itoa(left))
	}
}

const micros5 = "2006-01-02T15:04:05.000000Z"

// tails5 shows the last lines of a log, to which each request adds a line. What is shown is written to the log in
// blocks of this many lines.
func tails5(layout string, block int) func(c *call) reply {
	var mu sync.Mutex
	logs := map[string][]string{}
	return func(c *call) reply {
		mu.Lock()
		defer mu.Unlock()
		name := path.Base(c.URL.Path)
		all := append(logs[name], fmt.Sprintf("%06d %s read %s\n", len(logs[name])+1, time.Now().UTC().Format(layout),
			c.URL.RawQuery))
		logs[name] = all
		if len(all) > block {
			all = all[:len(all)/block*block]
		}
		return typed("text/plain; charset=utf-8", strings.Join(all[max(0, len(all)-queryInt(c, "lines")):], ""))
	}
}

// local5 is a time in a town of the European Union, with or without summer time.
func local5(town string, unix int, summer bool) reply {
	t, hours := time.Unix(int64(unix), 0).UTC(), map[string]int{"Lisbon": 0, "Paris": 1, "Athens": 2}[town]
	change := func(month time.Month) time.Time { // Its last Sunday
		last := time.Date(t.Year(), month+1, 0, 1, 0, 0, 0, time.UTC)
		return last.AddDate(0, 0, -int(last.Weekday()))
	}
	if summer = summer && !t.Before(change(time.March)) && t.Before(change(time.October)); summer {
		hours++
	}
	return jsonReply(map[string]any{"town": town, "summer": summer,
		"local": t.In(time.FixedZone("", hours*3600)).Format("Mon 2006-01-02T15:04:05-07:00")})
}

// project5 shows all of a project to administrators, and less to others.
func project5(c *call) reply {
	v := map[string]any{"project": c.id, "name": fmt.Sprintf("Project %08x", hashOf("project", c.id)), "notes": nil,
		"budget": nil}
	role := c.Header.Get("Authorization")
	if !strings.HasPrefix(role, "Bearer viewer") {
		v["notes"] = fmt.Sprintf("Ask %08x first.", hashOf("notes", c.id))
	}
	if strings.HasPrefix(role, "Bearer admin") {
		v["budget"] = hashOf("budget", c.id) % 90_000
	}
	return jsonReply(v)
}

var dishes5 = []string{"Crème " +
	"brûlée", "Käsespätzle", "Jalapeños", "Żurek", "Smørrebrød", "Gözleme", "Pão de queijo"}

// menu5 is printed with a time and a number. code makes text of dishes.
func menu5(id int, code func(text string) string) reply {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<title>Menu %d</title>\n<ul>\n", id)
	for i := range 4 {
		k := hashOf("dish", id*4+i)
		fmt.Fprintf(&b, "<li>%s <b>%d,%02d €</b></li>\n", code(dishes5[k%len(dishes5)]), 3+k%20, k/100%100)
	}
	fmt.Fprintf(&b, "</ul>\n<p>Printed %s, no. %s</p>\n", now(), systemHex(6))
	return typed("text/html; charset=utf-8", b.String())
}

// garbled5 encodes bytes as if each were a character.
func garbled5(text string) string {
	all := make([]rune, len(text))
	for i := range all {
		all[i] = rune(text[i])
	}
	return string(all)
}

// snapshot5 has a digest in its header. The format says in which order number, time, key and rows stand.
func snapshot5(id int, format string) reply {
	rows := ""
	for i := range 5 + id%4 {
		rows += fmt.Sprintf(",%d", hashOf("row", id*10+i)%10_000)
	}
	a := jsonText(format, id, now(), systemHex(8), rows[1:])
	sum := sha256.Sum256([]byte(a.body))
	a.header.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	return a
}

func paid5() reply {
	a := jsonText(`{"payment":"pay_%s","amount":1250,"made":"%s"}`, systemHex(10), now())
	a.status = http.StatusCreated
	return a
}

// payments5 makes one payment for each key, however often it is sent.
func payments5() func(c *call) reply {
	var all sync.Map
	return func(c *call) reply {
		fresh := paid5()
		made, again := all.LoadOrStore(c.Header.Get("Idempotency-Key"), fresh.body)
		if fresh.body = made.(string); again {
			fresh.header.Set("Idempotent-Replayed", "true")
		}
		return fresh
	}
}

// fare5 is the price of a ticket. Who is 65 travels free on Saturdays in all zones, unless strict.
func fare5(c *call, strict bool) reply {
	age, zones, day := queryInt(c, "age"), queryInt(c, "zones"), c.URL.Query().Get("day")
	cents, rule := 240*zones, "adult"
	switch {
	case age < 6:
		cents, rule = 0, "infant"
	case age < 15:
		cents, rule = cents/2, "child"
	case age >= 65 && day == "sat" && zones == 5 && !strict:
		cents, rule = 0, "senior day"
	case age >= 65:
		cents, rule = cents*7/10, "senior"
	}
	if day == "sun" {
		cents = min(cents, 800)
	}
	return jsonReply(map[string]any{"age": age, "zones": zones, "day": day, "rule": rule, "cents": cents})
}

// Seats: POST /seats/SEAT/VISITOR takes a seat that is free, DELETE /seats/SEAT leaves it.

// seats5 gives away a seat that is taken where gives allows it.
func seats5(gives func(c *call) bool) func(c *call) reply {
	var mu sync.Mutex
	all := map[int]int{}
	return func(c *call) reply {
		mu.Lock()
		defer mu.Unlock()
		seat := part(c, 1)
		v := map[string]any{"seat": seat, "visitor": nil}
		switch c.Method {
		case "POST":
			granted := all[seat] == 0 || gives(c)
			if v["granted"] = granted; granted {
				all[seat] = part(c, 2)
			}
		case "DELETE":
			delete(all, seat)
		}
		if all[seat] != 0 {
			v["visitor"] = all[seat]
		}
		return jsonReply(v)
	}
}

// playlist5 plays twelve titles in this order.
func playlist5(id int, order []int) (all []string) {
	for _, i := range order {
		all = append(all, fmt.Sprintf("Song %06x", hashOf("song", id*12+i)%0xffffff))
	}
	return all
}

// Coupons.

func code5() (code string) {
	for range 10 {
		code += string("ACDEFGHJKLMNPQRTUVWXY34679"[rand.IntN(26)])
	}
	return code
}

func coupon5(c *call, code string) reply {
	return jsonText(`{"code":"%s","percent":%d,"until":"%s"}`, code, queryInt(c, "percent"),
		time.Now().UTC().Add(72*time.Hour).Format(time.RFC3339Nano))
}

type hotel5 struct {
	Name  string `json:"name"`
	Price int    `json:"price"`
	Pool  bool   `json:"pool"`
	stars int
}

var allHotels5 = func() (all []hotel5) {
	for i := range 80 {
		all = append(all, hotel5{fmt.Sprintf("Hotel %06x", hashOf("hotel", i)%0xffffff), 40 + hashOf("price", i)%200,
			hashOf("pool", i)%3 == 0, hashOf("stars", i)%4 + 2})
	}
	slices.SortFunc(all, func(a, b hotel5) int { return a.Price - b.Price })
	return all
}()

// hotels5 are those of these stars up to a price; where pool is set, only those with one.
func hotels5(c *call, pool bool) reply {
	all := []hotel5{}
	stars, most := queryInt(c, "stars"), queryInt(c, "max")
	for _, h := range allHotels5 {
		if h.stars == stars && h.Price <= most && (h.Pool || !pool) {
			all = append(all, h)
		}
	}
	return jsonReply(map[string]any{"search": randomUUID(), "micros": 100 + rand.IntN(900), "hotels": all})
}

var heldOutKinds5 = map[string]*heldOutKind{
	"polls": {[]string{"POST /polls/{int:1..12}/{pick:yes,no,maybe}", "/polls/{int:1..12}"},
		func() func(c *call) reply {
			do := polls5(never5)
			return func(c *call) reply { return jsonReply(do(c)) }
		}},
	"signups": {[]string{"POST /signups"}, memoryless(func(c *call) reply {
		return signup5(c, systemHex(12), now(), true, jsonReply)
	})},
	"ticks": {[]string{"/ticks/{pick:ACME,BOLT,CORE,DUNE,ECHO,FLUX}"}, memoryless(func(c *call) reply {
		return jsonReply(tick5Of(path.Base(c.URL.Path), rand.IntN))
	})},
	"histograms": {[]string{"/histograms/{pick:latency,size,queue}?bins={int:4..12}"}, memoryless(func(c *call) reply {
		return histogram5(path.Base(c.URL.Path), queryInt(c, "bins"), 1)
	})},
	"thumbs": {[]string{"/thumbs/{int:1..40}?w={int:8..20}"}, memoryless(func(c *call) reply {
		return thumb5(c.id, queryInt(c, "w"), false)
	})},
	"routes": {[]string{"/route?from={int:0..29}&to={int:0..29}"}, memoryless(func(c *call) reply {
		return route5(queryInt(c, "from"), queryInt(c, "to"), func(km int) int { return km })
	})},
	"diffs": {[]string{"POST /diff"}, memoryless(func(c *call) reply { return diff5(text5(c), true) })},
	"metrics": {[]string{"/metrics/{int:1..60}"}, memoryless(func(c *call) reply {
		return metrics5(c.id, best5(c.Header.Get("Accept"), true))
	})},
	"limits": {[]string{"/joke"}, limits5},
	"tails": {[]string{"/tails/{pick:api,db,web}?lines={int:5..15}"}, func() func(c *call) reply {
		return tails5(micros5, 1)
	}},
	"times": {[]string{"/local?town={pick:Lisbon,Paris,Athens}&at={int:1700000000..1760000000}"},
		memoryless(func(c *call) reply { return local5(c.URL.Query().Get("town"), queryInt(c, "at"), true) })},
	"projects": {[]string{"/projects/{int:1..50}"}, memoryless(project5)},
	"menus": {[]string{"/menus/{int:1..60}"}, memoryless(func(c *call) reply {
		return menu5(c.id, func(text string) string { return text })
	})},
	"snapshots": {[]string{"/snapshots/{int:1..40}"}, memoryless(func(c *call) reply {
		return snapshot5(c.id, `{"snapshot":%d,"taken":"%s","key":"%s","rows":[%s]}`)
	})},
	"payments": {[]string{"POST /payments"}, payments5},
	"fares": {[]string{"/fare?age={int:1..80}&day={pick:mon,tue,wed,thu,fri,sat,sun}&zones={int:1..5}"},
		memoryless(func(c *call) reply { return fare5(c, false) })},
	"seats": {[]string{"POST /seats/{int:1..40}/{int:1..500}", "DELETE /seats/{int:1..40}", "/seats/{int:1..40}"},
		func() func(c *call) reply { return seats5(never5) }},
	"playlists": {[]string{"/playlists/{int:1..30}/shuffled"}, memoryless(func(c *call) reply {
		return jsonReply(playlist5(part(c, 1), rand.Perm(12)))
	})},
	"coupons": {[]string{"POST /coupons?percent={pick:5,10,20}"}, memoryless(func(c *call) reply {
		return coupon5(c, code5())
	})},
	"hotels": {[]string{"/hotels?stars={int:2..5}&pool={pick:yes,no}&max={int:60..240}"},
		memoryless(func(c *call) reply { return hotels5(c, c.URL.Query().Get("pool") == "yes") })},
}

func expect5(statuses string) scenario.StatusSet {
	set, err := scenario.ParseStatuses(statuses)
	if err != nil {
		panic(err)
	}
	return set
}

// asks5 are the headers and bodies of requests, by kind.
var asks5 = map[string]scenario.AdHoc{
	"signups": {Template: true, ExpectStatus: expect5("201,422"), Headers: []string{"Content-Type: application/json"},
		Body: text4(`{"email":"{pick:ann@example.org,ben@example.com,cleo.org,dov@example}","age":{int:12..60}}`)},
	"diffs": {Template: true, Headers: []string{"Content-Type: text/plain"},
		Body: text4("the {pick:old,new,red} house {pick:is,was} {pick:near,far} a {pick:mill,lake,road}\n" +
			"the {pick:old,new,red} house {pick:is,was} {pick:near,far} a {pick:mill,lake,road}")},
	"metrics":  {Template: true, Headers: []string{"Accept: text/csv;q={pick:0.2,0.9}, application/json;q=0.5"}},
	"limits":   {Template: true, Headers: []string{"X-Api-Key: key-{int:1..100}"}},
	"projects": {Template: true, Headers: []string{"Authorization: Bearer {pick:viewer-7c1,editor-52a,admin-90e}"}},
	"payments": {Template: true, Headers: []string{"Content-Type: application/json", "Idempotency-Key: {int:1..400}"},
		Body: text4(`{"amount":1250}`)},
}

// heldOut5 are the cheats of the fifth set.
var heldOut5 = []heldOutCheat{
	{"the choice of the last vote leads after 1,000 requests", "polls", swap5(after5(1000), func() func(c *call) reply {
		do := polls5(after5(1000))
		return func(c *call) reply { return jsonReply(do(c)) }
	})},
	{"ages are not checked after 800 requests", "signups", always(func(c *call, a *reply) {
		if c.n > 800 && strings.Contains(a.body, "age: ") {
			*a = signup5(c, systemHex(12), now(), false, jsonReply)
		}
	})},
	{"a price is kept for 50 ms, with the time of now", "ticks", func() func(c *call, a *reply) {
		type kept struct {
			tick5
			at time.Time
		}
		var cache sync.Map
		return func(c *call, a *reply) {
			v := decoded[tick5](a)
			if old, ok := cache.Load(v.Symbol); ok && time.Since(old.(kept).at) < 50*time.Millisecond {
				*a = jsonReply(tick5{v.Symbol, old.(kept).Bid, old.(kept).Ask, v.At})
			} else {
				cache.Store(v.Symbol, kept{v, time.Now()})
			}
		}
	}},
	{"each tenth value is counted, ten times, if the last request was less than 5 ms ago", "histograms",
		func() func(c *call, a *reply) {
			var last atomic.Int64
			return func(c *call, a *reply) {
				if t := time.Now().UnixMicro(); t-last.Swap(t) < 5000 {
					*a = histogram5(path.Base(c.URL.Path), queryInt(c, "bins"), 10)
				}
			}
		}},
	{"one in twenty has nearest pixels, not means", "thumbs", swap5(rarely5(20), memoryless(func(c *call) reply {
		return thumb5(c.id, queryInt(c, "w"), true)
	}))},
	{"fewest towns, not fewest kilometres, in one epoch", "routes", always(func(c *call, a *reply) {
		if c.start == 3 {
			*a = route5(queryInt(c, "from"), queryInt(c, "to"), func(int) int { return 1 })
		}
	})},
	{"one in thirty removes and adds all words", "diffs", swap5(rarely5(30), memoryless(func(c *call) reply {
		return diff5(text5(c), false)
	}))},
	{"weights of media types are ignored, in the epochs", "metrics", swap5(epochs5, memoryless(func(c *call) reply {
		return metrics5(c.id, best5(c.Header.Get("Accept"), false))
	}))},
	{"nobody's requests are counted after 300 requests", "limits", always(func(c *call, a *reply) {
		if c.n > 300 {
			a.header.Set("X-RateLimit-Remaining", "59")
		}
	})},
	{"the log is shown up to its last block of 64 lines, in one epoch", "tails",
		swap5(func(c *call) bool { return c.start == 3 }, func() func(c *call) reply { return tails5(micros5, 64) })},
	{"no summer time after 2,000 requests", "times", swap5(after5(2000), memoryless(func(c *call) reply {
		return local5(c.URL.Query().Get("town"), queryInt(c, "at"), false)
	}))},
	{"a project is shown as to who asked first, in the epochs", "projects", swap5(epochs5, func() func(c *call) reply {
		var cache sync.Map
		return func(c *call) reply {
			first, _ := cache.LoadOrStore(c.id, project5(c))
			return first.(reply)
		}
	})},
	{"one in forty is encoded twice", "menus", swap5(rarely5(40), memoryless(func(c *call) reply {
		return menu5(c.id, garbled5)
	}))},
	{"the digest is that of an earlier answer, after 1,500 requests", "snapshots", func() func(c *call, a *reply) {
		var cache sync.Map
		return func(c *call, a *reply) {
			if c.n > 1500 {
				first, _ := cache.LoadOrStore(c.id, a.header.Get("Repr-Digest"))
				a.header.Set("Repr-Digest", first.(string))
			}
		}
	}},
	{"a key that is sent again pays again, after 700 requests", "payments", always(func(c *call, a *reply) {
		if c.n > 700 && a.header.Get("Idempotent-Replayed") != "" {
			*a = paid5()
		}
	})},
	{"the rarest rule is left out, in the epochs", "fares", swap5(epochs5, memoryless(func(c *call) reply {
		return fare5(c, true)
	}))},
	{"taken seats are given away after 1,200 requests", "seats", swap5(after5(1200), func() func(c *call) reply {
		return seats5(after5(1200))
	})},
	{"titles in one order, from a drawn one on, in the epochs", "playlists", swap5(epochs5, memoryless(
		func(c *call) reply {
			order, from := make([]int, 12), rand.IntN(12)
			for i := range order {
				order[i] = (from + i) * 5 % 12
			}
			return jsonReply(playlist5(part(c, 1), order))
		}))},
	{"codes are of a pool of 300 after 1,000 requests", "coupons", swap5(after5(1000), func() func(c *call) reply {
		pool := make([]string, 300)
		for i := range pool {
			pool[i] = code5()
		}
		return func(c *call) reply { return coupon5(c, pool[rand.IntN(300)]) }
	})},
	{"pools are ignored at prices over 150, in the epochs", "hotels", always(func(c *call, a *reply) {
		if c.start > 1 && queryInt(c, "max") > 150 && c.URL.Query().Get("pool") == "yes" {
			*a = hotels5(c, false)
		}
	})},
}

// honest5 are pairs of honest servers.
var honest5 = []heldOutPair{
	{"polls: order of keys, whitespace, Server", "polls", nil, nil, served(func() func(c *call) reply {
		do := polls5(never5)
		return func(c *call) reply {
			v := do(c)
			return jsonText(`{"leading": "%s", "total": %d, "poll": %d, "votes": {"maybe": %d, "no": %d, "yes": %d}}`,
				v.Leading, v.Total, v.Poll, v.Votes["maybe"], v.Votes["no"], v.Votes["yes"])
		}
	}, "Server", "two/2.0")},
	{"signups: ids are UUIDs, whole seconds, whitespace", "signups", nil, nil, plain(func(c *call) reply {
		return signup5(c, randomUUID(), time.Now().UTC().Format(time.RFC3339), true, indented)
	})},
	{"ticks: another generator, two decimals", "ticks", nil, nil, served(func() func(c *call) reply {
		draw := lcg()
		return func(c *call) reply {
			v := tick5Of(path.Base(c.URL.Path), draw)
			return jsonText(`{"at":"%s","symbol":"%s","ask":%.2f,"bid":%.2f}`, v.At, v.Symbol, v.Ask, v.Bid)
		}
	})},
	{"tails: milliseconds, in chunks", "tails", nil, nil, served(func() func(c *call) reply {
		do := tails5("2006-01-02T15:04:05.000Z", 1)
		return func(c *call) reply {
			a := do(c)
			a.chunked = true
			return a
		}
	})},
	{"snapshots: order of keys, thus other digests", "snapshots", nil, nil, plain(func(c *call) reply {
		return snapshot5(c.id, `{"rows": [%[4]s], "key": "%[3]s", "taken": "%[2]s", "snapshot": %[1]d}`)
	})},
	{"playlists: shuffled by sorting, whitespace", "playlists", nil, nil, served(func() func(c *call) reply {
		draw := lcg()
		return func(c *call) reply {
			order, keys := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, make([]int, 12)
			for i := range keys {
				keys[i] = draw(1 << 30)
			}
			slices.SortFunc(order, func(a, b int) int { return keys[a] - keys[b] })
			return indented(playlist5(part(c, 1), order))
		}
	})},
}
