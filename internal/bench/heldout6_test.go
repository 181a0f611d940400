package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dyno/internal/scenario"
)

// The sixth set. Its kinds and cheats are described in heldout_test.go.

func withStatus6(status int, a reply) reply {
	a.status = status
	return a
}

func statuses6(list string) scenario.StatusSet {
	set, _ := scenario.ParseStatuses(list)
	return set
}

// signatures6 are those of webhooks, by event.
var signatures6 = map[string]string{"push": "7d1f40c2", "tag": "7d1f9a3e", "fork": "b2c85511"}

// hook6 compares this many digits of the signature.
func hook6(c *call, digits int, render func(event string, repo int) reply) reply {
	var hook struct {
		Event string
		Repo  int
	}
	_ = json.Unmarshal([]byte(text5(c)), &hook)
	want := signatures6[hook.Event]
	if want == "" || !strings.HasPrefix(c.Header.Get("X-Signature"), want[:digits]) {
		return withStatus6(http.StatusUnauthorized, jsonReply(map[string]string{"error": "wrong signature"}))
	}
	return withStatus6(http.StatusAccepted, render(hook.Event, hook.Repo))
}

func delivery6(event string, repo int) reply {
	return jsonReply(map[string]any{"delivery": systemHex(10), "event": event, "repo": repo, "received": now()})
}

// maze6 has ways between w × h cells.
func maze6(w, h int, mirrored bool) reply {
	rows := make([][]byte, 2*h+1)
	for y := range rows {
		rows[y] = bytes.Repeat([]byte("#"), 2*w+1)
	}
	var visit func(x, y int)
	visit = func(x, y int) {
		rows[y][x] = ' '
		for _, way := range rand.Perm(4) {
			dx, dy := []int{1, 0, -1, 0}[way], []int{0, 1, 0, -1}[way]
			if far, down := x+2*dx, y+2*dy; far > 0 && far < 2*w && down > 0 && down < 2*h && rows[down][far] == '#' {
				rows[y+dy][x+dx] = ' '
				visit(far, down)
			}
		}
	}
	visit(1, 1)
	for y := range h {
		if mirrored {
			rows[2*h-y] = rows[y]
		}
	}
	return typed("text/plain; charset=utf-8", string(bytes.Join(rows, []byte("\n")))+"\n")
}

// sparkline6 is a drawing whose area is filled with one of two names of a gradient: the first is defined.
func sparkline6(id int, defined, used string) reply {
	var b strings.Builder
	for x := range 20 {
		fmt.Fprintf(&b, "L%d,%d", x*5, hashOf("spark", id*20+x)%20)
	}
	return typed("image/svg+xml", fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 95 20"><defs>`+
		`<linearGradient id="g-%s"><stop offset="0" stop-color="#%06x"/></linearGradient></defs>`+
		`<path fill="url(#g-%s)" d="M0,20%sL95,20Z"/></svg>`, defined, hashOf("color", id)%0xffffff, used, b.String()))
}

// upload6 is a place for an upload, for so many seconds.
func upload6(c *call, ttl int) reply {
	made, key := time.Now().UTC(), systemHex(12)
	return withStatus6(http.StatusCreated, jsonReply(map[string]any{"upload": c.id, "key": key,
		"put": fmt.Sprintf("/put/%d/%s", c.id, key), "issued": made.Format(time.RFC3339Nano),
		"expires": made.Add(time.Duration(ttl) * time.Second).Format(time.RFC3339Nano)}))
}

// experiment6 is the variant for a user, who was assigned by a number.
func experiment6(c *call, number int) reply {
	variant := []string{"control", "control", "large", "green"}[number%4]
	return jsonText(`{"experiment":"%s","user":%d,"variant":"%s","impression":"%s","at":"%s"}`, path.Base(c.URL.Path),
		queryInt(c, "user"), variant, randomUUID(), now())
}

