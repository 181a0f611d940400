package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/stats"
	"dyno/internal/wire"
)

// impossible returns an error if a trial is arithmetically impossible: a server that was faster
// than its delay or its work allows, or sent less than its response, did not do the work. The
// ceiling's server and services are exempt.
func (b *Bench) impossible(s Server, o plan.Order, t *record.Trial) error {
	p := &b.run.Plan
	if o.Contestant == p.Ceiling || p.IsService(o.Contestant) {
		return nil
	}
	if err := b.idled(o, t); err != nil {
		return err
	}
	job := b.job(o.Contestant, s, o.Level, o.LoadSeed)
	return job.Impossible(&t.Load, time.Duration(o.Level.DelayNS), b.shownBytes(&job, o.Contestant, o.Level))
}

// leastWork is less CPU time, in ns, than 10,278 SHA-256 take on any CPU: each has 32 steps of two
// rounds, and a step takes at least two cycles, at 6.5 GHz at most.
const leastWork = 10278 * 32 * 2 / 6.5 // ns, at 6.5 GHz

// idled returns an error if a server that must hash before it responds used too little CPU time:
// less than any CPU needs, or less than half the CPU time of the reference, which hashes as much,
// in this run.
func (b *Bench) idled(o plan.Order, t *record.Trial) error {
	p := &b.run.Plan
	own, ok := cpuPerAnswer(t)
	if o.Level.Work != record.CPUBound || !ok {
		return nil
	}
	if own < leastWork {
		return fmt.Errorf("impossible: %v of CPU time per response, but the 10,278 SHA-256 of DYNO_WORK=%s take at "+
			"least %v on any CPU: it does not do the work",
			nearly(own), o.Level.Work, nearly(leastWork))
	}
	var of []float64
	for _, at := range b.run.Trials {
		if v, ok := cpuPerAnswer(at); ok && len(p.Controls) > 0 && at.Contestant == p.Controls[0] &&
			p.LevelOf(at) == o.Level {
			of = append(of, v)
		}
	}
	if reference := stats.Median(of); own < reference/2 {
		return fmt.Errorf("it used %v of CPU time per response, but %s, which does the hashing of DYNO_WORK=%s, "+
			"used %v: it does not do the work",
			nearly(own), p.Controls[0], o.Level.Work, nearly(reference))
	}
	return nil
}

func cpuPerAnswer(t *record.Trial) (ns float64, ok bool) {
	if t.Server.CPUNS == nil || t.Load.Succeeded == 0 {
		return 0, false
	}
	return float64(*t.Server.CPUNS) / float64(t.Load.Succeeded), true
}

func nearly(ns float64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }

// shownBytes returns the mean response length at verification, over draws, if all loaded requests
// have the same response; else 0. For HTTP/2 it is the body's length.
func (b *Bench) shownBytes(job *load.Job, name string, level record.Level) int {
	sc := b.scenario(level.Scenario)
	seen := b.exact.seen[shown{name, sc.Name, level.Records, level.HTTP}]
	loaded := 0
	for i := range sc.Requests {
		r := &sc.Requests[i]
		if r.Weight == 0 {
			continue
		}
		if loaded++; loaded > 1 || r.Expect.Body == nil || !r.Expect.Verbatim && strings.Contains(*r.Expect.Body, "{") {
			return 0
		}
	}
	switch {
	case seen == nil || sc.Session != "" || sc.Cookies:
		return 0
	case b.compared(name) && level.HTTP == b.run.Plan.First().HTTP && b.Alike.Bytes(name, job.HTTP2) > 0: // all draws
		return b.Alike.Bytes(name, job.HTTP2)
	case job.HTTP2:
		return seen.BodyBytes
	}
	return seen.HeaderBytes + seen.BodyBytes
}

