package loader

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"dyno/internal/conf"
	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/load"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/stats"
)

// foundErrors is the default limit for the share of failed requests in a probe.
const foundErrors = 0.001

// objective returns a search's objective: Find has one percentile, and perhaps errors.
func (r *Request) objective() (slo plan.SLO, err error) {
	slo.ErrorShare = foundErrors
	percentiles := 0
	for _, o := range r.Find {
		if o.Key == "" {
			slo.ErrorShare = o.Below
			continue
		}
		percentiles++
		slo.Quantile, slo.LimitNS = o.Quantile(), int64(o.Below)
	}
	if percentiles != 1 {
		return slo, conf.Usagef("--find: want one percentile and its limit, such as p99<10ms or p99<10ms,errors<1%%")
	}
	return slo, nil
}

// searchTime returns the intended duration of a search. Probes at low rates, which must be long to show their
// percentile, may take twice as long.
func (r *Request) searchTime() time.Duration { return cmp.Or(r.Duration, plan.SearchTime) }

// A search ends after mostPaused probes in a row in which the generator stood still.
const (
	mostPaused = 5
	mostAgains = 2 // limit for searching upward again after the last long probes
)

// finder is a search in progress.
type finder struct {
	plan    *Plan
	session load.Session
	slo     plan.SLO
	found   *report.Found
	closed  plan.Closed
	seen    []plan.Seen // the probes that count
	paused  int         // probes in a row in which the generator stood still
	limited int         // probes in a row that were missed with the generator at its limit, or long and not known
	repeats int         // probes that had to be repeated
}

// Search finds the highest rate at which the server meets the objective, with the same probes as a search in
// dyno run, and calls tick with each. After an interruption, or after twice the intended time, it returns the
// results so far, without an error; after another failure, with the error.
func (p *Plan) Search(ctx context.Context, tick func(report.Probe)) (*report.Found, error) {
	slo, err := p.objective()
	if err != nil {
		return nil, err
	}
	session, err := p.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	f := &finder{plan: p, session: session, slo: slo, found: &report.Found{Dyno: p.Dyno, Command: p.Command,
		CPU: machine.CPU(), Target: p.Target, Did: p.Did, Seed: p.Seed, Objective: objectiveText(p.Find),
		Quantile: slo.Quantile, LongProbes: plan.LongProbes}}
	err = f.search(ctx, tick)
	f.found.Top = f.closed.PerSec
	if rate, lo, hi := plan.Highest(&f.slo, f.seen); rate > 0 {
		f.found.Rate, f.found.Lo, f.found.Hi = rate, lo, hi
	}
	switch {
	case err != nil && ctx.Err() != nil:
		f.found.Ended, err = report.Interrupted, nil
	case err != nil:
		f.found.Ended = report.Failed
	}
	return f.found, err
}

