package main

import (
	"context"
	"database/sql"
	"embed"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	lru "github.com/hashicorp/golang-lru/v2"
	_ "github.com/jackc/pgx/v5/stdlib"
)

const (
	rows  = 10000 // in the table world
	conns = 30    // so that three servers can share PostgreSQL's default of 100
)

type world struct {
	ID           int `json:"id"`
	RandomNumber int `json:"randomNumber"`
}

type fortune struct {
	ID      int
	Message string
}

//go:embed *.html
var pages embed.FS

// store answers from the database.
type store struct {
	db    *sql.DB // never closed: that would wait for a database that is frozen
	cache *lru.Cache[int, world]
}

func newStore(url string) (*store, error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	cache, err := lru.New[int, world](rows)
	return &store{db, cache}, err
}

// random returns an id or a random number: both are from 1 to 10,000.
func random() int { return rand.IntN(rows) + 1 }

// read reads a row.
func (s *store) read(ctx context.Context, id int) (w world, err error) {
	row := s.db.QueryRowContext(ctx, "SELECT id, randomnumber FROM world WHERE id = $1", id)
	err = row.Scan(&w.ID, &w.RandomNumber)
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
func readMany(c *gin.Context, name string, read func(context.Context, int) (world, error)) ([]world, error) {
	n, _ := strconv.Atoi(c.Query(name))
	all := make([]world, min(max(n, 1), 500))
	for i := range all {
		var err error
		if all[i], err = read(c.Request.Context(), random()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// update writes the rows' random numbers in one transaction.
func (s *store) update(ctx context.Context, all []world) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, w := range all {
		_, err := tx.ExecContext(ctx, "UPDATE world SET randomnumber = $1 WHERE id = $2", w.RandomNumber, w.ID)
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// fortunes reads the table fortune.
func (s *store) fortunes(ctx context.Context) (all []fortune, err error) {
	found, err := s.db.QueryContext(ctx, "SELECT id, message FROM fortune")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var f fortune
		if err := found.Scan(&f.ID, &f.Message); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, found.Err()
}

func (s *store) getWorld(c *gin.Context) {
	w, err := s.read(c.Request.Context(), random())
	answer(c, w, err)
}

func (s *store) getWorlds(c *gin.Context) {
	all, err := readMany(c, "queries", s.read)
	answer(c, all, err)
}

func (s *store) getCachedWorlds(c *gin.Context) {
	all, err := readMany(c, "count", s.readCached)
	answer(c, all, err)
}

func (s *store) updateWorlds(c *gin.Context) {
	all, err := readMany(c, "queries", s.read)
	if err == nil {
		// All transactions lock rows in the order of their ids, so that none waits for another in a circle.
		slices.SortFunc(all, func(a, b world) int { return a.ID - b.ID })
		for i := range all {
			all[i].RandomNumber = random()
		}
		err = s.update(c.Request.Context(), all)
	}
	answer(c, all, err)
}

func (s *store) getFortunes(c *gin.Context) {
	all, err := s.fortunes(c.Request.Context())
	if err != nil {
		fail(c, err)
		return
	}
	all = append(all, fortune{0, "Additional fortune added at request time."})
	slices.SortFunc(all, func(a, b fortune) int { return strings.Compare(a.Message, b.Message) })
	c.HTML(http.StatusOK, "fortunes.html", all)
}
