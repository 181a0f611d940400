//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"dyno/internal/stats"
)

// experiment is one measurement with the rows that it yields.
type experiment struct {
	rows []row
	peer *peer // required peer
	run  func(ctx context.Context, b *rig, e experiment) (map[string]estimate, error)
}

// estimate is a row's measured value with its 95 % interval, in the row's base unit.
type estimate struct {
	value, lo, hi float64
	valid, all    int
	detail        string
	serverBusy    float64 // in a race
}

func (e experiment) matches(only *regexp.Regexp) bool {
	for _, r := range e.rows {
		if only.MatchString(r.name) {
			return true
		}
	}
	return false
}

func (e experiment) needs(p peer) bool { return e.peer != nil && e.peer.name == p.name }

func (e experiment) row(name string) row {
	for _, r := range e.rows {
		if r.name == name {
			return r
		}
	}
	return row{}
}

// measure runs e and returns one result per row; a result without a value has a Reason.
func (b *rig) measure(ctx context.Context, e experiment) []result {
	var version string
	var found map[string]estimate
	var err error
	if e.peer != nil {
		i := b.install(ctx, *e.peer)
		version, err = e.peer.name+" "+i.version, i.err
	}
	if err == nil {
		found, err = e.run(ctx, b, e)
	}
	var all []result
	for _, row := range e.rows {
		r := result{Name: row.name, At: time.Now().UTC().Truncate(time.Second), Commit: b.commit, Peer: version}
		if err != nil {
			r.Reason, r.noise = err.Error(), errors.Is(err, errNoise)
		} else {
			r.set(found[row.name])
		}
		all = append(all, r)
	}
	return all
}

// race compares dyno with p. The first row is the ratio of requests per second, the second, if any, the ratio
// of CPU per request.
func race(p peer, s shape, scenario string, rows ...row) experiment {
	return between(dyno, p, 1, s, scenario, rows...)
}

// between compares two peers, in times as many pairs as requested.
func between(one, other peer, times int, s shape, scenario string, rows ...row) experiment {
	run := func(ctx context.Context, b *rig, e experiment) (map[string]estimate, error) {
		file, err := b.scenario(scenario)
		if err != nil {
			return nil, err
		}
		srv, err := b.server(ctx, s, file)
		if err != nil {
			return nil, err
		}
		defer srv.stop()
		reported := 0.0
		side := func(p peer) contender {
			round := 0
			return contender{p.name, func(ctx context.Context) (outcome, error) {
				var busy float64
				program, layout := b.install(ctx, p).linked(round)
				round++
				out, cpu, err := b.generate(ctx, b.opts.window, p.command(program, srv.url(), s, b.opts.window),
					func(_ int, done <-chan struct{}) { busy = midway(b.opts.window, done) })
				if err != nil {
					return outcome{}, err
				}
				c, err := p.parse(out)
				if err != nil {
					return outcome{}, fmt.Errorf("%w\n%s", err, tail(out))
				}
				reported += c.requests
				if (p.name == dyno.name || p.source != nil) && c.errors > 0 || c.requests < 1 {
					return outcome{}, fmt.Errorf("%.0f requests and %.0f errors", c.requests, c.errors)
				}
				return outcome{Rate: c.requests / c.seconds, CPU: float64(cpu) / c.requests, Server: busy,
					Layout: layout, erred: c.errors > c.requests/100}, nil
			}}
		}
		if i := b.install(ctx, one); i.err != nil {
			return nil, i.err
		}
		valid, all, err := b.rounds(ctx, e.rows[0].name, times*b.opts.pairs, voids, []contender{side(one), side(other)})
		if err != nil {
			return nil, err
		}
		tally, err := srv.stop()
		if err != nil {
			return nil, err
		}
		share := reported / float64(tally.Requests)
		if share > 1.001 {
			return nil, fmt.Errorf("both reported %.0f requests, the server counted %d", reported, tally.Requests)
		}
		found := map[string]estimate{}
		for i, row := range e.rows {
			est := location(perLayout(valid, func(o outcome) float64 {
				if i == 0 {
					return math.Log(o.Rate)
				}
				return math.Log(o.CPU)
			}), all)
			est.valid = len(valid)
			est.value, est.hi = math.Exp(est.value), math.Exp(est.hi)
			if !math.IsInf(est.lo, 0) { // keep an unbounded end
				est.lo = math.Exp(est.lo)
			}
			est.serverBusy = serverBusy(valid)
			est.detail = fmt.Sprintf("%.1f %% of what the server answered was reported; the server's CPU was %.0f %% busy",
				100*share, 100*est.serverBusy)
			found[row.name] = est
		}
		return found, nil
	}
	return experiment{rows: rows, peer: &other, run: run}
}

// perLayout returns the differences between the first and the second contender's values: one per pair or, if
// there are several layouts, the median per layout. A layout's effect on a program is the same in all its
// pairs, so only layouts are independent.
func perLayout(valid [][]outcome, value func(outcome) float64) (above []float64) {
	layouts := map[int][]float64{}
	for _, o := range valid {
		x := value(o[0]) - value(o[1])
		if o[0].Layout == 0 {
			above = append(above, x)
			continue
		}
		layouts[o[0].Layout] = append(layouts[o[0].Layout], x)
	}
	for _, layout := range slices.Sorted(maps.Keys(layouts)) {
		above = append(above, stats.Median(layouts[layout]))
	}
	return above
}

// serverBusy returns the median busy share of the server's CPU under the generator that loaded it more.
func serverBusy(valid [][]outcome) (most float64) {
	for side := range valid[0] {
		var shares []float64
		for _, o := range valid {
			shares = append(shares, o[side].Server)
		}
		most = max(most, stats.Median(shares))
	}
	return most
}

// server starts the server for a race.
func (b *rig) server(ctx context.Context, s shape, scenario string) (*server, error) {
	if s.protocol != http1 {
		return b.serveNginx(ctx, s.protocol)
	}
	return b.serve(ctx, "null", scenario)
}

// scenario writes a scenario for the server into a file; an empty text needs none.
func (b *rig) scenario(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	dir := filepath.Join(b.temp, "scenarios")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(dir, "race.toml")
	return file, os.WriteFile(file, []byte(text), 0o644)
}

func location(values []float64, all int) estimate {
	j := stats.Joint([][]float64{values}, .05, 1)[0]
	return estimate{value: j.Log, lo: j.Log - j.Crit*j.SE, hi: j.Log + j.Crit*j.SE, valid: len(values), all: all}
}
