//go:build linux

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// row is a claim: a measured quantity and its bar.
type row struct {
	name string
	what string
	bar  bar
	unit unit
}

// bar is a limit for the whole 95 % interval.
type bar struct {
	kind  kind
	value float64
	slack float64 // for kind within
	holds holds
}

// holds says when a bar applies.
type holds int

const (
	always holds = iota
	unlessSaturated
	ifSaturated
)

// saturated is the busy share of the server's CPU above which the server limits a race.
const saturated = .95

// judges reports whether the bar applies to res.
func (r row) judges(res *result) bool {
	return r.bar.holds == always || (r.bar.holds == ifSaturated) == (res.ServerBusy > saturated)
}

type kind int

const (
	shown   kind = iota // no bar
	atLeast             // the lower end counts
	atMost              // the upper end counts
	within              // both ends
)

// unit is the format for a base unit.
type unit struct {
	scale  float64
	suffix string
	digits int
}

var (
	ratio  = unit{1, " ×", 2}
	fine   = unit{1, " ×", 3}
	micros = unit{1e3, " µs", 1}
	millis = unit{1e6, " ms", 1}
	mega   = unit{1e6, " MB", 1}
	plain  = unit{1, "", 0}
)

func (u unit) text(v float64) string { return fmt.Sprintf("%.*f", u.digits, v/u.scale) }

// keepAlive is the null server's response with the header that ab needs: ab speaks HTTP/1.0 and would
// otherwise wait for the connection's end.
const keepAlive = `name = "race"
title = "a value, and the connection stays"

[[request]]
name = "get"
method = "GET"
path = "/"

[request.expect]
status = 200
headers = { "Content-Type" = "text/plain", "Connection" = "keep-alive" }
body = "value"
`

// rate is the row for requests per second, dyno relative to what.
func rate(name, what string, least float64) row {
	return row{name, "requests/s, dyno ÷ " + what, bar{kind: atLeast, value: least}, ratio}
}

// rateOrCPU are the rows for a race in which the server's CPU may be the limit, so that both rates are the
// server's: then the CPU per request is judged instead.
func rateOrCPU(name, what string, least float64) []row {
	r := rate(name, what, least)
	r.bar.holds = unlessSaturated
	return []row{r, {name + "-cpu", "CPU per request, dyno ÷ " + what,
		bar{kind: atMost, value: .9, holds: ifSaturated}, ratio}}
}

// multiplexed returns the races in HTTP/2, on 10 connections. The closest race has more pairs.
func multiplexed() (all []experiment) {
	for _, c := range []struct {
		peer     peer
		protocol protocol
		least    float64
	}{{h2load, h2c, 1}, {h2load, h2, 1}, {oha, h2, 2}} {
		for _, streams := range []int{1, 10, 100} {
			times := 1
			if c.protocol == h2c && streams == 1 {
				times = 3
			}
			s := shape{connections: 10, depth: streams, protocol: c.protocol}
			all = append(all, between(dyno, c.peer, times, s, "", rateOrCPU(
				fmt.Sprintf("%s-%s-%d", c.protocol, c.peer.name, streams),
				fmt.Sprintf("%s, %s, 10 connections, streams on each: %d", c.peer.name, c.protocol.title(), streams),
				c.least)...))
		}
	}
	return all
}

// experiments returns the experiments with all rows, in the page's order.
func experiments() []experiment { return slices.Concat(races(), multiplexed(), measurements()) }

