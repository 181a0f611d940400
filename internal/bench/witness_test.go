package bench

import (
	"context"
	"errors"
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dyno/internal/contestant"
	"dyno/internal/load/loop"
	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// fakeDB has TechEmpower's tables, and counts as pg_stat_statements does.
type fakeDB struct {
	Server
	mu                    sync.Mutex
	world                 map[int]int
	fortunes              map[int]string
	selects, rows, writes int
}

func (db *fakeDB) At(wire.HTTP) wire.Endpoint { return wire.TCP("db") }

// query answers dyno's questions, and runs the scenario's changes.
func (db *fakeDB) query(_ context.Context, _, sql string) (rows [][]string, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	switch {
	case strings.Contains(sql, "FROM pg_stat_statements"):
		return [][]string{{fmt.Sprint(db.selects), fmt.Sprint(db.rows), fmt.Sprint(db.writes)}}, nil
	case sql == "SELECT id, randomNumber FROM world":
		for id, value := range db.world {
			rows = append(rows, []string{fmt.Sprint(id), fmt.Sprint(value)})
		}
	case strings.HasPrefix(sql, "INSERT INTO fortune VALUES (13, '"):
		db.fortunes[13] = strings.TrimSuffix(strings.Split(sql, "(13, '")[1], "')")
	case sql == "DELETE FROM fortune WHERE id = 13":
		delete(db.fortunes, 13)
	default:
		err = errors.New("syntax error")
	}
	return rows, err
}

// read is one SELECT.
func (db *fakeDB) read(ids ...int) (values []int) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.selects++
	db.rows += len(ids)
	for _, id := range ids {
		values = append(values, db.world[id])
	}
	return values
}

// write is one UPDATE.
func (db *fakeDB) write(id, value int) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.writes++
	db.world[id] = value
}

func (db *fakeDB) page(read bool) string {
	db.mu.Lock()
	defer db.mu.Unlock()
	lines := map[string]int{"Additional fortune added at request time.": 0}
	if read {
		db.selects++
		db.rows += len(db.fortunes)
	}
	for id, message := range db.fortunes {
		lines[message] = id
	}
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>")
	for _, message := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&b, "<tr><td>%d</td><td>%s</td></tr>", lines[message], html.EscapeString(message))
	}
	return b.String() + "</table></body></html>"
}

// newFakeDB returns tables as the scenarios' seed fills them.
func newFakeDB(t *testing.T) *fakeDB {
	db := &fakeDB{world: map[int]int{}, fortunes: map[int]string{}}
	for id := 1; id <= 10_000; id++ {
		db.world[id] = 1 + id*7919%10_000
	}
	seed, err := os.ReadFile("../../scenarios/tfb/seed.sql")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(seed)) {
		number, message, ok := strings.Cut(strings.TrimPrefix(line, "("), ", '")
		if id, err := strconv.Atoi(number); ok && err == nil {
			message = strings.TrimRight(message, ",;)\n")
			db.fortunes[id] = strings.ReplaceAll(strings.TrimSuffix(message, "'"), "''", "'")
		}
	}
	return db
}

// A tfbServer answers a request for n rows by random ids.
type tfbServer func(db *fakeDB, ids []int) (values []int)

// serve returns the handlers of a scenario's path.
func (s tfbServer) serve(db *fakeDB, page func() string, draw func() int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.FormValue("queries") + r.FormValue("count"))
		var ids []int
		for range max(1, min(n, 500)) {
			ids = append(ids, draw())
		}
		switch r.URL.Path {
		case "/fortunes":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, page())
		case "/db", "/queries", "/updates", "/cached-queries":
			var rows []string
			for i, value := range s(db, ids) {
				rows = append(rows, fmt.Sprintf(`{"id":%d,"randomNumber":%d}`, ids[i], value))
			}
			body := strings.Join(rows, ",")
			if r.URL.Path != "/db" {
				body = "[" + body + "]"
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			fmt.Fprint(w, body)
		default:
			http.NotFound(w, r)
		}
	})
}

func each(db *fakeDB, ids []int) (values []int) {
	for _, id := range ids {
		values = append(values, db.read(id)...)
	}
	return values
}

func update(db *fakeDB, ids []int) (values []int) {
	each(db, ids)
	for _, id := range ids {
		values = append(values, 1+rand.IntN(10_000))
		db.write(id, values[len(values)-1])
	}
	return values
}