// readings6 have noise, with a deviation of one half to five.
func readings6(c *call, noise func() float64) (all []float64) {
	for range queryInt(c, "n") {
		v := float64(200+hashOf("sensor", c.id)%600) + float64(1+hashOf("noise", c.id)%10)/2*noise()
		all = append(all, math.Round(v*100)/100)
	}
	return all
}

func sensor6(c *call, noise func() float64) reply {
	return jsonReply(map[string]any{"sensor": c.id, "at": now(), "readings": readings6(c, noise)})
}

type record6 struct {
	Name string `json:"name"`
	Type string `json:"type"`
	TTL  int    `json:"ttl"`
	Data string `json:"data"`
}

var zone6 = func() (all []record6) {
	for name, alias := range map[string]string{"www": "web", "shop": "web", "docs": "pages"} {
		all = append(all, record6{name + ".example", "CNAME", 3600, alias + ".example"})
	}
	for i := range 4 {
		all = append(all, record6{"web.example", "A", 300, fmt.Sprintf("192.0.2.%d", 10+i)},
			record6{"pages.example", "A", 60, fmt.Sprintf("198.51.100.%d", 40+7*i)})
	}
	return append(all, record6{"web.example", "MX", 900, "10 mail.example"},
		record6{"mail.example", "A", 900, "203.0.113.25"})
}()

// resolve6 finds records of the zone; those of an alias too where follows allows it.
func resolve6(c *call, perm func(n int) []int, follows bool) (status string, found []record6) {
	name, kind, known := c.URL.Query().Get("name"), c.URL.Query().Get("type"), false
	found = []record6{}
	for _, r := range zone6 {
		if r.Name == name && r.Type == "CNAME" {
			if found = append(found, r); !follows {
				return "NOERROR", found
			}
			name, known = r.Data, true
		}
	}
	var last []record6
	for _, r := range zone6 {
		if known = known || r.Name == name; r.Name == name && r.Type == kind {
			last = append(last, r)
		}
	}
	for _, i := range perm(len(last)) {
		found = append(found, last[i])
	}
	if !known {
		return "NXDOMAIN", found
	}
	return "NOERROR", found
}

func resolved6(c *call, follows bool) reply {
	status, found := resolve6(c, rand.Perm, follows)
	return jsonReply(map[string]any{"id": rand.IntN(1 << 16), "status": status, "answers": found})
}

// import6 counts what a file of semicolon-separated values lists: item, count, cents. Quotes are read, or cut off.
func import6(text string, quotes bool) (first string, rows, total int) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = ';'
	lines, _ := r.ReadAll()
	if !quotes {
		lines = nil
		for line := range strings.Lines(text) {
			lines = append(lines, strings.Split(strings.TrimSpace(line), ";"))
		}
	}
	for _, line := range lines[min(1, len(lines)):] {
		if len(line) >= 3 {
			count, _ := strconv.Atoi(line[1])
			cents, _ := strconv.Atoi(line[2])
			if rows, total = rows+1, total+count*cents; rows == 1 {
				first = strings.Trim(line[0], `"`)
			}
		}
	}
	return first, rows, total
}

func imported6(c *call, quotes bool) reply {
	first, rows, total := import6(text5(c), quotes)
	return withStatus6(http.StatusCreated, jsonReply(map[string]any{"import": systemHex(8), "at": now(), "first": first,
		"rows": rows, "total": total}))
}

// quiz6 asks one of twenty questions. The right one of four answers is moved with them, or not.
func quiz6(subject string, moved bool) reply {
	n, options := rand.IntN(20), []string{}
	for i := range 4 {
		options = append(options, fmt.Sprintf("%s %04x", subject, hashOf(subject, n*4+i)%0xffff))
	}
	right := hashOf("right "+subject, n) >> 4 % 4
	answer := options[right]
	rand.Shuffle(4, func(i, j int) { options[i], options[j] = options[j], options[i] })
	if moved {
		right = slices.Index(options, answer)
	}
	return jsonReply(map[string]any{"quiz": randomUUID(), "options": options, "right": right,
		"question": fmt.Sprintf("Which of these %s is no. %d?", subject, n)})
}