// proveAgain verifies every process in an epoch again, after its last load: a process may have
// behaved differently while it was first verified. Each ends while the next is verified.
func (b *Bench) proveAgain(ctx context.Context, epoch int) error {
	p := &b.run.Plan
	if err := b.judge(ctx, epoch); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(b.servers)) {
		if name == p.Ceiling || p.IsService(name) {
			continue
		}
		s := b.servers[name]
		err := b.stillKeeps(ctx, name, s, epoch)
		if gone := b.gone(); gone != nil || ctx.Err() != nil { // no contestant is to blame
			return ctx.Err()
		}
		if err != nil {
			err = fmt.Errorf("after the last load of epoch %d: %w", epoch, err)
			if err := b.fail(name, "verify", epoch, WithLog(s, err)); err != nil {
				return err
			}
			continue
		}
		b.leave(name)
	}
	return nil
}

// stillKeeps thaws a process, loads it with the requests of weight 0 mixed in, verifies it, and
// verifies it again with other records of the source, which a process that caches its answers does not
// know. Then it freezes the process.
func (b *Bench) stillKeeps(ctx context.Context, name string, s Server, epoch int) error {
	if err := b.thawed(ctx, name, s, epoch, plan.First(&b.run.Plan, epoch)); err != nil {
		return err
	}
	err := b.loadMixed(ctx, name, s, epoch)
	asked := plan.AskedIn(b.run, epoch, name)
	if err == nil {
		var seen *scenario.Observed
		seen, err = b.verify(ctx, name, b.differs(name), s, epoch, epoch, asked)
		if err == nil && seen != nil && !b.Scenario.Lenient {
			err = b.exact.dates[name].moved(seen.Date)
		}
	}
	if db := b.database(name); err == nil && db != nil {
		err = afterChange(ctx, b.Scenario, db.At(wire.Clear).Addr, b.Query, func(changed *scenario.Scenario) error {
			_, err := b.Generator.Ask(ctx, s.At(b.run.Plan.First().HTTP), Question{What: AskVerify,
				Scenario: b.exact.asked(name, changed), Differs: b.differs(name), Delay: b.delay(epoch)})
			return err
		})
	}
	if err == nil && b.source() != nil {
		clear(b.exact.bound)
		_, err = b.verify(ctx, name, b.differs(name), s, epoch, otherRecords(epoch), asked)
		clear(b.exact.bound)
	}
	if frozen := b.frozen(name, s); err == nil {
		err = frozen
	}
	return err
}

// dateSeen is the Date in a process's answer, and when that came.
type dateSeen struct {
	text string
	at   time.Time
}

// moved returns an error if a later answer has the same Date.
func (d dateSeen) moved(now string) error {
	if since := time.Since(d.at); d.text != "" && now == d.text && since > 2*time.Second {
		return fmt.Errorf("the Date header is still %s, as %v ago", now, since.Round(time.Second))
	}
	return nil
}

// otherRecords returns an epoch number that no epoch has, so that its records differ from all
// others.
func otherRecords(epoch int) int { return -1 - epoch }

// The size of a load that includes requests with weight 0: the number of requests, about a hundred
// of them with weight 0, and the maximum number of connections. The load is concurrent and short,
// because an epoch may have sixty contestants.
const (
	mixedRequests    = 1000
	mixedConnections = 100
)

// loadMixed loads a process as in its warm-up, but with the requests of weight 0 mixed in. A
// process that keeps its contract only on a single connection, as during verification, breaks it
// here. The load's figures are not used.
func (b *Bench) loadMixed(ctx context.Context, name string, s Server, epoch int) error {
	for _, level := range plan.Warmups(b.run, epoch, name) {
		level.Connections = min(level.Connections, mixedConnections)
		job := b.job(name, s, level, uint64(epoch))
		mixed := job.Scenario.Mixed()
		if mixed == job.Scenario {
			continue
		}
		job.Scenario = mixed
		if err := b.instruct(ctx, epoch, level.Records); err != nil {
			return err
		}
		session, err := b.Generator.Open(ctx, job)
		if err != nil {
			return err
		}
		w := load.Window{For: plan.WarmWindow(level), Spread: b.delay(epoch), Requests: mixedRequests}
		seen, err := session.Run(ctx, w)
		session.Close()
		if err == nil {
			err = broken(&seen, mixed)
		}
		if err != nil {
			return fmt.Errorf("under a load that includes requests with weight 0: %w", err)
		}
	}
	return nil
}
