package main

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// rows is the number of rows in the table world.
const rows = 10000

type world struct {
	ID           int `json:"id"`
	RandomNumber int `json:"randomNumber"`
}

type fortune struct {
	ID      int
	Message string
}

//go:embed fortunes.html
var fortunesHTML string

var fortunesPage = template.Must(template.New("fortunes").Parse(fortunesHTML))

// store answers from the database.
type store struct {
	pool  *pgxpool.Pool // never closed: that would wait for a database that is frozen
	cache *lru.Cache[int, world]
}

func newStore(url string) (*store, error) {
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		return nil, err
	}
	cache, err := lru.New[int, world](rows)
	return &store{pool, cache}, err
}

// random returns an id or a random number: both are from 1 to 10,000.
func random() int { return rand.IntN(rows) + 1 }

// read reads a row.
func (s *store) read(ctx context.Context, id int) (w world, err error) {
	err = s.pool.QueryRow(ctx, "SELECT id, randomnumber FROM world WHERE id = $1", id).Scan(&w.ID, &w.RandomNumber)
	return w, err
}

// readCached reads a row from the cache, or if it is not there, from the table.
func (s *store) readCached(ctx context.Context, id int) (world, error) {
	if w, ok := s.cache.Get(id); ok {
		return w, nil
	}
	w, err := s.read(ctx, id)
	if err == nil {
		s.cache.Add(id, w)
	}
	return w, err
}

// readMany reads random rows one by one, 1 to 500 as the request's parameter says.
func readMany(r *http.Request, name string, read func(context.Context, int) (world, error)) ([]world, error) {
	n, _ := strconv.Atoi(r.URL.Query().Get(name))
	all := make([]world, min(max(n, 1), 500))
	for i := range all {
		var err error
		if all[i], err = read(r.Context(), random()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *store) getWorld(r *http.Request) (world, error) { return s.read(r.Context(), random()) }

func (s *store) getWorlds(r *http.Request) ([]world, error) { return readMany(r, "queries", s.read) }

func (s *store) getCachedWorlds(r *http.Request) ([]world, error) {
	return readMany(r, "count", s.readCached)
}

func (s *store) updateWorlds(r *http.Request) ([]world, error) {
	all, err := readMany(r, "queries", s.read)
	if err != nil {
		return nil, err
	}
	// All transactions lock rows in the order of their ids, so that none waits for another in a circle.
	slices.SortFunc(all, func(a, b world) int { return a.ID - b.ID })
	var batch pgx.Batch // an implicit transaction
	for i := range all {
		all[i].RandomNumber = random()
		batch.Queue("UPDATE world SET randomnumber = $1 WHERE id = $2", all[i].RandomNumber, all[i].ID)
	}
	return all, s.pool.SendBatch(r.Context(), &batch).Close()
}

func (s *store) getFortunes(w http.ResponseWriter, r *http.Request) {
	found, _ := s.pool.Query(r.Context(), "SELECT id, message FROM fortune")
	all, err := pgx.CollectRows(found, pgx.RowToStructByPos[fortune])
	if err != nil {
		fail(w, err)
		return
	}
	all = append(all, fortune{0, "Additional fortune added at request time."})
	slices.SortFunc(all, func(a, b fortune) int { return strings.Compare(a.Message, b.Message) })
	var body bytes.Buffer
	if err := fortunesPage.Execute(&body, all); err != nil {
		fail(w, err)
		return
	}
	send(w, "text/html; charset=utf-8", body.Bytes())
}
