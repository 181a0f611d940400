package plan

import (
	"time"

	"dyno/internal/record"
)

// The minimum trial length for each connection: the time for five requests at 60,000/s. For each
// record that a relay sends, the time for two (0.5 to 1 µs were measured for one).
const (
	perConnection = 80 * time.Microsecond
	recordTime    = 1200 * time.Nanosecond
)

// cpuTime is the approximate time that a CPU-bound handler, which computes 10,278 SHA-256,
// needs. Measured: 0.9 to 1.1 ms on one CPU.
const cpuTime = time.Millisecond

// Answered returns the approximate time to serve one request on each connection, if the
// handlers' own work determines it.
func Answered(l record.Level) time.Duration {
	if l.Work != record.CPUBound {
		return 0
	}
	return time.Duration(l.Connections*max(1, l.Pipeline)) * cpuTime
}

// requestTime is the time that a request on a new connection takes in addition to the handler's
// delay.
const requestTime = 50 * time.Microsecond

// trialOf returns a trial's length, ns. With several levels it is long enough for each
// connection to carry about five requests; two or more if a service sends many records, and one
// if handlers hash. With fresh processes it is about the time that the number of requests takes.
func trialOf(p *record.Plan, l record.Level) int64 {
	if p.Fresh() {
		c := int64(l.Connections)
		return (p.Load.Requests+c-1)/c*l.DelayNS + p.Load.Requests*int64(requestTime)
	}
	if len(p.Levels) < 2 && l.Records == 0 && l.Work == "" {
		return p.Load.NS
	}
	used := time.Duration(l.Connections) * (perConnection + 2*time.Duration(l.Records)*recordTime)
	return int64(max(time.Duration(p.Load.NS), 20*time.Duration(l.DelayNS), Answered(l), used))
}

// A connection that waits for answers should get several in a trial, or the trial shows how a server begins. A
// slow server's trials become longer, up to longTrial.
const (
	answersEach = 3
	longTrial   = time.Second
)

// lengthOf returns the length of a contestant's trial at a level, ns: trialOf's, or longer if the epochs that find
// the warm-up times showed that answersEach answers on each connection take longer.
func lengthOf(run *record.Run, name string, l record.Level, epoch int) int64 {
	p, ns := &run.Plan, trialOf(&run.Plan, l)
	if epoch < found(p) || l.Open() || p.Fresh() {
		return ns
	}
	var took, answers int64
	for _, t := range run.Trials {
		if t.Epoch >= found(p) {
			break
		}
		if t.Contestant == name && p.LevelOf(t) == l {
			took, answers = took+t.Load.WindowNS, answers+t.Load.Succeeded
		}
	}
	if answers == 0 {
		return ns
	}
	all := answersEach * int64(l.Connections*max(1, l.Pipeline))
	return max(ns, min(int64(longTrial), took/answers*all))
}

// All contestants together are sent their sequences of requests (scenario.Scenario.InTurn) in one part in
// sequencePart of the budget, a twentieth of ten epochs, and each in MostSequence.
const (
	MostSequence = 2 * time.Second
	sequencePart = 200
)

// Sequence returns the time for a contestant's sequence at its first start. The one that answers fewest
// decides how many requests all are sent in each epoch.
func Sequence(p *record.Plan) time.Duration {
	return min(MostSequence, time.Duration(p.BudgetNS)/time.Duration(sequencePart*len(p.Contestants)))
}
