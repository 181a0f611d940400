//go:build linux

package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dyno/internal/refserver"
	"dyno/internal/stats"
)

// dynoOnly measures dyno without a peer: once returns the value of one window, and the estimate is the
// location of several values. timed says whether other programs can affect the value.
func dynoOnly(r row, timed bool, once func(context.Context, *rig) (float64, error)) experiment {
	return experiment{rows: []row{r}, run: func(ctx context.Context, b *rig, e experiment) (map[string]estimate, error) {
		c := contender{dyno.name, func(ctx context.Context) (outcome, error) {
			v, err := once(ctx, b)
			return outcome{Value: v, unmoved: !timed, text: r.unit.text(v) + r.unit.suffix}, err
		}}
		n := min(6, b.opts.pairs) // a 95 % interval needs 6
		valid, all, err := b.rounds(ctx, r.name, n, voids, []contender{c})
		if err != nil {
			return nil, err
		}
		var values []float64
		for _, o := range valid {
			values = append(values, o[0].Value)
		}
		return map[string]estimate{r.name: location(values, all)}, nil
	}}
}

// memory measures dyno's peak resident set with this many open connections, in bytes.
func memory(r row, connections int) experiment {
	return dynoOnly(r, false, func(ctx context.Context, b *rig) (float64, error) {
		srv, err := b.serve(ctx, "null", "")
		if err != nil {
			return 0, err
		}
		defer srv.stop()
		peak := 0.0
		l, err := b.load(ctx, srv, b.opts.window, func(pid int, done <-chan struct{}) {
			for {
				peak = max(peak, highWater(pid))
				select {
				case <-done:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		}, "-c", strconv.Itoa(connections))
		if err != nil {
			return 0, err
		}
		if peak == 0 {
			return 0, fmt.Errorf("VmHWM could not be read")
		}
		return peak, l.clean()
	})
}

// highWater returns VmHWM (proc(5)) in bytes; it never falls during a program's life.
func highWater(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return 1024 * sum(text, `VmHWM:\s+(\d+) kB`)
}

// stall measures the p99 response time at 1,000/s against a server that pauses for 200 ms in every 2 s.
func stall(r row) experiment {
	return dynoOnly(r, true, func(ctx context.Context, b *rig) (float64, error) {
		srv, err := b.serveFlawed(ctx, "stall")
		if err != nil {
			return 0, err
		}
		defer srv.stop()
		l, err := b.load(ctx, srv, 10*b.opts.window, nil, "-c", "100", "-r", "1000") // a multiple of the period
		if err != nil {
			return 0, err
		}
		if err := l.clean(); err != nil {
			return 0, err
		}
		return l.Response.get("p99_ns")
	})
}

// drops returns the number of closed connections that dyno reported minus the number that the server closed.
func drops(r row) experiment {
	return dynoOnly(r, false, func(ctx context.Context, b *rig) (float64, error) {
		srv, err := b.serveFlawed(ctx, "drop")
		if err != nil {
			return 0, err
		}
		defer srv.stop()
		l, err := b.load(ctx, srv, b.opts.window, nil, "-c", "50", "-r", "2000")
		if err != nil {
			return 0, err
		}
		var t flawedTally
		if err := srv.end(&t); err != nil {
			return 0, err
		}
		if t.Dropped == 0 || l.Succeeded != t.Requests-t.Dropped {
			return 0, fmt.Errorf("%d succeeded, of %d that the server answered, beside %d that it dropped", l.Succeeded,
				t.Requests-t.Dropped, t.Dropped)
		}
		return float64(l.Errors["closed"] - t.Dropped), nil
	})
}

// clean returns an error unless all connections were established and all requests were sent and succeeded.
func (l *loadReport) clean() error {
	if l.Established != l.Connections || l.Succeeded != l.Started || l.Succeeded == 0 || l.NeverStarted > 0 {
		return fmt.Errorf("%d of %d connections, %d of %d requests succeeded, %d never started: %v", l.Established,
			l.Connections, l.Succeeded, l.Started,
			l.NeverStarted, l.Errors)
	}
	return nil
}

// delays are the delays of servers that measure their own service times. The errors at the other delays are
// relative to the first.
var delays = []string{"0ms", "1ms", "5ms", "20ms"}

// delay compares the service times that dyno measured with the server's own. It takes the difference between
// the medians at 0 ms in the same round as the round-trip time, and subtracts it.
func delay(rowsOf func(delay, quantile string) (row, bool)) experiment {
	var rows []row
	for _, d := range delays {
		for _, q := range []string{"p50", "p99"} {
			if r, ok := rowsOf(d, q); ok {
				rows = append(rows, r)
			}
		}
	}
	return experiment{rows: rows, run: func(ctx context.Context, b *rig, e experiment) (map[string]estimate, error) {
		var cs []contender
		for _, d := range delays {
			cs = append(cs, contender{d, func(ctx context.Context) (outcome, error) {
				srv, err := b.serve(ctx, "null+"+d, "")
				if err != nil {
					return outcome{}, err
				}
				defer srv.stop()
				return b.serviceError(ctx, srv)
			}})
		}
		valid, all, err := b.rounds(ctx, e.rows[0].name, b.opts.pairs, tailVoids, cs)
		if err != nil {
			return nil, err
		}
		found := map[string]estimate{}
		for i, d := range delays {
			var p50, p99 []float64
			for _, o := range valid {
				p50, p99 = append(p50, o[i].P50-o[0].P50), append(p99, o[i].P99-o[0].P50)
			}
			for q, values := range map[string][]float64{"p50": p50, "p99": p99} {
				if r, ok := rowsOf(d, q); ok {
					found[r.name] = location(values, all)
				}
			}
		}
		return found, nil
	}}
}

// serviceError loads srv, a server that measures its service times, with 1,000 requests a second on 64
// connections for one window and stops it. It returns the difference between dyno's quantiles and the
// server's.
func (b *rig) serviceError(ctx context.Context, srv *server) (outcome, error) {
	l, err := b.paced(ctx, srv.url())
	if err != nil {
		return outcome{}, err
	}
	t, err := srv.stop()
	if err != nil {
		return outcome{}, err
	}
	return l.against(t)
}

// serviceErrors does the same as serviceError for one server with p and HTTP/1.1, both loaded at the same
// time, so that background load affects both. The outcome's Beside is the outcome for HTTP/1.1.
func (b *rig) serviceErrors(ctx context.Context, p protocol, delay string) (outcome, error) {
	srv, urls, err := b.serveTimed(ctx, delay, p, http1)
	if err != nil {
		return outcome{}, err
	}
	defer srv.stop()
	var loads [2]*loadReport
	var errs [2]error
	var both sync.WaitGroup
	for i, flags := range [][]string{p.flags(), nil} {
		both.Go(func() { loads[i], errs[i] = b.paced(ctx, urls[i], flags...) })
	}
	both.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return outcome{}, err
	}
	var tallies [2]refserver.Tally
	if err := srv.end(&tallies); err != nil {
		return outcome{}, err
	}
	o, err := loads[0].against(tallies[0])
	beside, err2 := loads[1].against(tallies[1])
	o.Beside = &beside
	return o, errors.Join(err, err2)
}

// paced loads url with 1,000 requests a second on 64 connections for one window; all requests must succeed.
func (b *rig) paced(ctx context.Context, url string, flags ...string) (*loadReport, error) {
	l, err := b.loadURL(ctx, url, b.opts.window, nil, append(flags, "-c", "64", "-r", "1000")...)
	if err != nil {
		return nil, err
	}
	return l, l.clean()
}

// against returns the difference between dyno's service times and the server's.
func (l *loadReport) against(t refserver.Tally) (outcome, error) {
	p50, err := l.Service.get("p50_ns")
	p99, err2 := l.Service.get("p99_ns")
	return outcome{P50: p50 - float64(t.Service.P50NS), P99: p99 - float64(t.Service.P99NS)}, errors.Join(err, err2)
}

// pairedDelays are the delays of the servers in other protocols.
var pairedDelays = []string{"0ms", "1ms", "5ms"}

// pairedDelay compares service times in p as delay does, and the p99 error with the p99 error in HTTP/1.1 on
// the same server at the same time. The round-trip time is determined for each protocol.
func pairedDelay(p protocol) experiment {
	var rows []row
	for _, d := range pairedDelays {
		after := ", the true delay being " + strings.Replace(d, "ms", " ms", 1)
		if d != pairedDelays[0] { // where the error is 0 by definition
			rows = append(rows, row{fmt.Sprintf("delay-%s-%s-p50", p, d), "error of service p50 in " + p.title() + after,
				bar{kind: within, slack: 20e3}, micros})
		}
		rows = append(rows, row{fmt.Sprintf("delay-%s-%s-p99", p, d),
			"error of service p99 in " + p.title() + " − the same in " +
				"HTTP/1.1" + after, bar{kind: within, slack: 100e3}, micros})
	}
	return experiment{rows: rows, run: func(ctx context.Context, b *rig, e experiment) (map[string]estimate, error) {
		var cs []contender
		for _, d := range pairedDelays {
			cs = append(cs, contender{d, func(ctx context.Context) (outcome, error) { return b.serviceErrors(ctx, p, d) }})
		}
		valid, all, err := b.rounds(ctx, e.rows[0].name, b.opts.pairs, tailVoids, cs)
		if err != nil {
			return nil, err
		}
		found := map[string]estimate{}
		for i, d := range pairedDelays {
			var p50, p99 []float64
			for _, o := range valid {
				p50 = append(p50, o[i].P50-o[0].P50)
				p99 = append(p99, (o[i].P99-o[0].P50)-(o[i].Beside.P99-o[0].Beside.P50))
			}
			found[fmt.Sprintf("delay-%s-%s-p50", p, d)] = location(p50, all)
			found[fmt.Sprintf("delay-%s-%s-p99", p, d)] = location(p99, all)
		}
		return found, nil
	}}
}

// lag measures the p99 delay with which requests were sent, in seconds during which the generator got its
// CPU; other seconds say nothing about dyno.
func lag(r row, rate int) experiment {
	return experiment{rows: []row{r}, run: func(ctx context.Context, b *rig, e experiment) (map[string]estimate, error) {
		srv, err := b.serve(ctx, "null", "")
		if err != nil {
			return nil, err
		}
		defer srv.stop()
		want, all := 2*b.opts.pairs, 0
		var lags []float64
		for len(lags) < want {
			if all >= tries*want {
				return nil, fmt.Errorf("%w: the generator waited for its CPU for less than 1 %% in %d of %d seconds only, want %d",
					errNoise, len(lags), all, want)
			}
			var values []float64
			n := int((5 * b.opts.window).Seconds())
			o, err := metered(ctx, b.account, func(ctx context.Context) (o outcome, err error) {
				values, err = b.lags(ctx, srv, rate, n)
				return o, err
			})
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil && o.others <= voids {
				return nil, err
			}
			lags, all = append(lags, values...), all+n
			fmt.Fprintf(b.log, "%-14s %3d of %d seconds, try %d: others %.1f%%\n", r.name, len(lags), want, all, 100*o.others)
		}
		est := estimate{value: stats.Median(lags), lo: math.Inf(-1), hi: math.Inf(1), valid: len(lags), all: all,
			detail: "the median of the seconds' p99"}
		if lo, hi, ok := stats.MedianCI(lags, .95); ok {
			est.lo, est.hi = lo, hi
		}
		return map[string]estimate{r.name: est}, nil
	}}
}

// lags loads srv at this rate for some seconds and returns each second's p99 lag.
func (b *rig) lags(ctx context.Context, srv *server, rate, seconds int) ([]float64, error) {
	file := filepath.Join(b.temp, "lag.csv")
	l, err := b.load(ctx, srv, time.Duration(seconds)*time.Second, nil,
		"-c", "50", "-r", strconv.Itoa(rate), "--output", file)
	if err != nil {
		return nil, err
	}
	if err := l.clean(); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return lagsOf(f, seconds)
}

// lagsOf reads the output of `dyno load --csv`: lag_p99_ns of the seconds with less than 1 % run-queue delay,
// among the first seconds. The later ones are the drain.
func lagsOf(from io.Reader, seconds int) ([]float64, error) {
	records, err := csv.NewReader(from).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, fmt.Errorf("read the seconds: %d lines: %w", len(records), err)
	}
	l, q := slices.Index(records[0], "lag_p99_ns"), slices.Index(records[0], "run_queue_share")
	if l < 0 || q < 0 {
		return nil, fmt.Errorf("read the seconds: no lag_p99_ns or run_queue_share among the columns %s",
			strings.Join(records[0], ", "))
	}
	var lags []float64
	for _, r := range records[1:min(len(records), 1+seconds)] {
		if r[l] == "" || r[q] == "" {
			continue // nothing was sent
		}
		value, err := strconv.ParseFloat(r[l], 64)
		share, err2 := strconv.ParseFloat(r[q], 64)
		if err != nil || err2 != nil {
			return nil, fmt.Errorf("read the seconds: %q, %q", r[l], r[q])
		}
		if share < .01 {
			lags = append(lags, value)
		}
	}
	return lags, nil
}

// allocations runs the test that counts allocations.
func allocations(r row) experiment {
	return experiment{rows: []row{r}, run: func(ctx context.Context, b *rig, e experiment) (map[string]estimate, error) {
		if err := b.step(ctx, b.root, "go", "test", "-count=1", "-run", "Allocate", "./internal/load/loop"); err != nil {
			return nil, err
		}
		return map[string]estimate{r.name: {valid: 1, all: 1, detail: "go test -run Allocate ./internal/load/loop"}}, nil
	}}
}