// races returns the races in HTTP/1.1.
func races() []experiment {
	one := shape{connections: 125, depth: 1}
	encrypted := shape{connections: 125, depth: 1, protocol: https}
	same := bar{kind: within, value: 1, slack: .015}
	return []experiment{
		between(dyno, wrk, 3, one, "",
			rate("wrk-125", "wrk, 125 connections", 1.27),
			row{"wrk-125-cpu", "CPU per request, dyno ÷ wrk, 125 connections", bar{kind: atMost, value: .80}, ratio}),
		race(wrk, shape{connections: 1000, depth: 1}, "", rate("wrk-1000", "wrk, 1,000 connections", 1.17)),
		race(wrk, shape{connections: 5000, depth: 1}, "", rate("wrk-5000", "wrk, 5,000 connections", 1.12)),
		race(wrk, shape{connections: 125, depth: 16}, "",
			rate("wrk-pipeline", "wrk, 125 connections, 16 requests in flight on each", 1.3)),
		race(bombardier, one, "", rate("bombardier", "bombardier, 125 connections", 1.6)),
		race(oha, one, "", rate("oha", "oha, 125 connections", 1.6)),
		between(dyno, h2load, 3, one, "", rate("h2load", "h2load --h1, 125 connections", 1.35)),
		race(hey, one, "", rate("hey", "hey, 125 connections", 4)),
		race(zrk, one, "", rateOrCPU("zrk", "zrk, 125 connections", 1)...),
		race(zrk, encrypted, "", rateOrCPU("tls-zrk", "zrk, over TLS 1.3, 125 connections", 1)...),
		race(wrk, encrypted, "", rateOrCPU("tls-wrk", "wrk, over TLS 1.3, 125 connections", 1.1)...),
		between(full, h2loadFull, 1, encrypted, "",
			row{"handshakes", "full TLS handshakes/s, dyno ÷ h2load", bar{kind: atLeast, value: .8}, ratio},
			row{"handshakes-cpu", "CPU per full TLS handshake, dyno ÷ h2load", bar{}, ratio}),
		between(resumed, h2loadFull, 1, encrypted, "",
			row{"resumed", "TLS handshakes/s that resume a session, dyno ÷ h2load's full ones",
				bar{kind: atLeast, value: .8}, ratio}),
		race(ab, one, keepAlive, row{"ab", "requests/s, dyno ÷ ab -k, 125 connections", bar{}, ratio}),
		race(epollLoop, one, "", rate("epoll-loop", "a bare epoll loop in C, 125 connections", .92)),
		between(epollLoop, wrk, 2, one, "",
			row{"limit", "requests/s, the bare epoll loop ÷ wrk, 125 connections", bar{}, ratio},
			row{"limit-cpu", "CPU per request, the bare epoll loop ÷ wrk, 125 connections", bar{}, ratio}),
		between(uringLoop, epollLoop, 6, one, "",
			row{"io-uring", "requests/s, a bare io_uring loop ÷ the epoll loop, 125 connections",
				bar{kind: atLeast, value: 1.03}, ratio},
			row{"io-uring-cpu", "CPU per request, a bare io_uring loop ÷ the epoll " +
				"loop", bar{kind: atMost, value: .97}, ratio}),
		between(now, before, 20, one, "",
			row{"before", "requests/s, dyno ÷ an earlier dyno, 125 connections", same, fine},
			row{"before-cpu", "CPU per request, dyno ÷ an earlier dyno, 125 connections", same, fine}),
	}
}

// measurements returns the experiments with dyno alone.
func measurements() []experiment {
	return []experiment{
		allocations(row{"allocations", "allocations per request, in steady state", bar{kind: atMost}, plain}),
		memory(row{"memory", "peak memory with 10,000 connections", bar{kind: atMost, value: 60e6}, mega}, 10_000),
		lag(row{"lag-2000", "lag p99 at 2,000/s", bar{kind: atMost, value: 60e3}, micros}, 2000),
		lag(row{"lag-20000", "lag p99 at 20,000/s", bar{kind: atMost, value: 60e3}, micros}, 20_000),
		stall(row{"stall", "response p99 at 1,000/s, the server standing still for 200 ms of every 2 s",
			bar{kind: within, value: 180e6, slack: 9e6}, millis}),
		delay(delayRow), pairedDelay(https), pairedDelay(h2c), pairedDelay(h2),
		drops(row{"drops", "drops reported − drops made, every 4th request", bar{kind: within}, plain}),
	}
}

// delayRow has no row for the median at 0 ms, where the error is 0 by definition.
func delayRow(delay, quantile string) (row, bool) {
	slack := 20e3
	if quantile == "p99" {
		slack = 200e3
	}
	return row{"delay-" + delay + "-" + quantile, "error of service " + quantile + ", the true delay " +
		"being " + strings.Replace(delay, "ms", " ms", 1),
		bar{kind: within, slack: slack}, micros}, delay != delays[0] || quantile != "p50"
}

// met reports whether the bar is met. A measured row without a bar, or with a bar that does not apply, counts
// as met.
func (r row) met(res *result) bool {
	lo, hi := math.Inf(-1), math.Inf(1)
	if res.Lo != nil {
		lo = *res.Lo
	}
	if res.Hi != nil {
		hi = *res.Hi
	}
	switch {
	case res.Reason != "":
		return false
	case !r.judges(res):
		return true
	case r.bar.kind == atLeast:
		return lo >= r.bar.value
	case r.bar.kind == atMost:
		return hi <= r.bar.value
	case r.bar.kind == within:
		return lo >= r.bar.value-r.bar.slack && hi <= r.bar.value+r.bar.slack
	}
	return true
}

func (r row) barText() string {
	v := r.unit.text(r.bar.value)
	switch r.bar.kind {
	case atLeast:
		return "≥ " + v + r.unit.suffix
	case atMost:
		return "≤ " + v + r.unit.suffix
	case within:
		if r.bar.slack == 0 {
			return v + r.unit.suffix
		}
		return v + " ± " + r.unit.text(r.bar.slack) + r.unit.suffix
	}
	return "–"
}

// resultText returns, in one line, the measured value with its interval, or why there is none.
func (r row) resultText(res *result) string {
	if res.Reason != "" {
		reason, _, _ := strings.Cut(res.Reason, "\n")
		return "none: " + reason
	}
	end := func(v *float64) string {
		if v == nil {
			return "?"
		}
		return r.unit.text(*v)
	}
	return fmt.Sprintf("%s%s (%s to %s)", r.unit.text(res.Value), r.unit.suffix, end(res.Lo), end(res.Hi))
}
