package report

import (
	"cmp"
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// Summary is a finished load.
type Summary struct {
	Dyno    string // dyno's version
	Command string // repeats the load
	Target  string // URL of the server
	Did     string // the request, in words: "10 s over 125 connections, closed loop, …"
	CPU     string // model of the CPUs
	Seed    uint64

	Timeout    time.Duration // time limit for each request
	NoSpin     string        // why the event loops did not spin
	Unverified bool          // any certificate was accepted
	Names      []string      // the scenario's requests
	Checked    string        // the parts of every answer that were checked, in words

	judge.OneLoad
	Seconds []Second // results by second, in order

	Color bool // Text may use ANSI styles
}

// Second holds the results of one interval of a load. It lasts a second unless the caller chose
// otherwise.
type Second struct {
	StartNS, LengthNS int64

	Started, Succeeded, Failed, Errored int64
	SentAgain                           int64
	BytesRead, RunQueueNS               int64

	// Response times if they were measured, else service times, and lag; 0: none, or too few
	// requests lie beyond it.
	P50NS, P99NS, MaxNS int64
	LagP50NS, LagP99NS  int64
}

// Of returns an interval's Second.
func Of(i record.Interval) Second {
	l := &i.Load
	s := Second{
		StartNS: i.StartNS, LengthNS: i.LengthNS, Started: l.Started, Succeeded: l.Succeeded, Failed: l.Failed,
		Errored:   l.Errored(),
		SentAgain: l.SentAgain,
		BytesRead: l.BytesRead, RunQueueNS: l.RunQueueNS,
	}
	s.Measured(&i.Detail)
	return s
}

// Measured sets s's percentiles from its interval's histograms.
func (s *Second) Measured(d *record.Detail) {
	if h := cmp.Or(d.Response, d.Service); h != nil {
		s.P50NS, s.P99NS, s.MaxNS = told(h, 0.5), told(h, 0.99), h.Max()
	}
	if h := d.Lag; h != nil {
		s.LagP50NS, s.LagP99NS = told(h, 0.5), told(h, 0.99)
	}
}

// told returns a quantile if enough requests lie beyond it, else 0.
func told(h *record.Histogram, q float64) int64 {
	if !(judge.Latencies{H: h}).Bears(q) {
		return 0
	}
	return h.Quantile(q)
}

// PerSec returns the rate of answers that kept their contract: see record.Load.
func (s *Summary) PerSec() float64 {
	v, _ := s.Load.PerSec()
	return v
}

// perSec returns the rate of right answers.
func (s Second) perSec() float64 {
	v, _ := record.PerSec(float64(s.Succeeded), s.LengthNS)
	return v
}

// TimedOut returns the number of requests that timed out.
func (s *Summary) TimedOut() int64 { return s.Load.Errors["timeout"] }

// whole returns the rates of seconds in which requests were sent throughout, including seconds
// without a response.
func (s *Summary) whole() (perSecond []float64) {
	for _, sec := range s.Seconds {
		if s.filled(sec) {
			perSecond = append(perSecond, sec.perSec())
		}
	}
	return perSecond
}

// filled reports whether requests were sent throughout sec: the wait for the last answers belongs
// to no rate.
func (s *Summary) filled(sec Second) bool {
	return sec.LengthNS > 0 && sec.StartNS+sec.LengthNS <= s.Load.Sending()
}
