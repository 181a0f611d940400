package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Query asks PostgreSQL at an address, and returns the rows as text.
type Query func(ctx context.Context, addr, sql string) ([][]string, error)

// witness compares what PostgreSQL executes during a load with the answers.
type witness struct {
	query  Query
	addr   string           // "": PostgreSQL cannot be asked
	sql    *scenario.SQL    // what it must execute for each answer; nil: not compared
	rows   *scenario.Rows   // the contract of the answers whose rows are in log; nil: there are none
	log    *scenario.RowLog // of the load, and of the requests before it on the same connections
	before record.Executed
}

// watch returns a witness of loads with s, and s for these loads; nil if there is nothing to compare.
func watch(s *scenario.Scenario, db Server, query Query) (*witness, *scenario.Scenario) {
	w := &witness{query: query}
	if s, w.log, w.rows = s.Logged(); db != nil {
		w.addr, w.sql = db.At(wire.Clear).Addr, s.Executes()
	}
	if w.rows == nil && w.sql == nil {
		return nil, s
	}
	return w, s
}

// begin counts what was executed before a load.
func (w *witness) begin(ctx context.Context) (err error) {
	if w != nil && w.sql != nil {
		w.before, err = w.count(ctx)
	}
	return err
}

// settles is the time within which PostgreSQL has counted the statements that it has answered: it counts them when
// their transaction ends.
const settles = time.Second

// end compares l's answers with what was executed for them. wrong says how they contradict each other.
func (w *witness) end(ctx context.Context, l *record.Load) (e *record.Executed, wrong, err error) {
	if w == nil {
		return nil, nil, nil
	}
	if w.sql != nil {
		e = &record.Executed{}
		for until := time.Now().Add(settles); ; time.Sleep(settles / 20) {
			now, err := w.count(ctx)
			if err != nil {
				return nil, nil, err
			}
			e.Selects, e.Rows, e.Writes = now.Selects-w.before.Selects, now.Rows-w.before.Rows, now.Writes-w.before.Writes
			if wrong = w.lacks(e, l.Succeeded); wrong == nil || time.Now().After(until) || ctx.Err() != nil {
				break
			}
		}
	}
	if wrong == nil && w.rows != nil {
		wrong = w.random()
	}
	// After errors and with requests in flight it is unknown what was written last.
	if wrong == nil && e != nil && w.rows != nil && w.rows.Updated && l.Failed+l.Errored()+l.InFlight == 0 {
		e.ReadBack, wrong, err = w.readBack(ctx)
	}
	return e, wrong, err
}

// counted asks for the statements on a table that read, the rows that they read, and the rows that others wrote.
const counted = `SELECT coalesce(sum(calls) FILTER (WHERE reads), 0), coalesce(sum(rows) FILTER (WHERE reads), 0),
coalesce(sum(rows) FILTER (WHERE NOT reads), 0) FROM (SELECT calls, rows,
query ~* '^[[:space:](]*(/\*.*\*/[[:space:](]*)?select' AS reads FROM pg_stat_statements WHERE query ~* '\m%s\M') AS s`

func (w *witness) count(ctx context.Context) (e record.Executed, err error) {
	rows, err := w.query(ctx, w.addr, fmt.Sprintf(counted, w.sql.Table))
	if err == nil && (len(rows) != 1 || len(rows[0]) != 3) {
		err = fmt.Errorf("%d rows", len(rows))
	}
	if err != nil {
		return e, fmt.Errorf("ask PostgreSQL what it executed (pg_stat_statements): %w", err)
	}
	for i, to := range []*int64{&e.Selects, &e.Rows, &e.Writes} {
		if *to, err = strconv.ParseInt(rows[0][i], 10, 64); err != nil {
			return e, fmt.Errorf("pg_stat_statements: %w", err)
		}
	}
	return e, nil
}

// lacks returns an error if less was executed than n answers need. One in a hundred may lack: rows that one answer
// names twice need to be read and written only once.
func (w *witness) lacks(e *record.Executed, n int64) error {
	q := w.sql
	few := func(got, each int64) bool { return 100*got < 99*each*n }
	switch {
	case few(e.Selects, q.Selects) && !few(e.Rows, q.Rows):
		return fmt.Errorf("PostgreSQL executed %d SELECT statements on %s, which read %d rows, for %d answers; each answer "+
			"needs %d statements: several rows were read by one", e.Selects, q.Table, e.Rows, n, q.Selects)
	case few(e.Selects, q.Selects):
		return fmt.Errorf("PostgreSQL executed %d SELECT statements on %s for %d answers; each answer needs %d: not every "+
			"answer had its own", e.Selects, q.Table, n, q.Selects)
	case few(e.Rows, q.Rows):
		return fmt.Errorf("PostgreSQL read %d rows of %s by SELECT for %d answers; each answer needs %d rows", e.Rows,
			q.Table, n, q.Rows)
	case few(e.Writes, q.Writes):
		return fmt.Errorf("PostgreSQL wrote %d rows of %s for %d answers; each answer needs %d: not every update was "+
			"written", e.Writes,
			q.Table, n, q.Writes)
	}
	return nil
}

