package main

import (
	"math"
	"slices"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// rate is the requests per second of a server with log speed 0.
const rate = 60_000

// recordRun plays a run with profile standard and a foe. truth has the log speeds of the contestants, then of
// the controls.
func recordRun(foe *Foe, seed uint64, rep int, truth []float64) *record.Run {
	return recordPlan(foe, seed, rep, truth, runPlan(plan.Standard, len(truth)-riders))
}

// recordPlan plays a run as dyno run would: plan chooses the next trial, discards rounds and decides when to
// stop. A field makes the trials. The result looks as if read from a trials.jsonl.
func recordPlan(foe *Foe, seed uint64, rep int, truth []float64, p record.Plan) *record.Run {
	rng := source(seed, "record/"+foe.Name, rep)
	p.Seed, p.Ceiling = rng.Uint64(), ""
	f := newField(trapNoise, truth, p.Rounds, rng)
	f.suffer(foe, len(p.Contestants))
	run := &record.Run{Plan: p, Host: record.Host{OS: "simulated", CPUs: 2}}
	playOut(run, f)
	return run
}

// playOut plays a run by its plan. The field's servers are the contestants, then the controls.
func playOut(run *record.Run, f *field) {
	p := &run.Plan
	names := slices.Concat(p.Contestants, p.Controls)
	for i, name := range names {
		run.Contestants = append(run.Contestants, record.Contestant{
			Name: name, Title: name, Version: "v1", BinaryHash: "00", Control: i >= len(p.Contestants),
		})
	}
	epoch := -1
	for {
		order, stop := plan.Next(run, func() bool { return study.Analyse(run).Decided() })
		if stop != "" {
			run.End = &record.End{Reason: string(stop)}
			return
		}
		if order.Epoch != epoch {
			epoch = order.Epoch
			for _, name := range plan.Starts(run, epoch) {
				run.Launches = append(run.Launches, record.Launch{
					Contestant: name, Epoch: epoch, StartedUnixNS: f.unix(), Warmup: "flat",
				})
			}
			f.begin()
		}
		from := f.unix()
		log, background := f.trial(order.Round, order.Position, slices.Index(names, order.Contestant))
		run.Trials = append(run.Trials, trialOf(order, log, background, from, f.unix()))
	}
}

// unix returns the field's clock, ns.
func (f *field) unix() int64 { return 1_500_000_000e9 + int64(f.now*1e9) }

// trialOf returns the record of a trial with this log speed and share of background CPU.
func trialOf(o plan.Order, log, background float64, from, to int64) *record.Trial {
	perSec := rate * math.Exp(log)
	n := int64(perSec * trialTime)
	cpu, generator, memory := int64(.97*(1-background)*trialTime*1e9), int64(.5*trialTime*1e9), int64(12e6)
	service := int64(125 / perSec * 1e9)
	return &record.Trial{
		Key: o.Key, Contestant: o.Contestant, StartedUnixNS: from, EndedUnixNS: to,
		Load: record.Load{
			WindowNS: trialTime * 1e9, Connections: 125, Established: 125, Started: n, Succeeded: n,
			ServiceP50NS: service, ServiceP99NS: 3 * service, ServiceMaxNS: 5 * service,
		},
		Server:    record.Usage{CPUNS: &cpu, PrivateBytes: &memory, Processes: 1},
		Generator: record.Usage{CPUNS: &generator}, Causes: causesOf(background),
	}
}