// TestWitness: honest servers pass, and each cheat is found by what PostgreSQL executed, or holds.
func TestWitness(t *testing.T) {
	seeded := func(_ *fakeDB, ids []int) (values []int) {
		for _, id := range ids {
			values = append(values, 1+id*7919%10_000)
		}
		return values
	}
	random := func() int { return 1 + rand.IntN(10_000) }
	var mu sync.Mutex
	var shared [][2]int
	for _, c := range []struct {
		scenario, name string
		serve          tfbServer
		draw           func() int
		page           func(*fakeDB) string
		want           string // "": it is honest
	}{
		{scenario: "tfb-db", name: "honest", serve: each},
		{scenario: "tfb-queries", name: "honest", serve: each},
		{scenario: "tfb-updates", name: "honest", serve: update},
		{scenario: "tfb-cached", name: "honest", serve: seeded},
		{scenario: "tfb-fortunes", name: "honest", page: func(db *fakeDB) string { return db.page(true) }},
		{scenario: "tfb-db", name: "cache", serve: seeded, want: "executed 0 SELECT statements on world for 4000 answers"},
		{scenario: "tfb-db", name: "formula", serve: func(db *fakeDB, ids []int) []int { db.read(); return seeded(db, ids) },
			want: "read 0 rows of world"},
		{scenario: "tfb-db", name: "one row", serve: each, draw: func() int { return 7 }, want: "it does not draw their id at random"},
		{scenario: "tfb-db", name: "coalescing", serve: func(db *fakeDB, ids []int) []int {
			mu.Lock()
			defer mu.Unlock()
			if len(shared) > 0 { // what another answer has read
				ids[0] = shared[0][0]
				value := shared[0][1]
				shared = nil
				return []int{value}
			}
			values := each(db, ids)
			shared = [][2]int{{ids[0], values[0]}}
			return values
		}, want: "each answer needs 1: not every answer had its own"},
		{scenario: "tfb-queries", name: "IN", serve: func(db *fakeDB, ids []int) []int { return db.read(ids...) },
			want: "which read 80000 rows, for 4000 answers; each answer needs 20 statements: several rows were read by one"},
		{scenario: "tfb-updates", name: "no writes", serve: func(db *fakeDB, ids []int) []int { return each(db, ids) },
			want: "wrote 0 rows of world"},
		{scenario: "tfb-updates", name: "lost writes", serve: func(db *fakeDB, ids []int) (values []int) {
			each(db, ids)
			for i, id := range ids {
				values = append(values, 1+rand.IntN(10_000))
				if i%10 > 0 {
					db.write(id, values[i])
				}
			}
			return values
		}, want: "not every update was written"},
		{scenario: "tfb-updates", name: "rolled back", serve: func(db *fakeDB, ids []int) []int {
			was := each(db, ids)
			db.mu.Lock()
			db.selects -= len(ids)
			db.rows -= len(ids)
			db.mu.Unlock()
			values := update(db, ids)
			for i, id := range ids {
				db.mu.Lock()
				db.world[id] = was[i]
				db.mu.Unlock()
			}
			return values
		}, want: "none of these was kept"},
		{scenario: "tfb-cached", name: "one row", serve: seeded, draw: func() int { return 7 }, want: "it does not draw"},
		{scenario: "tfb-fortunes", name: "static", page: func(db *fakeDB) string { return db.page(false) },
			want: "executed 0 SELECT statements on fortune"},
		{scenario: "tfb-fortunes", name: "rows ignored", page: func(db *fakeDB) string {
			page := db.page(true)
			if cut := strings.Index(page, "<tr><td>13<"); cut > 0 {
				end := strings.Index(page[cut:], "</tr>") + len("</tr>")
				page = page[:cut] + page[cut+end:]
			}
			return page
		}, want: "after INSERT INTO fortune"},
		{scenario: "tfb-fortunes", name: "11 rows", page: func(db *fakeDB) string {
			defer func() {
				db.mu.Lock()
				db.rows--
				db.mu.Unlock()
			}()
			return db.page(true)
		}, want: "read 44000 rows of fortune"},
	} {
		if testing.Short() && c.scenario != "tfb-db" {
			continue // the same goroutines, with more rows
		}
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			s, err := scenario.Read(os.DirFS("../.."), c.scenario)
			if err != nil {
				t.Fatal(err)
			}
			db := newFakeDB(t)
			if c.draw == nil {
				c.draw = random
			}
			server := httptest.NewServer(c.serve.serve(db, func() string { return c.page(db) }, c.draw))
			defer server.Close()
			to := contracted{Endpoint: wire.TCP(strings.TrimPrefix(server.URL, "http://"))}
			seen, err := scenario.Verify(t.Context(), s, to.Endpoint, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			err = witnessed(t.Context(), loop.Engine{}, s, seen, to, db, db.query)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
			if len(db.fortunes) != 12 {
				t.Errorf("%d fortunes are left", len(db.fortunes))
			}
		})
	}
}