// fewestDrawn is the number of rows from which on their keys must be random.
const fewestDrawn = 100

// random returns an error if the answers name less than half as many different rows as random ones would.
func (w *witness) random() error {
	n, keys := 0, map[int64]bool{}
	w.log.Each(func(key, _ int64) {
		keys[key] = true
		n++
	})
	size := float64(w.rows.Size)
	if usual := size * (1 - math.Pow(1-1/size, float64(n))); n >= fewestDrawn && float64(2*len(keys)) < usual {
		return fmt.Errorf("the last %d rows in its answers are %d different rows of %s; of random ones some %.0f would be: "+
			"it does not draw their %s at random", n, len(keys), w.rows.Table, usual, w.rows.Key)
	}
	return nil
}

// readBack returns an error if a row does not hold one of the values that the last answers stated for
// it, and the number of rows that were compared.
func (w *witness) readBack(ctx context.Context) (n int64, wrong, err error) {
	r, stated := w.rows, map[int64][]int64{}
	w.log.Each(func(key, value int64) { stated[key] = append(stated[key], value) })
	rows, err := w.query(ctx, w.addr, fmt.Sprintf("SELECT %s, %s FROM %s", r.Key, r.Value, r.Table))
	if err != nil {
		return 0, nil, fmt.Errorf("read the table %s: %w", r.Table, err)
	}
	for _, row := range rows {
		if len(row) != 2 {
			return 0, nil, fmt.Errorf("read the table %s: a row of %d columns", r.Table, len(row))
		}
		key, err1 := strconv.ParseInt(row[0], 10, 64)
		value, err2 := strconv.ParseInt(row[1], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return 0, nil, fmt.Errorf("read the table %s: %w", r.Table, err)
		}
		all := stated[key]
		if len(all) == 0 {
			continue
		}
		if n++; !slices.Contains(all, value) {
			return n, fmt.Errorf("after the load the row with the %s %d of %s holds %d; answers stated %v for it, and none of "+
				"these was kept", r.Key, key, r.Table, value, all[max(0, len(all)-4):]), nil
		}
	}
	return n, nil, nil
}

// database returns the PostgreSQL that a contestant calls; nil if there is none that can be asked from here.
func (b *Bench) database(name string) Server {
	h, p := &b.run.Host, &b.run.Plan
	if len(h.Generators) > 0 || !slices.Contains(p.Contestants, name) {
		return nil
	}
	for i := range p.Services {
		if d := &p.Services[i]; d.Name == scenario.Database {
			return b.servers[d.Of(name)]
		}
	}
	return nil
}

// witnessed verifies under a short load through e what PostgreSQL executes for the answers to s, and then the answers
// after the scenario's change. seen is what Verify saw.
func witnessed(ctx context.Context, e load.Engine, s *scenario.Scenario, seen *scenario.Observed, to contracted,
	db Server,
	query Query) error {
	w, watched := watch(s.Exact(seen).Excuse(to.Differs), db, query)
	if w == nil {
		return nil
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	job := to.job(watched, loads[0].connections)
	l, err := shortLoad(ctx, e, job, loads[0].requests)
	if err != nil {
		return err
	}
	_, wrong, err := w.end(ctx, &l)
	if err == nil && wrong == nil && db != nil {
		wrong = afterChange(ctx, s, w.addr, query, func(s *scenario.Scenario) error {
			_, err := scenario.Verify(ctx, s, to.Endpoint, to.Differs, to.Delay)
			return err
		})
	}
	if wrong != nil {
		return &scenario.Broken{Request: "load", Sent: unsent(&job), Check: "database", Reason: wrong.Error()}
	}
	return err
}

// afterChange verifies s after its change of PostgreSQL at addr, which it undoes.
func afterChange(ctx context.Context, s *scenario.Scenario, addr string, query Query,
	verify func(*scenario.Scenario) error) error {
	if s.Change == nil {
		return nil
	}
	if _, err := query(ctx, addr, s.Change.SQL); err != nil {
		return fmt.Errorf("%s: %w", s.Change.SQL, err)
	}
	err := verify(s.Changed())
	if err != nil {
		err = fmt.Errorf("after %s: %w", s.Change.SQL, err)
	}
	_, undone := query(ctx, addr, s.Change.Undo)
	return cmp.Or(err, undone)
}