// search makes the rounds of a search and repeats those in which the generator stood still, until the last
// round or until a probe shows that further probes make no sense.
func (f *finder) search(ctx context.Context, tick func(report.Probe)) error {
	began, whole := time.Now(), f.plan.searchTime()
	scale := float64(whole) / float64(plan.SearchTime)
	lower := false // the confirming probes at the last rate missed: the next ones are at a lower rate
	for round, agains := 0, 0; ; {
		late := time.Since(began)
		if round == plan.SearchRounds {
			seen, from, ok := plan.Again(&f.slo, f.seen)
			if ok && agains < mostAgains && late <= whole*3/2 {
				f.seen, round = seen, from
				f.found.Again()
				agains++
			}
		}
		if round == plan.LastRound || round >= plan.SearchRounds && round == plan.Lower(round) && !lower {
			break
		}
		if late > whole && agains == 0 && len(f.seen) > 0 && !plan.Confirms(round) {
			round++ // use the remaining time for confirmation
			continue
		}
		rate, length, ok := plan.Probe(&f.slo, round, f.closed, f.seen, scale)
		if !ok || plan.Confirms(round) && !slices.ContainsFunc(f.seen, func(s plan.Seen) bool { return s.Pass }) {
			break // nothing to search or confirm
		}
		if lower && late+plan.LongProbes*length > 2*whole {
			break
		}
		if late+length > 2*whole && len(f.found.Probes) > 0 {
			f.end(report.OutOfTime, fmt.Sprintf("the next one, of %s, would have ended later than %s after the start; "+
				"%d of these had to be repeated. Make -d longer", document.Duration(float64(length)), durationText(2*whole),
				f.repeats))
			break
		}
		probe, err := f.probe(ctx, round, rate, length)
		if err != nil && probe.Planned == 0 { // the probe showed nothing
			return err
		}
		if f.found.Probes = append(f.found.Probes, probe); tick != nil {
			tick(probe)
		}
		if err != nil || f.found.Ended != "" || f.found.TooSlowNS > 0 {
			return err
		}
		if probe.Paused {
			if f.paused++; f.paused == mostPaused {
				f.end(report.Stopped, fmt.Sprintf("the generator stood still in %d probes in a row: it was stopped, or other "+
					"programs used its CPUs. Free the machine of other work, and try again", mostPaused))
				break
			}
			f.repeats++
			continue
		}
		f.paused = 0
		if probe.Limited() || probe.NotKnown && probe.Kind == report.Confirmation {
			if f.limited++; f.limited < plan.MostLimited {
				f.repeats++
				continue
			}
		}
		f.limited = 0
		if probe.Kind != report.ClosedLoop && !probe.NotKnown {
			f.seen = append(f.seen, plan.Seen{Probe: stats.Probe{Rate: rate, Pass: probe.Kept}, Round: round,
				Latency: probe.LatencyNS, Limited: probe.Limited()})
		}
		round++
		_, kept, all := f.found.Confirmed()
		if lower = round >= plan.SearchRounds && kept < all; lower {
			round = plan.Lower(round)
		}
	}
	return nil
}

// end records that the search ends early, and why.
func (f *finder) end(how, why string) { f.found.Ended, f.found.Why = how, why }

// probe makes one load. After an error it returns the results so far.
func (f *finder) probe(ctx context.Context, round int, rate float64, length time.Duration) (report.Probe, error) {
	w := load.Window{For: length}
	probe := report.Probe{Kind: report.Searching, PerSec: rate, Length: length}
	switch {
	case round == 0:
		probe.Kind = report.ClosedLoop
	case plan.Confirms(round):
		probe.Kind = report.Confirmation
	}
	if round > 0 {
		w.Schedule = &load.Schedule{Stages: []load.Stage{{For: length, From: rate, To: rate}},
			Poisson: f.plan.Arrivals != "constant", Seed: f.plan.Seed + uint64(len(f.found.Probes))}
	}
	s := f.plan.frame()
	s.Open, s.For = round > 0, length
	w.Observe = &load.Observe{Into: &s.Detail}
	l, err := f.session.Run(ctx, w)
	s.Load, s.Wall, s.Interrupted, s.SentHTTP2 = l, time.Duration(l.WallNS), err != nil, sentHTTP2(s.Detail)
	if probe.Planned, probe.Missing = l.Planned, l.Planned-l.Succeeded; round == 0 {
		probe.PerSec = s.PerSec()
	}
	if err != nil {
		probe.Cut, probe.Length, probe.Planned, probe.Missing = true, s.Wall, l.Started, l.Started-l.Succeeded
		return probe, fmt.Errorf("probe: %w", err)
	}
	found := s.Findings()
	if gone := judge.TextOf(found, judge.Unreachable); gone == "" {
		probe.Paused = judge.TextOf(found, judge.Pauses) != ""
	} else if probe.Gone = !f.reaches(ctx); probe.Gone {
		f.end(report.Stopped, "the server was gone. The next probe "+gone)
	}
	if wrong := judge.TextOf(found, judge.Ledger); wrong != "" {
		f.end(report.Stopped, wrong)
	}
	probe.AtLimit = judge.TextOf(found, judge.GeneratorShare) != ""
	if round == 0 {
		f.begin(ctx, &probe, s, found)
	} else {
		f.judge(&probe, s)
	}
	return probe, nil
}