// agenda6 has three events. Their texts are escaped.
func agenda6(id int, escape func(text string) string) reply {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//agenda//EN\r\n")
	for i := range 3 {
		k := hashOf("event", id*3+i)
		what := []string{"Lunch, at last", "Review", "Planning; then retro", "Call", "Choir, tenors"}[k%5]
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%s@example.org\r\nDTSTAMP:%s\r\nDTSTART:202612%02dT%02d0000Z\r\n"+
			"SUMMARY:%s\r\nLOCATION:%s\r\nEND:VEVENT\r\n", systemHex(8), time.Now().UTC().Format("20060102T150405Z"),
			1+k/7%28, 8+k/11%10, escape(what), escape(fmt.Sprintf("Room %d, floor %d", k/13%90, k/17%9)))
	}
	return typed("text/calendar; charset=utf-8", b.String()+"END:VCALENDAR\r\n")
}

// patch6 is what a product would be after a JSON Patch. Tests of the patch are skipped, or not.
func patch6(c *call, tests bool) reply {
	var ops []struct {
		Op, Path string
		Value    any
	}
	_ = json.Unmarshal([]byte(text5(c)), &ops)
	product := map[string]any{"id": c.id, "color": []string{"red", "blue", "green"}[hashOf("color", c.id)%3],
		"stock": hashOf("stock", c.id) % 100, "note": fmt.Sprintf("shelf %d", hashOf("shelf", c.id)%40)}
	for _, op := range ops {
		field := strings.TrimPrefix(op.Path, "/")
		switch {
		case op.Op == "remove":
			delete(product, field)
		case op.Op != "test":
			product[field] = op.Value
		case tests && product[field] != op.Value:
			return withStatus6(http.StatusConflict, jsonReply(map[string]any{"failed": "test", "path": op.Path}))
		}
	}
	return jsonReply(product)
}

// track6 is a way over 60 points.
func track6(id int) (all [60][2]int) {
	x, y := hashOf("x", id)%1000, hashOf("y", id)%1000
	for i := range all {
		k := hashOf("step", id*60+i)
		x, y = x+k%9, y+k/9%19-9
		all[i] = [2]int{x, y}
	}
	return all
}

// keep6 appends the points after the first that are further than this from the line (Douglas and Peucker).
func keep6(kept, all [][2]int, far float64) [][2]int {
	a, b := all[0], all[len(all)-1]
	dx, dy := float64(b[0]-a[0]), float64(b[1]-a[1])
	most, at := 0.0, 0
	for i, p := range all {
		d := math.Abs(dx*float64(p[1]-a[1])-dy*float64(p[0]-a[0])) / max(1, math.Hypot(dx, dy))
		if d > most {
			most, at = d, i
		}
	}
	if most <= far || at == 0 || at == len(all)-1 {
		return append(kept, b)
	}
	return keep6(keep6(kept, all[:at+1], far), all[at:], far)
}

// polyline6 replaces the points by as many in equal steps, where even is set.
func polyline6(c *call, even bool) reply {
	all := track6(c.id)
	kept := keep6([][2]int{all[0]}, all[:], float64(queryInt(c, "tolerance")))
	for i := range kept {
		if even {
			kept[i] = all[i*(len(all)-1)/(len(kept)-1)]
		}
	}
	var line []byte
	last := [2]int{}
	for _, p := range kept {
		for i := range p {
			v := (p[i] - last[i]) << 1
			if v < 0 {
				v = ^v
			}
			for ; v >= 32; v >>= 5 {
				line = append(line, byte(v&31|32)+63)
			}
			line = append(line, byte(v)+63)
		}
		last = p
	}
	return jsonReply(map[string]any{"track": c.id, "points": len(kept), "polyline": string(line)})
}

