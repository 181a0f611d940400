package judge

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// GrowthLimit is the Growth above which a load is an overload.
const GrowthLimit = 0.01

// openLoop makes a check function over each contestant's open-loop trials. A contestant without
// such trials has no finding.
func openLoop(f func(c *Check, own []*record.Trial) (State, string)) func(*Check, *Evidence) []Finding {
	return func(c *Check, e *Evidence) []Finding {
		var out []Finding
		for _, name := range e.Run.Plan.Contestants {
			var own []*record.Trial
			for i := range e.Valid {
				if t := e.Valid[i]; t.Contestant == name && e.Run.Plan.LevelOf(t).Open() {
					own = append(own, t)
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

func achieved(c *Check, own []*record.Trial) (State, string) {
	var answered, planned int64
	for i := range own {
		answered += own[i].Load.Succeeded
		planned += own[i].Load.Planned
	}
	if planned == 0 {
		return Fail, "no request was due"
	}
	x := share(float64(answered), float64(planned))
	return c.Limits[0].Grade(1 - x), fmt.Sprintf("%s of the requests that were due got the right response",
		document.Percent(x))
}

const (
	// busyFrom is the share of time that event loops may run or wait for a CPU, and JudgedNS the
	// shortest window whose event loops are judged: a shorter one is all beginning.
	busyFrom = 0.9
	JudgedNS = 100_000_000
	// lateNS and lateShare limit how late requests may leave in an open loop, at the 99th
	// percentile: lateNS, or lateShare of the median response time if that is more.
	lateNS    = 1_000_000
	lateShare = 0.1
	// starvedFrom is the largest share of the window in which requests may be due while no
	// connection is free.
	starvedFrom = 0.01
	SentFrom    = 0.99 // share of planned requests that must have been sent
)

// Sending judges how a load generator sent its requests. Starved, Late and Missed are for open loops.
type Sending struct {
	open    bool
	Busy    bool // the event loops ran or waited for a CPU nearly all the time
	Starved bool // requests were due while no connection was free
	Late    bool // requests were late, at the 99th percentile
	Missed  bool // fewer requests were sent than planned
}

// SendingOf judges a load. open says whether requests were due by a schedule.
func SendingOf(l *record.Load, open bool) Sending {
	loops := float64(l.Workers) * float64(l.Wall())
	s := Sending{open: open, Busy: l.WindowNS >= JudgedNS && float64(l.LoopCPUNS+l.RunQueueNS) > busyFrom*loops &&
		loops > 0}
	if open {
		s.Starved = float64(l.StarvedNS) > starvedFrom*float64(l.WindowNS)
		s.Late = float64(l.LagP99NS) > max(lateNS, lateShare*float64(l.ResponseP50NS))
		s.Missed = float64(l.Started) < SentFrom*float64(max(l.Planned, l.Started+l.NeverStarted))
	}
	return s
}

// Limited reports whether the generator limited the load: in a closed loop its event loops were
// busy; in an open loop requests were late or missing, and its event loops were busy or
// connections were free.
func (s Sending) Limited() bool {
	if !s.open {
		return s.Busy
	}
	return (s.Late || s.Missed) && (s.Busy || !s.Starved)
}

// lagShare checks how late requests were sent. If they were late, the response time includes the
// generator's delay, or the wait for a free connection. Loads with histograms show a tail: the lag is
// a share of that, and none where a server that stalled left no connection free, as V11 says.
func lagShare(c *Check, own []*record.Trial) (State, string) {
	var xs []float64
	what := "median response time"
	for i := range own {
		l, of := &own[i].Load, own[i].Load.ResponseP50NS
		if l.Responses != "" {
			of, what = l.ResponseP99NS, "response time at p99"
		}
		switch {
		case of > 0 && l.Responses != "" && SendingOf(l, true).Starved:
			xs = append(xs, 0)
		case of > 0:
			xs = append(xs, float64(l.LagP99NS)/float64(of))
		}
	}
	if len(xs) == 0 {
		return Warn, "no response time was recorded"
	}
	x := stats.Median(xs)
	return c.Limits[0].Grade(x),
		fmt.Sprintf("1 %% of the requests were sent late by more than %s of the %s (median over trials)",
			document.Percent(x), what)
}

// ArrivalGrowth returns how far a load falls behind its schedule, as a share of its requests, from the
// queue's growth between the halves of the window. For a queue that grows from 0 at a share x of
// the arrivals, the halves hold x/8 and 3x/8 of the requests × the window. ok is false if the load
// has no halves. A window that begins without requests shows a growth of 2 (R/T)² at the response
// time R, so its length T must be many times R: see Grows.
func ArrivalGrowth(l *record.Load) (x float64, ok bool) {
	p := l.Pace
	if p == nil || p.HalfNS <= 0 || l.Planned == 0 {
		return 0, false
	}
	return 2 * float64(p.LateNS-p.EarlyNS) / float64(p.HalfNS) / float64(l.Planned), true
}

// ServiceTimes is the shortest load that Grows judges, in service times.
const ServiceTimes = 20

// Grows reports whether a load falls behind its schedule by more than GrowthLimit plus the growth
// that is possible if the server keeps the rate (steadyGrowth).
func Grows(l *record.Load) bool {
	x, ok := ArrivalGrowth(l)
	return ok && x > GrowthLimit+steadyGrowth(l)
}

// steadyGrowth returns the Growth that a load with halves may show although the server keeps the
// rate. For n requests with service time S in a window T: as the window begins without requests, 2
// E[S²]/T²; and by chance, because Poisson arrivals vary, twice the standard deviation, 4
// √(E[S²]/n)/T. An overload raises S itself, so S counts as T/ServiceTimes at most.
func steadyGrowth(l *record.Load) float64 {
	s := min(math.Hypot(float64(l.ServiceMeanNS), float64(l.ServiceSDNS))/float64(2*l.Pace.HalfNS), 1./ServiceTimes)
	return 2*s*s + 2*4*s/math.Sqrt(float64(l.Planned))
}

// growing counts requests as waiting until they are answered, because a queue grows first inside
// the server, and outside only once all connections are in use. It judges the excess over
// steadyGrowth, of two loads the smaller one: a server that stalls once is not overloaded.
func growing(c *Check, own []*record.Trial) (State, string) {
	var xs, beyond []float64
	for i := range own {
		if x, ok := ArrivalGrowth(&own[i].Load); ok {
			xs, beyond = append(xs, x), append(beyond, x-steadyGrowth(&own[i].Load))
		}
	}
	if len(xs) == 0 {
		return Warn, "the number of waiting requests was not recorded"
	}
	slices.Sort(xs)
	slices.Sort(beyond)
	middle := (len(xs) - 1) / 2
	x := xs[middle]
	if c.Limits[0].Grade(beyond[middle]) == Fail {
		return Fail,
			fmt.Sprintf("overload: within a trial the queue grows by %s of the requests that fall due, so "+
				"latencies depend on the length of the trial", document.Percent(x))
	}
	return Pass, fmt.Sprintf("within a trial the queue grows by %s of the requests that fall due",
		document.Percent(max(x, 0)))
}

// starvation at most warns in loads that show a tail: the generator had room, and the response times
// include the wait.
func starvation(c *Check, own []*record.Trial) (State, string) {
	var starved, uneven, loaded float64
	for i := range own {
		starved += float64(own[i].Load.StarvedNS)
		uneven += float64(own[i].Load.UnevenNS)
		loaded += float64(own[i].Load.Wall()) * float64(max(own[i].Load.Workers, 1))
	}
	x := share(starved, loaded)
	text := fmt.Sprintf("during %s of the time, requests were due while no connection was free", document.Percent(x))
	if 2*uneven > starved {
		text += fmt.Sprintf(
			"; during %s of that, another event loop had a free connection", document.Percent(share(uneven, starved)))
	}
	state := c.Limits[0].Grade(x)
	if own[0].Load.Responses != "" {
		state = min(state, Warn)
	}
	return state, text
}
