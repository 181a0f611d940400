// Package reads has what a handler reads in place of sleeping: a row, a cache, a file. It counts as no
// contestant's source. Each read first does harness.Work.
package reads

import (
	"context"
	"log"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"

	"dyno/harness"
)

// World is a row of the table world, as TechEmpower has it.
type World struct {
	ID           int `json:"id"`
	RandomNumber int `json:"randomNumber"`
}

// The pools have their libraries' default sizes. They are never closed: that would wait for a service
// that is frozen.
var (
	database *pgxpool.Pool // nil unless DATABASE_URL is set
	cache    *redis.Client // nil unless REDIS_URL is set
)

func init() {
	var err error
	if url := os.Getenv("DATABASE_URL"); url != "" {
		if database, err = pgxpool.New(context.Background(), url); err != nil {
			log.Fatalf("read DATABASE_URL: %v", err)
		}
	}
	if url := os.Getenv("REDIS_URL"); url != "" {
		options, err := redis.ParseURL(url)
		if err != nil {
			log.Fatalf("read REDIS_URL: %v", err)
		}
		cache = redis.NewClient(options)
	}
}

// Row reads a random row from PostgreSQL.
func Row(ctx context.Context) (w World, err error) {
	harness.Work()
	row := database.QueryRow(ctx, "SELECT id, randomnumber FROM world WHERE id = $1", random())
	err = row.Scan(&w.ID, &w.RandomNumber)
	return w, err
}

// Cached reads a random row's number from Redis.
func Cached(ctx context.Context) (World, error) {
	harness.Work()
	id := random()
	number, err := cache.Get(ctx, "world:"+strconv.Itoa(id)).Int()
	return World{id, number}, err
}

// File reads the file of 10 KB.
func File() ([]byte, error) {
	harness.Work()
	return os.ReadFile(harness.File())
}

// random returns an id: the table's are 1 to 10,000.
func random() int { return 1 + rand.IntN(10_000) }