// factors6 divides by numbers up to a greatest one.
func factors6(n, greatest int) reply {
	found, rest := []int{}, n
	for d := 2; d <= greatest && d*d <= rest; d++ {
		for ; rest%d == 0; rest /= d {
			found = append(found, d)
		}
	}
	if rest > 1 {
		found = append(found, rest)
	}
	return jsonReply(map[string]any{"n": n, "factors": found, "prime": len(found) == 1})
}

// visitors6 counts different visitors of days, exactly or by the share of 512 bits that are set.
func visitors6(c *call, exact bool) reply {
	from, days, seen := queryInt(c, "from"), queryInt(c, "days"), map[int]bool{}
	var bits [512]bool
	free := len(bits)
	for i := from * 30; i < (from+days)*30; i++ {
		visitor := hashOf("visit", i) % 400
		seen[visitor] = true
		if bit := &bits[hashOf("bit", visitor)%len(bits)]; !*bit {
			*bit, free = true, free-1
		}
	}
	n := len(seen)
	if !exact {
		n = int(math.Round(-512 * math.Log(float64(max(free, 1))/512)))
	}
	return jsonReply(map[string]int{"from": from, "days": days, "visits": days * 30, "visitors": n})
}

// roster6 has all students of a course, or only those with a grade.
func roster6(course int, all bool) reply {
	rows := []map[string]any{}
	for i := range 6 + course%7 {
		k := hashOf("student", course*20+i)
		row := map[string]any{"student": k % 5000, "name": fmt.Sprintf("S. %06x", k%0xffffff), "grade": nil}
		if k>>5%5 != 0 {
			row["grade"] = []string{"A", "B", "C", "D"}[k>>8%4]
		}
		if all || row["grade"] != nil {
			rows = append(rows, row)
		}
	}
	return jsonReply(map[string]any{"course": course, "students": rows})
}

// wiki6 writes a page whose version, of 1 to 4 and then 1 again, is that of If-Match, or where blind allows it.
func wiki6(blind func(c *call) bool) func(c *call) reply {
	type page struct{ edits, version int }
	var mu sync.Mutex
	pages := map[int]page{}
	return func(c *call) reply {
		mu.Lock()
		defer mu.Unlock()
		p, status := pages[c.id], http.StatusPreconditionFailed
		if p.version = p.edits%4 + 1; c.Header.Get("If-Match") == fmt.Sprintf(`"%d"`, p.version) || blind(c) {
			p.edits, p.version, status = p.edits+1, (p.edits+1)%4+1, http.StatusOK
			pages[c.id] = p
		}
		a := jsonText(`{"page":%d,"saved":%v,"edits":%d}`, c.id, status == http.StatusOK, p.edits)
		a.header.Set("ETag", fmt.Sprintf(`"%d"`, p.version))
		return withStatus6(status, a)
	}
}

// queues6 hold numbers: POST appends the next, DELETE takes the oldest, or the newest where that is allowed.
func queues6(newest func(c *call) bool, render func(queue int, job *int, length int) reply) func(c *call) reply {
	var mu sync.Mutex
	queues, last := map[int][]int{}, map[int]int{}
	return func(c *call) reply {
		mu.Lock()
		defer mu.Unlock()
		all := queues[c.id]
		var job *int
		switch n := len(all); {
		case c.Method == "POST":
			next := last[c.id] + 1
			all, job, last[c.id] = append(all, next), &next, next
		case n > 0 && newest(c):
			job, all = &all[n-1], slices.Clone(all[:n-1])
		case n > 0:
			job, all = &all[0], slices.Clone(all[1:])
		}
		queues[c.id] = all
		return render(c.id, job, len(all))
	}
}

func queued6(queue int, job *int, length int) reply {
	return jsonReply(map[string]any{"queue": queue, "job": job, "length": length})
}

