package checks

import (
	"fmt"
	"math"
	"time"

	"dyno/internal/document"
	"dyno/internal/result"
	"dyno/internal/stats"
)

const (
	// An event loop is busy for some 12 µs with an answer and a request, so that it stretches
	// shorter gaps: of r requests a second by a distance of about 3 µs times r, seen at 5,000 to
	// 40,000 a second on two CPUs. That much is allowed besides.
	stretchNS = 3_000

	leastGaps = 3000 // below which a distance of 0.03 may be chance: 1.63/sqrt(n) (Kolmogorov, 1 %)
)

// GrowthLimit is the Growth above which a load is an overload.
const GrowthLimit = 0.01

// openLoop makes a check of the open-loop trials of each contestant. A contestant without such
// trials has no finding.
func openLoop(f func(c *Check, own []result.Trial) (State, string)) func(*Check, *Evidence) []Finding {
	return func(c *Check, e *Evidence) []Finding {
		var out []Finding
		for _, name := range e.Run.Plan.Contestants {
			var own []result.Trial
			for i := range e.Valid {
				if t := &e.Valid[i]; t.Contestant == name && e.Run.Plan.LevelOf(t).Open() {
					own = append(own, *t)
				}
			}
			if len(own) > 0 {
				s, text := f(c, own)
				out = append(out, Finding{Contestant: name, State: s, Text: text})
			}
		}
		return out
	}
}

func achieved(c *Check, own []result.Trial) (State, string) {
	var answered, planned int64
	for i := range own {
		answered += own[i].Load.Succeeded
		planned += own[i].Load.Planned
	}
	if planned == 0 {
		return Fail, "no request was due"
	}
	x := share(float64(answered), float64(planned))
	return c.Limits[0].Grade(1 - x), fmt.Sprintf("%s of the requests that were due were answered right",
		document.Percent(x))
}

// lagShare checks how late requests were sent. If they were late, the response time reflects the
// generator, or a lack of free connections.
func lagShare(c *Check, own []result.Trial) (State, string) {
	var xs []float64
	for i := range own {
		if l := &own[i].Load; l.ResponseP50NS > 0 {
			xs = append(xs, float64(l.LagP99NS)/float64(l.ResponseP50NS))
		}
	}
	if len(xs) == 0 {
		return Warn, "no response time was recorded"
	}
	x := stats.Median(xs)
	return c.Limits[0].Grade(x),
		fmt.Sprintf("one request in a hundred went out later than %s of the median response time "+
			"(median over trials)", document.Percent(x))
}

// Growth is the share of its requests by which a load falls behind its schedule, from the growth of
// what waits between the halves of the window: of a queue that grows from nothing at a share x of
// the arrivals, the halves hold x/8 and 3x/8 of the requests times the window. False if the load
// has no halves. A window that begins empty shows growth of 2 (R/T)² at the response time R, so T
// must be many of them.
func Growth(l *result.Load) (x float64, ok bool) {
	p := l.Pace
	if p == nil || p.HalfNS <= 0 || l.Planned == 0 {
		return 0, false
	}
	return 2 * float64(p.LateNS-p.EarlyNS) / float64(p.HalfNS) / float64(l.Planned), true
}

// growing counts what waits until it is answered: a queue grows in the server first, and beside the
// connections once all are in use.
func growing(c *Check, own []result.Trial) (State, string) {
	var xs []float64
	for i := range own {
		if x, ok := Growth(&own[i].Load); ok {
			xs = append(xs, x)
		}
	}
	if len(xs) == 0 {
		return Warn, "how many requests waited was not recorded"
	}
	x := stats.Median(xs)
	if c.Limits[0].Grade(x) == Fail {
		return Fail,
			fmt.Sprintf("overload: within a trial the requests that wait grow by %s of those that fall due, "+
				"so its latencies depend on its length", document.Percent(x))
	}
	return Pass, fmt.Sprintf("within a trial the requests that wait grow by %s of those that fall due",
		document.Percent(max(x, 0)))
}

// arrivals is of what was really sent.
func arrivals(c *Check, own []result.Trial) (State, string) {
	var gaps []int64
	var within, sent, bins float64
	for i := range own {
		p := own[i].Load.Pace
		if p == nil || p.Bins < 2 {
			continue
		}
		n, mean := float64(p.Bins), float64(p.Sent)/float64(p.Bins)
		within += (float64(p.Squares) - n*mean*mean) * n / (n - 1) // about the trial's own mean
		sent += float64(p.Sent)
		bins += n
		if gaps == nil {
			gaps = make([]int64, len(p.Gaps))
		}
		for k, g := range p.Gaps[:min(len(p.Gaps), len(gaps))] {
			gaps[k] += g
		}
	}
	if sent == 0 {
		return Warn, "how the requests went out was not recorded"
	}
	dispersion := within / sent
	if len(gaps) == 0 { // evenly spaced: of r a bin, each has one of the two whole numbers next to r
		r := sent / bins
		part := r - math.Floor(r)
		even := part * (1 - part) / r
		return c.Limits[1].Grade(dispersion - even),
			fmt.Sprintf("dispersion by the millisecond %.2f; %.2f is evenly spaced", dispersion, even)
	}
	d, n := distance(gaps)
	text := fmt.Sprintf("gaps between requests differ from exponential ones by %.3f; "+
		"dispersion by the millisecond %.2f, 1 is Poisson", d, dispersion)
	if n < leastGaps {
		return Warn, fmt.Sprintf("%s; too few to tell: %d, and %d are needed", text, n, leastGaps)
	}
	stretched := stretchNS * sent / bins / float64(time.Millisecond)
	return max(c.Limits[0].Grade(d-stretched), c.Limits[1].Grade(math.Abs(dispersion-1))), text
}

// distance is the largest between the distribution of counts in equal parts and the uniform one
// (Kolmogorov-Smirnov, at the borders of the parts).
func distance(counts []int64) (d float64, n int64) {
	for _, c := range counts {
		n += c
	}
	var sum int64
	for i, c := range counts {
		sum += c
		d = max(d, math.Abs(share(float64(sum), float64(n))-float64(i+1)/float64(len(counts))))
	}
	return d, n
}

func starvation(c *Check, own []result.Trial) (State, string) {
	var starved, uneven, loaded float64
	for i := range own {
		starved += float64(own[i].Load.StarvedNS)
		uneven += float64(own[i].Load.UnevenNS)
		loaded += float64(own[i].Load.Wall()) * float64(max(own[i].Load.Workers, 1))
	}
	x := share(starved, loaded)
	text := fmt.Sprintf("requests were due while no connection was free in %s of the time", document.Percent(x))
	if 2*uneven > starved {
		text += fmt.Sprintf("; in %s of that another event loop had one free", document.Percent(share(uneven, starved)))
	}
	return c.Limits[0].Grade(x), text
}