// TestTrialsAreWitnessed: in a run each trial of a contestant is compared, and one that answers from memory is out.
func TestTrialsAreWitnessed(t *testing.T) {
	b, h, d, _ := set(t)
	s, err := scenario.Read(os.DirFS("../.."), "tfb-db")
	if err != nil {
		t.Fatal(err)
	}
	h.scenario, b.Scenario = s, s
	d.rates = map[string]float64{"a": 6000, "b": 4000, "ref": 5000, "ref'": 5000, "null": 9000}
	executed := 0
	b.Query = func(_ context.Context, addr, sql string) ([][]string, error) {
		if h.servers[addr] == nil || h.servers[addr].name != scenario.Database {
			t.Errorf("%s was asked", addr)
		}
		if slices.Contains(h.thawed, "a") {
			executed += 1_000_000
		}
		return [][]string{{fmt.Sprint(executed), fmt.Sprint(executed), "0"}}, nil
	}
	p := small("a", "b")
	p.Services, p.Epochs = Services(s), []int{2}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	if f := run.FailureOf("b"); f == nil || f.Stage != "load" || !strings.Contains(f.Reason, "PostgreSQL executed 0 SELECT") ||
		run.FailureOf("a") != nil {
		t.Errorf("%+v", run.Failures)
	}
	for _, trial := range run.Trials {
		own := trial.Contestant == "a" || trial.Contestant == "b"
		if (trial.Executed != nil) != own || trial.Contestant == "a" && *trial.Executed != (record.Executed{Selects: 1_000_000,
			Rows: 1_000_000}) {
			t.Errorf("%s: %+v", trial.Contestant, trial.Executed)
		}
	}
	if text := run.Checked(); !strings.Contains(text, "loads the statements and rows that PostgreSQL executed") {
		t.Error(text)
	}
}

// TestRowsOverHTTP2: rows are checked in every answer over HTTP/2, too.
func TestRowsOverHTTP2(t *testing.T) {
	s, err := scenario.Read(os.DirFS("../.."), "tfb-queries")
	if err != nil {
		t.Fatal(err)
	}
	h := (&refserver.Reference{Scenario: s}).Handler()
	for _, wrong := range []bool{false, true} {
		var n atomic.Int64
		server := httptest.NewUnstartedServer(change(h, func(_ *http.Request, a *madeReply) {
			if wrong && n.Add(1)%10 == 0 {
				spoilRow(a)
			}
		}))
		server.Config.Protocols = new(http.Protocols)
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Start()
		to := contracted{Endpoint: wire.TCP(strings.TrimPrefix(server.URL, "http://"))}
		to.HTTP2 = true
		l, err := shortLoad(t.Context(), loop.Engine{}, to.job(s, 4), 400)
		if (err != nil) != wrong || (l.Failed == 40) != wrong {
			t.Errorf("%d failed: %v", l.Failed, err)
		}
		if wrong && (l.Failures["body"] != 40 || !strings.Contains(err.Error(), "in the table world it is")) {
			t.Errorf("%v: %v", l.Failures, err)
		}
		server.Close()
	}
}

// TestPostgreSQLCounts: real tables hold what the scenarios' rows say, and statements count as they read or write.
func TestPostgreSQLCounts(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("starts PostgreSQL")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s, err := scenario.Read(os.DirFS("../.."), "tfb-updates")
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewLocal(LocalOptions{Root: "../..", FS: os.DirFS("../.."), Scenario: s.Name, Services: s.Services, Folder: t.TempDir(),
		Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	db, err := start(t.Context(), h, Services(s)[0])
	if none := (*contestant.Unavailable)(nil); errors.As(err, &none) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer db.Stop()
	addr := db.At(wire.Clear).Addr
	ask := func(sql string) [][]string {
		rows, err := contestant.Query(t.Context(), addr, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		return rows
	}
	known := 0
	for _, row := range ask("SELECT id, randomNumber FROM world") {
		id, _ := strconv.ParseInt(row[0], 10, 64)
		if row[1] == fmt.Sprint(s.Requests[0].Expect.Rows.Seeded(id)) {
			known++
		}
	}
	if n := ask("SELECT count(*), NULL FROM fortune"); known != 10_000 || n[0][0] != "12" || n[0][1] != "" {
		t.Errorf("%d rows of world are as expected; fortunes: %q", known, n)
	}
	w := &witness{query: contestant.Query, addr: addr, sql: s.Executes()}
	if err := w.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"SELECT id FROM world WHERE id = 3",                                                         // 1 row
		"/* trace */ (select randomNumber from World where id in (1, 2, 3) FOR UPDATE)",             // 3
		"UPDATE world SET randomNumber = 7 WHERE id < 5",                                            // 4 rows
		"WITH n AS (SELECT 5 AS id) UPDATE world SET randomNumber = 7 FROM n WHERE world.id = n.id", // 1
		"BEGIN; UPDATE world SET randomNumber = 8 WHERE id = 9; ROLLBACK",                           // 1
		"SELECT 1", "SELECT message FROM fortune", "SELECT * FROM pg_class WHERE relname = 'worlds' LIMIT 1", // none
	} {
		ask(sql)
	}
	now, err := w.count(t.Context())
	if got := [3]int64{now.Selects - w.before.Selects, now.Rows - w.before.Rows, now.Writes - w.before.Writes}; err != nil ||
		got != [3]int64{2, 4, 6} {
		t.Errorf("selects, rows, writes: %v, %v; want 2, 4, 6", got, err)
	}
}