// preflight6 allows two origins, or any, and some methods of each resource.
func preflight6(c *call, origins bool) reply {
	a := reply{status: http.StatusNoContent, header: http.Header{"Vary": {"Origin, Access-Control-Request-Method"}}}
	allowed := map[string][]string{"carts": {"GET", "PUT", "DELETE"}, "orders": {"GET", "PUT"}, "users": {"GET"}}
	origin, methods := c.Header.Get("Origin"), allowed[path.Base(c.URL.Path)]
	known := origin == "https://shop.example" || origin == "https://admin.example"
	if (known || !origins) && slices.Contains(methods, c.Header.Get("Access-Control-Request-Method")) {
		a.header.Set("Access-Control-Allow-Origin", origin)
		a.header.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
		a.header.Set("Access-Control-Max-Age", "600")
	}
	return a
}

// tree6 is a tree of hashes with 256 leaves; node i is the parent of 2i and 2i+1.
var tree6 = func() (all [512]string) {
	for i := 511; i > 0; i-- {
		text := fmt.Sprint("leaf ", i)
		if i < 256 {
			text = all[2*i] + all[2*i+1]
		}
		all[i] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:24]
	}
	return all
}()

// proof6 has the siblings of a leaf up to the root; the upper ones are those of a leaf nearby.
func proof6(leaf, nearby int) reply {
	up := []string{}
	for i, j := leaf%256+256, nearby%256+256; i > 1; i, j = i/2, j/2 {
		if len(up) == 4 {
			i = j
		}
		up = append(up, tree6[i^1])
	}
	return jsonReply(map[string]any{"leaf": leaf, "hash": tree6[leaf%256+256], "path": up, "root": tree6[1]})
}

type review6 struct {
	Stars  int               `json:"stars"`
	Author map[string]string `json:"author"`
}

type product6 struct {
	Name    string     `json:"name"`
	Reviews *[]review6 `json:"reviews,omitempty"`
}

// query6 gives authors to reviews. They are loaded sorted and each once; in a batch, in that order.
func query6(c *call, batch bool) (p product6) {
	var query struct {
		Variables struct {
			ID, First int
			Reviews   bool
		}
	}
	_ = json.Unmarshal([]byte(text5(c)), &query)
	v := query.Variables
	if p.Name = fmt.Sprintf("Product %06x", hashOf("product", v.ID)%0xffffff); !v.Reviews {
		return p
	}
	var authors []int
	for i := range v.First {
		authors = append(authors, hashOf("author", v.ID*10+i)%90)
	}
	loaded := slices.Compact(slices.Sorted(slices.Values(authors)))
	p.Reviews = &[]review6{}
	for i, author := range authors {
		if batch {
			author = loaded[min(i, len(loaded)-1)]
		}
		*p.Reviews = append(*p.Reviews, review6{1 + hashOf("stars", v.ID*10+i)%5,
			map[string]string{"name": fmt.Sprintf("reader-%02d", author)}})
	}
	return p
}

func queried6(c *call, batch bool) reply {
	return jsonReply(map[string]any{"data": map[string]any{"product": query6(c, batch)}})
}

