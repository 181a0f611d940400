package loader

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"dyno/internal/conf"
	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/stats"
	"dyno/internal/summary"
)

// foundErrors is the share of requests that may fail in a probe, unless the objective says another.
const foundErrors = 0.001

// objective returns the objective of a search: Find holds one percentile, and perhaps errors.
func (r *Request) objective() (slo result.SLO, err error) {
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

// searchTime is how long a search is to take. Probes at low rates, which must be long to show their
// percentile, may make it twice that.
func (r *Request) searchTime() time.Duration { return cmp.Or(r.Duration, plan.SearchTime) }

// Search looks for the highest rate at which the server keeps the objective, by the probes of a
// search of dyno run, and calls tick with each. After an interruption, or when twice its time is up,
// it returns what was found until then, without an error; after another failure, with the error.
func (p *Plan) Search(ctx context.Context, tick func(summary.Probe)) (*summary.Found, error) {
	slo, err := p.objective()
	if err != nil {
		return nil, err
	}
	session, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	if err := p.warmUp(ctx, session); err != nil {
		return nil, err
	}
	began, most := time.Now(), 2*p.searchTime()
	scale := float64(p.searchTime()) / float64(plan.SearchTime)
	f := &summary.Found{Dyno: p.Dyno, Command: p.Command, Target: p.Target, Did: p.Did, Seed: p.Seed,
		Objective: wanted(p.Find), Rounds: plan.SearchRounds}
	var probes []stats.Probe
	for round := range plan.SearchRounds {
		late := time.Since(began)
		if late > p.searchTime() && len(probes) > 0 && !plan.Confirms(round) {
			continue // what is left of the time confirms what was found
		}
		rate, length, ok := plan.Probe(&slo, round, f.Top, probes, scale)
		if !ok {
			break
		}
		if late+length > most && round > 0 {
			f.Ended = summary.OutOfTime
			break
		}
		w := load.Window{For: length}
		if round > 0 {
			w.Schedule = &load.Schedule{Stages: []load.Stage{{For: length, From: rate, To: rate}},
				Poisson: p.Arrivals != "constant", Seed: p.Seed + uint64(round)}
		}
		var probe summary.Probe
		if probe, err = p.probe(ctx, session, &slo, w); err != nil && probe.Planned == 0 { // nothing was seen of it
			break
		}
		switch probe.Kind = summary.Searching; {
		case round == 0:
			probe.Kind = summary.ClosedLoop
		case plan.Confirms(round):
			probe.Kind = summary.Confirmation
		}
		switch {
		case err != nil:
			probe.Cut = true
		case round == 0:
			f.Top = probe.PerSec
			f.TooSlowNS = probe.LatencyNS
		case probe.Kind == summary.Searching && !probe.Paused:
			probes = append(probes, stats.Probe{Rate: rate, Pass: probe.Kept})
		}
		if f.Probes = append(f.Probes, probe); tick != nil {
			tick(probe)
		}
		if err != nil || f.TooSlowNS > 0 {
			break
		}
	}
	if len(probes) > 0 {
		f.Rate, f.Lo, f.Hi = stats.Capacity(probes)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		f.Ended, err = summary.Interrupted, nil
	case err != nil:
		f.Ended = summary.Failed
	}
	return f, err
}

// probe makes one load of a search. That of a closed loop has a latency only where its fastest
// response missed the objective: the fastest's. After an error it describes what was seen until then.
func (p *Plan) probe(ctx context.Context, session load.Session, slo *result.SLO, w load.Window) (summary.Probe,
	error) {
	s := &summary.Summary{Open: w.Schedule != nil, For: w.For}
	w.Observe = &load.Observe{Into: &s.Detail}
	l, err := session.Run(ctx, w)
	if err != nil {
		err = fmt.Errorf("probe: %w", err)
	}
	s.Load, s.Wall, s.Interrupted = l, time.Duration(l.WallNS), err != nil
	warnings := s.Warnings()
	probe := summary.Probe{Length: w.For, Planned: l.Planned, Missing: l.Planned - l.Succeeded,
		Paused: summary.Has(warnings, summary.Paused), AtLimit: summary.Has(warnings, summary.Generator)}
	if err != nil {
		probe.Length, probe.Planned, probe.Missing = s.Wall, l.Started, l.Started-l.Succeeded
	}
	if w.Schedule == nil {
		probe.PerSec = s.PerSec()
		if fastest := s.Detail.Service.Min(); fastest >= slo.LimitNS && err == nil {
			probe.LatencyNS = fastest
		}
		return probe, err
	}
	probe.PerSec = w.Schedule.Stages[0].From
	probe.LatencyNS = s.Detail.Response.Quantile(slo.Quantile)
	if s.Detail.Censored > 0 && probe.LatencyNS >= s.Detail.CensoredFromNS {
		probe.LatencyNS = s.Detail.ResponseAtMost(slo.Quantile)
	}
	probe.Kept = err == nil && plan.Kept(slo, &l, probe.LatencyNS)
	return probe, err
}

// wanted returns the objectives as they were given.
func wanted(all []summary.Objective) (text string) {
	for i, o := range all {
		if i > 0 {
			text += ","
		}
		text += o.Text
	}
	if !slices.ContainsFunc(all, func(o summary.Objective) bool { return o.Key == "" }) {
		text += ",errors<0.1%"
	}
	return text
}
