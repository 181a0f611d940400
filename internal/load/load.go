// Package load defines what a load is (Job), when requests go out (Schedule), what is kept of them (Recorder) and who sends
// them (Engine). Engines live in the rooms above; one worker owns one Recorder, and Run merges them.
package load

import (
	"context"
	"time"

	"dyno/internal/result"
	"dyno/internal/scenario"
)

// Job says what is sent where, over how many connections.
type Job struct {
	Network     string // "tcp" or "unix"
	Addr        string // "127.0.0.1:5000" or the socket's path
	HostHeader  string // value of Host; Addr if empty
	Scenario    *scenario.Scenario
	Seed        uint64 // of the drawn inputs; every connection draws its own sequence
	Connections int
	Pipeline    int           // requests in flight per connection; 0 means 1
	Timeout     time.Duration // of one request; 0 means 10 s
	Workers     int           // event loops; 0 means one per CPU in CPUs
	CPUs        []int         // that the workers are pinned to, round robin; nil leaves them free
}

// Window is one stretch of load on an open Session.
type Window struct {
	For      time.Duration // no request starts after it; those in flight are awaited
	Requests int64         // or: at most so many requests; 0 means no limit
	Spread   time.Duration // the first requests of the connections are spread evenly over it
}

// Engine dials.
type Engine interface {
	// Open establishes the connections of job. Fewer than asked is not an error here: the Load of each window says how many there were;
	// none at all is.
	Open(ctx context.Context, job Job) (Session, error)
}

// Session is a set of established connections, all idle between windows.
type Session interface {
	// Run loads for one window, awaits every answer (drain) and returns what was seen. A connection that breaks is dialled again once
	// per failure, and the failure is counted. Cancelling ctx ends the window early; what was seen is still returned.
	Run(ctx context.Context, w Window) (result.Load, error)
	Close() error
}