var escape6 = strings.NewReplacer(`\`, `\\`, ",", `\,`, ";", `\;`).Replace

var heldOutKinds6 = map[string]*heldOutKind{
	"webhooks": {[]string{"POST /hooks"}, memoryless(func(c *call) reply { return hook6(c, 8, delivery6) })},
	"mazes": {[]string{"/mazes?w={int:4..9}&h={int:4..8}"},
		memoryless(func(c *call) reply { return maze6(queryInt(c, "w"), queryInt(c, "h"), false) })},
	"sparklines": {[]string{"/sparklines/{int:1..50}"}, memoryless(func(c *call) reply {
		name := systemHex(4)
		return sparkline6(c.id, name, name)
	})},
	"uploads": {[]string{"POST /uploads/{int:1..200}?ttl={pick:60,900,3600}"},
		memoryless(func(c *call) reply { return upload6(c, queryInt(c, "ttl")) })},
	"experiments": {[]string{"/experiments/{pick:banner,price,signup}?user={int:1..300}"},
		memoryless(func(c *call) reply { return experiment6(c, hashOf(c.URL.Path, queryInt(c, "user"))>>3) })},
	"sensors": {[]string{"/sensors/{int:1..30}?n={int:5..10}"},
		memoryless(func(c *call) reply { return sensor6(c, rand.NormFloat64) })},
	"resolver": {[]string{"/resolve?name={pick:www,shop,docs,web,mail,old}.example&type={pick:A,MX}"},
		memoryless(func(c *call) reply { return resolved6(c, true) })},
	"imports": {[]string{"POST /imports"}, memoryless(func(c *call) reply { return imported6(c, true) })},
	"quiz": {[]string{"/quiz/{pick:birds,rivers,planets}"},
		memoryless(func(c *call) reply { return quiz6(path.Base(c.URL.Path), true) })},
	"agendas": {[]string{"/agendas/{int:1..40}"}, memoryless(func(c *call) reply { return agenda6(c.id, escape6) })},
	"patches": {[]string{"PATCH /products/{int:1..60}?dry=yes"},
		memoryless(func(c *call) reply { return patch6(c, true) })},
	"tracks": {[]string{"/tracks/{int:1..60}?tolerance={int:1..12}"},
		memoryless(func(c *call) reply { return polyline6(c, false) })},
	"factors": {[]string{"/factors/{int:1000..99999}"},
		memoryless(func(c *call) reply { return factors6(c.id, math.MaxInt) })},
	"visitors": {[]string{"/visitors?from={int:0..40}&days={int:1..20}"},
		memoryless(func(c *call) reply { return visitors6(c, true) })},
	"rosters": {[]string{"/courses/{int:1..80}/students"},
		memoryless(func(c *call) reply { return roster6(part(c, 1), true) })},
	"wiki": {[]string{"PUT /wiki/{int:1..25}"}, func() func(c *call) reply { return wiki6(never5) }},
	"queues": {[]string{"POST /queues/{int:1..12}", "DELETE /queues/{int:1..12}"},
		func() func(c *call) reply { return queues6(never5, queued6) }},
	"preflights": {[]string{"OPTIONS /api/{pick:carts,orders,users}"},
		memoryless(func(c *call) reply { return preflight6(c, true) })},
	"proofs":  {[]string{"/proofs/{int:0..255}"}, memoryless(func(c *call) reply { return proof6(c.id, c.id) })},
	"graphql": {[]string{"POST /graphql"}, memoryless(func(c *call) reply { return queried6(c, false) })},
}

// asks6 are the headers and bodies of requests and the statuses of answers, by kind.
var asks6 = map[string]scenario.AdHoc{
	"webhooks": {Template: true, ExpectStatus: statuses6("202,401"),
		Headers: []string{"Content-Type: application/json", "X-Signature: {pick:7d1f40c2,7d1f9a3e,b2c85511}"},
		Body:    text4(`{"event":"{pick:push,tag,fork}","repo":{int:1..90}}`)},
	"imports": {Template: true, Headers: []string{"Content-Type: text/csv; charset=utf-8"},
		Body: text4("item;count;cents\n\"{pick:mat,rug}{pick:;,-,/} {pick:red,blue}\";{int:1..9};{int:100..900}\n" +
			"\"{pick:mug,jar}{pick:;,-,/} {pick:big,wee}\";{int:1..9};{int:100..900}\n")},
	"patches": {Template: true, ExpectStatus: statuses6("200,409"),
		Headers: []string{"Content-Type: application/json-patch+json"},
		Body: text4(`[{"op":"test","path":"/color","value":"{pick:red,blue}"},{"op":"replace","path":"/stock","value"` +
			`:{int:1..99}},{"op":"{pick:add,remove}","path":"/note","value":"{pick:new,last}"}]`)},
	"wiki": {Template: true, ExpectStatus: statuses6("200,412"), Body: text4("A page."),
		Headers: []string{"Content-Type: text/plain", `If-Match: "{int:1..4}"`}},
	"preflights": {Template: true, Headers: []string{"Access-Control-Request-Method: {pick:GET,PUT,DELETE}",
		"Origin: https://{pick:shop.example,admin.example,blog.example,evil.test}"}},
	"graphql": {Template: true, Headers: []string{"Content-Type: application/json"},
		Body: text4(`{"id":"product","variables":{"id":{int:1..80},"reviews":{pick:true,false},"first":{int:2..5}}}`)},
}

// heldOut6 are the cheats of the sixth set.
var heldOut6 = []heldOutCheat{
	{"four of eight digits of the signature are compared, in the epochs", "webhooks", swap5(epochs5,
		memoryless(func(c *call) reply { return hook6(c, 4, delivery6) }))},
	{"the lower half is the upper half, mirrored, after 1,500 requests", "mazes", swap5(after5(1500),
		memoryless(func(c *call) reply { return maze6(queryInt(c, "w"), queryInt(c, "h"), true) }))},
	{"one in thirty is filled with a gradient that it does not define", "sparklines", swap5(rarely5(30),
		memoryless(func(c *call) reply { return sparkline6(c.id, systemHex(4), systemHex(4)) }))},
	{"the time that is asked for is ignored after 900 requests", "uploads", swap5(after5(900),
		memoryless(func(c *call) reply { return upload6(c, 3600) }))},
	{"one in fifteen is assigned anew", "experiments", swap5(rarely5(15),
		memoryless(func(c *call) reply { return experiment6(c, rand.IntN(4)) }))},
	{"noise is uniform, not normal, in the epochs", "sensors", swap5(epochs5,
		memoryless(func(c *call) reply {
			return sensor6(c, func() float64 { return (2*rand.Float64() - 1) * math.Sqrt(3) })
		}))},
	{"aliases are not followed for one name, after 600 requests", "resolver", swap5(
		func(c *call) bool { return c.n > 600 && c.URL.Query().Get("name") == "docs.example" },
		memoryless(func(c *call) reply { return resolved6(c, false) }))},
	{"quotes are cut off, not read, after 700 requests of the last epoch", "imports", swap5(
		func(c *call) bool { return c.start > 3 && c.n > 700 },
		memoryless(func(c *call) reply { return imported6(c, false) }))},
	{"the right answer is where it was before the shuffle, in the epochs", "quiz", swap5(epochs5,
		memoryless(func(c *call) reply { return quiz6(path.Base(c.URL.Path), false) }))},
	{"texts are not escaped, in one epoch", "agendas", swap5(func(c *call) bool { return c.start == 3 },
		memoryless(func(c *call) reply { return agenda6(c.id, strings.Clone) }))},
	{"one in twenty is patched without the test", "patches", swap5(rarely5(20),
		memoryless(func(c *call) reply { return patch6(c, false) }))},
	{"as many points in equal steps after 1,000 requests", "tracks", swap5(after5(1000),
		memoryless(func(c *call) reply { return polyline6(c, true) }))},
	{"numbers are divided by up to 30 alone, after 1,500 requests", "factors", swap5(after5(1500),
		memoryless(func(c *call) reply { return factors6(c.id, 30) }))},
	{"visitors of over twelve days are estimated, in the epochs", "visitors", swap5(
		func(c *call) bool { return c.start > 1 && queryInt(c, "days") > 12 },
		memoryless(func(c *call) reply { return visitors6(c, false) }))},
	{"no students without a grade in each fifth course, in one epoch", "rosters", swap5(
		func(c *call) bool { return c.start == 2 && part(c, 1)%5 == 0 },
		memoryless(func(c *call) reply { return roster6(part(c, 1), false) }))},
	{"any version is overwritten after 1,200 requests", "wiki", swap5(after5(1200),
		func() func(c *call) reply { return wiki6(after5(1200)) })},
	{"the newest leaves first, after 800 requests", "queues", swap5(after5(800),
		func() func(c *call) reply { return queues6(after5(800), queued6) })},
	{"one in ten allows any origin", "preflights", swap5(rarely5(10),
		memoryless(func(c *call) reply { return preflight6(c, false) }))},
	{"upper hashes are those of the leaf before, after 120 on a connection", "proofs", func() func(c *call, a *reply) {
		var conns sync.Map
		return func(c *call, a *reply) {
			if last, ok := conns.Swap(c.RemoteAddr, c.id); ok && c.onConn > 120 {
				*a = proof6(c.id, last.(int))
			}
		}
	}},
	{"one in eight has authors in the order of the batch", "graphql", swap5(rarely5(8),
		memoryless(func(c *call) reply { return queried6(c, true) }))},
}

// honest6 are pairs of honest servers.
var honest6 = []heldOutPair{
	{"webhooks: ids are UUIDs, whole seconds, order of keys", "webhooks", nil, nil, plain(func(c *call) reply {
		return hook6(c, 8, func(event string, repo int) reply {
			return jsonText(`{"received": "%s", "repo": %d, "event": "%s", "delivery": "%s"}`,
				time.Now().UTC().Format(time.RFC3339), repo, event, randomUUID())
		})
	})},
	{"sensors: another way to draw, two decimals", "sensors", nil, nil,
		served(func() func(c *call) reply {
			draw := lcg()
			unit := func() float64 { return (float64(draw(1<<30)) + .5) / (1 << 30) }
			return func(c *call) reply {
				texts := []string{}
				for _, v := range readings6(c, func() float64 {
					return math.Sqrt(-2*math.Log(unit())) * math.Cos(2*math.Pi*unit())
				}) {
					texts = append(texts, strconv.FormatFloat(v, 'f', 2, 64))
				}
				return jsonText(`{"sensor":%d,"readings":[%s],"at":"%s"}`, c.id, strings.Join(texts, ", "), now())
			}
		}, "Server", "two/2.0")},
	{"resolver: shuffled by another generator, whitespace", "resolver", nil, nil, served(func() func(c *call) reply {
		draw := lcg()
		return func(c *call) reply {
			status, found := resolve6(c, func(n int) (order []int) {
				for i := range n {
					order = slices.Insert(order, draw(i+1), i)
				}
				return order
			}, true)
			return indented(map[string]any{"id": draw(1 << 16), "status": status, "answers": found})
		}
	})},
	{"imports: ids are UUIDs, order of keys, in chunks", "imports", nil, nil, chunked(func(c *call) reply {
		first, rows, total := import6(text5(c), true)
		return withStatus6(http.StatusCreated, jsonText(`{"total":%d,"rows":%d,"first":"%s","import":"%s","at":"%s"}`,
			total, rows, first, randomUUID(), time.Now().UTC().Format("2006-01-02T15:04:05.000Z")))
	})},
	{"queues: order of keys, Cache-Control", "queues", nil, nil, served(func() func(c *call) reply {
		return queues6(never5, func(queue int, job *int, length int) reply {
			text, _ := json.Marshal(job)
			return jsonText(`{"length": %d, "job": %s, "queue": %d}`, length, text, queue)
		})
	}, "Cache-Control", "no-store")},
	{"graphql: whitespace, Server", "graphql", nil, nil, served(memoryless(func(c *call) reply {
		return indented(map[string]any{"data": map[string]any{"product": query6(c, false)}})
	}), "Server", "two/2.0")},
}