// reaches reports whether the server accepts a connection. A server that was overloaded does so again.
func (f *finder) reaches(ctx context.Context) bool {
	session, err := f.open(ctx)
	if err != nil {
		return ctx.Err() != nil // an interruption says nothing about the server
	}
	return session.Close() == nil
}

// open opens a session for one request at a time.
func (f *finder) open(ctx context.Context) (load.Session, error) {
	job := f.plan.job
	job.Connections, job.Workers, job.Pipeline = 1, 1, 1
	return f.plan.engine.Open(ctx, job)
}

// tooSlow makes a closed loop with one request at a time, takes the service time from there, and reports whether
// even the fastest response missed the objective.
func (f *finder) tooSlow(ctx context.Context, length time.Duration) bool {
	session, err := f.open(ctx)
	if err != nil {
		return false
	}
	defer session.Close()
	s := &report.Summary{OneLoad: judge.OneLoad{For: length}}
	s.Load, err = session.Run(ctx, load.Window{For: length, Observe: &load.Observe{Into: &s.Detail}})
	if err != nil || s.Load.Succeeded == 0 || judge.TextOf(s.Findings(), judge.Pauses) != "" {
		return false // not known
	}
	f.closed.Service = plan.ClosedOf(&s.Load).Service
	if fastest := s.Detail.Service.Min(); fastest >= f.slo.LimitNS {
		f.found.TooSlowNS = fastest
	}
	return f.found.TooSlowNS > 0
}

// begin sets the bounds for further probes from the closed loop, or ends the search. Slow responses may have
// waited for each other: then one request at a time decides whether the search goes on.
func (f *finder) begin(ctx context.Context, probe *report.Probe, s *report.Summary, found []judge.Finding) {
	f.found.Closed = nil
	for _, id := range []string{judge.Redirected, judge.Churn, judge.Streams, judge.Errors} {
		if text := judge.TextOf(found, id); text != "" {
			f.found.Closed = append(f.found.Closed, "in the closed loop: "+text)
		}
	}
	if s.Detail.First != "" {
		f.found.Closed = append(f.found.Closed, "the first wrong answer: "+s.Detail.First)
	}
	fewer := judge.TextOf(found, judge.Connected)
	f.closed = plan.ClosedOf(&s.Load)
	low, high := plan.Bounds(&f.slo, f.closed)
	switch {
	case f.found.Ended != "" || probe.Paused:
	case fewer != "":
		f.end(report.Stopped, "the closed loop had "+fewer)
	case int64(f.closed.Service) >= f.slo.LimitNS && f.tooSlow(ctx, s.For): // the search ends
	case high > 0 && high <= low:
		f.end(report.Stopped, fmt.Sprintf("the closed loop reached %s, and in the longest probe p%g cannot be known "+
			"below %s. Choose a lower percentile", report.Rate(f.closed.PerSec), 100*f.slo.Quantile, report.Rate(low)))
	}
}

// judge compares an open loop with the objective.
func (f *finder) judge(probe *report.Probe, s *report.Summary) {
	d := &s.Detail
	least := d.Response.Quantile(f.slo.Quantile)
	probe.LatencyNS = least
	if d.Censored > 0 && probe.LatencyNS >= d.CensoredFromNS {
		probe.LatencyNS = d.ResponseAtMost(f.slo.Quantile)
	}
	why := plan.Missed(&f.slo, &s.Load, plan.Response{NS: probe.LatencyNS, Least: least, Fast: d.Within(f.slo.LimitNS)})
	probe.Kept, probe.NotKnown, probe.Why = why == "", why == plan.TooFew, string(why)
}

// objectiveText returns the objectives as given.
func objectiveText(all []judge.Objective) (text string) {
	for i, o := range all {
		if i > 0 {
			text += ","
		}
		text += o.Text
	}
	if !slices.ContainsFunc(all, func(o judge.Objective) bool { return o.Key == "" }) {
		text += ",errors<0.1%"
	}
	return text
}
