// Package load defines a load (Job), when its requests are due (Schedule), how results are recorded
// (Recorder) and how requests are sent (Engine, which package load/loop implements). A worker owns its
// Recorder; Run merges them.
package load

import (
	"context"
	"errors"
	"math"
	"time"

	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Job defines a load's requests, server and connections.
type Job struct {
	wire.Endpoint `json:"-"`
	Scenario      *scenario.Scenario
	Seed          uint64        // seed for drawn inputs; every connection draws its own sequence
	Share         Share         // the part of the load to send; the zero value: all of it
	Connections   int           // number for the whole load; Prepare reduces it to the share's
	Pipeline      int           // requests in flight per connection, in HTTP/2 streams; 0 means 1
	Timeout       time.Duration // time limit for each request; 0 means 10 s
	// ConnectTimeout limits the time to establish a connection; 0 means Timeout.
	ConnectTimeout time.Duration
	Workers        int   // event loops; 0 means Loops for the CPUs in CPUs
	CPUs           []int `json:"-"` // CPUs to pin the workers to, round robin; nil leaves them free
	Free           bool  `json:"-"` // pins no worker: CPUs only says how many there are

	// PerConnection is the number of requests after which the client closes a connection and dials
	// again; 0 means no limit. With 1 every request has "Connection: close"; if the Scenario's
	// requests have it, PerConnection is 1.
	PerConnection int
	Lazy          bool // a connection is dialled when it is first used (Window.Spread), not by Open
	// Samples keeps a sample of header sections, and of answers to requests that have a Shape; nil:
	// bodies without a contract are not looked at.
	Samples *Sampler `json:"-"`
	// Spin polls for answers, and for the last 60 µs before a due time, without sleeping.
	Spin bool

	whole int       // the whole load's connections, once Prepare has reduced them; 0 before
	link  wire.Link // link for packets to the server, once Locate has been called; none on this machine
}

// Prepare fills in j's defaults, reduces j to its Share and compiles its scenario, whose requests
// may set PerConnection to 1. Call it once.
func (j *Job) Prepare() (*scenario.Mix, error) {
	if j.Timeout <= 0 {
		j.Timeout = 10 * time.Second
	}
	if j.ConnectTimeout <= 0 {
		j.ConnectTimeout = j.Timeout
	}
	j.Pipeline = max(j.Pipeline, 1)
	if j.Connections <= 0 {
		return nil, errors.New("no connections: want 1 or more")
	}
	if err := j.take(); err != nil {
		return nil, err
	}
	if j.TLS != nil {
		if j.TLS = j.TLS.Clone(); j.TLS.ClientSessionCache != nil {
			j.TLS.ClientSessionCache = wire.NewSessions()
		}
		if j.HTTP2 {
			j.TLS.NextProtos = []string{wire.ALPN2}
		}
	}
	mix, err := j.Scenario.Compile(j.Authority(), scenario.Options{Close: j.PerConnection == 1,
		Shapes: j.Samples != nil, Scheme: j.Scheme(), HTTP2: j.HTTP2})
	if err == nil && mix.Closes() {
		j.PerConnection = 1
	}
	return mix, err
}

// Window is one stretch of load on an open Session.
type Window struct {
	For      time.Duration // no request is due after it; those in flight are awaited, unless Cut
	Cut      bool          // counts requests in flight at the end as such, and closes their connections
	Requests int64         // maximum number of requests; 0 means no limit
	Spread   time.Duration // the connections' first requests are spread evenly over it
	// InFlight limits the requests in flight per connection below the job's Pipeline; 0: no limit.
	InFlight int
	// Schedule says when requests are due: an open loop. nil is a closed loop, in which each
	// connection sends its next request as soon as it may.
	Schedule  *Schedule
	Observe   *Observe `json:"-"` // extra results besides the Load; nil: none
	Uncounted bool     // a warm-up: its figures do not count
	// Begin, unless nil, is called once all is ready. The window begins when it returns.
	Begin func() `json:"-"`
}

// Depth returns how many requests of job may be in flight on each connection during the window.
func (w *Window) Depth(job *Job) int {
	n := max(job.Pipeline, 1)
	if w.InFlight > 0 {
		n = min(n, w.InFlight)
	}
	return n
}

// Paced reports whether requests in w may be due before they are sent.
func (j *Job) Paced(w *Window) bool { return w.Schedule != nil || j.PerConnection > 0 }

// Allow notes in l that a connection was allowed that many requests in flight, if they are fewer
// than depth.
func Allow(l *record.Load, allowed, depth int) {
	if allowed < depth {
		l.StreamsAllowed = int(least(int64(l.StreamsAllowed), int64(allowed)))
	}
}

// Check returns an error if nothing would end the window.
func (w *Window) Check() error {
	if w.For <= 0 && w.Requests <= 0 && (w.Schedule == nil || w.Schedule.Length() <= 0) {
		return errors.New("run window: neither a duration nor a number of requests")
	}
	return nil
}

// Deadline returns the time, in ns, after which nothing starts in a window that begins at start;
// math.MaxInt64 if there is none. A limited number of requests is sent in full, even if the
// schedule ends.
func (w *Window) Deadline(start int64) int64 {
	end := int64(math.MaxInt64)
	if w.For > 0 {
		end = start + int64(w.For)
	}
	if w.Schedule != nil && w.Schedule.Length() > 0 && w.Requests == 0 {
		end = min(end, start+int64(w.Schedule.Length()))
	}
	return end
}

// Observe asks for more detail than a Load holds.
type Observe struct {
	Into  *record.Detail // filled when Run returns
	Every time.Duration  // interval length for Tick; 0: none
	Each  bool           // fill Into.Each, if the scenario has several requests with a weight
	Part  *Part          // filled when Run returns; nil: nothing will be merged (Measure)
	// Tick is called for each interval, in order, by one goroutine. The Interval is valid until it
	// returns.
	Tick func(record.Interval)
}

// Nap is the longest that an engine sleeps at a time within a window. A stop of the process or the
// machine during sleep therefore shows as a gap (record.Load.GapNS).
const Nap = 5 * time.Millisecond

// Engine opens connections. Package load/loop implements it.
type Engine interface {
	// Open establishes job's connections. Fewer than requested is not an error: each window's Load
	// gives the number; none at all is.
	Open(ctx context.Context, job Job) (Session, error)
}

// Session is a set of established connections, all idle between windows.
type Session interface {
	// Run loads for one window, awaits every answer (drain) and returns the results. A connection
	// that breaks is dialled again once per failure, and the failure is counted. Cancelling ctx
	// ends the window early; the results so far are still returned.
	Run(ctx context.Context, w Window) (record.Load, error)
	Close() error
}
