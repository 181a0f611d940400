package judge

import (
	"cmp"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/stats"
	"dyno/internal/wire"
)

// sound is evidence that passes every check; tests spoil one thing in it. One contestant runs with
// two controls, in random order, with noise of a thousandth.
func sound() *Evidence {
	rng := rand.New(rand.NewPCG(16, 28))
	e := &Evidence{Kind: OneLevel,
		Run: &record.Run{
			Plan: record.Plan{Contestants: []string{"a"}, Controls: []string{"ref", "ref'"}, Pilots: 1,
				Levels: []record.Level{{}}, Processes: record.PerEpoch, Primary: "throughput",
				Origin: record.Origin{StartedUnixNS: 100 * 60e9}},
			Host: record.Host{BootID: "b", Pinned: true, ServerCPUs: []int{0}, GeneratorCPUs: []int{1}},
			Calibration: &record.Calibration{BootID: "b", EndedUnixNS: 50 * 60e9,
				Delays: []record.KnownDelay{{ErrorP99NS: -90e3}, {ErrorP99NS: 60e3}}},
			Contestants: []record.Contestant{{Name: "a", Version: "v1", BinaryHash: "00"}},
			Launches:    starts(record.Flat, record.Flat, record.Warmed),
		},
		All: 10,
		Analysis: &Analysis{Primary: "throughput",
			Epochs: 12, Interim: 1, Margin: .03, Serial: &stats.Serial{}, Shares: map[string]float64{"a": .3},
			AACheck: &Pair{A: "ref", B: "ref'",
				Verdict: Equivalent, Ratio: Estimate{Value: 1, Lo: .99, Hi: 1.01}}},
	}
	at := int64(0)
	for epoch := 1; epoch <= 12; epoch++ {
		for round := range 12 {
			for position, i := range rng.Perm(3) {
				cpu, generator, pss := int64(39e7), int64(20e7), int64(1e7)
				n := int64(10_000 * math.Exp(.001*rng.NormFloat64()))
				e.Valid = append(e.Valid, &record.Trial{
					Key:           record.Key{Epoch: epoch, Round: round, Position: position},
					Contestant:    []string{"a", "ref", "ref'"}[i],
					StartedUnixNS: at, EndedUnixNS: at + 4e8,
					Load: record.Load{WindowNS: 4e8, RateAnswers: float64(n), RateNS: 4e8, RateFromNS: 1,
						Connections: 5, Established: 5, Started: n, Succeeded: n,
						ServiceP50NS: 1e6, ServiceP99NS: 2e6, ServiceMaxNS: 3e6, GapNS: 5e6},
					ClocksNS:  4e8,
					Server:    record.Usage{CPUNS: &cpu, PrivateBytes: &pss, Processes: 1},
					Generator: record.Usage{CPUNS: &generator},
					Causes:    record.Causes{WallNS: 4e8, ServerCPUs: 1, GeneratorCPUs: 1},
				})
				at += 4e8
			}
		}
	}
	e.Run.Trials = e.Valid
	e.Analysis.Trends = trendsOf(e)
	return e
}

// trials spoils every trial by f.
func trials(f func(*record.Trial)) func(*Evidence) {
	return func(e *Evidence) {
		for i := range e.Valid {
			f(e.Valid[i])
		}
	}
}

// faster changes every trial's throughput by a share that may depend on it and on the previous
// trial.
func faster(by func(t, before *record.Trial) float64) func(*Evidence) {
	return func(e *Evidence) {
		for i := range e.Valid {
			before := e.Valid[max(0, i-1)]
			l := &e.Valid[i].Load
			l.RateAnswers *= 1 + by(e.Valid[i], before)
			l.Succeeded = int64(l.RateAnswers)
		}
	}
}

func stateOf(t *testing.T, e *Evidence, id string) State {
	t.Helper()
	for _, f := range Make(e) {
		if f.ID == id {
			if f.Text == "" || f.Title == "" {
				t.Errorf("%s says nothing: %+v", id, f)
			}
			return f.State
		}
	}
	t.Fatalf("no finding %s", id)
	return 0
}

func TestSoundEvidencePasses(t *testing.T) {
	for _, f := range Make(sound()) {
		if f.State != Pass {
			t.Errorf("%+v", f)
		}
	}
}

// A run without a copy of its reference does not answer whether twins are equal.
func TestWithoutTwins(t *testing.T) {
	e := sound()
	e.Run.Plan.Controls, e.Analysis.AACheck = []string{"ref"}, nil
	found := Make(e)
	if _, made := StateOf(found, Twins); made || Summary(found)[TwinsEqual].Plain() != "not asked" {
		t.Errorf("twins are judged: %+v", found)
	}
}

// A run without a reference has no ceiling to find: whether the generator had room, its own CPU tells.
func TestWithoutReference(t *testing.T) {
	e := sound()
	e.Run.Plan.Controls, e.Analysis.Shares = nil, map[string]float64{}
	found := Make(e)
	if _, made := StateOf(found, Ceiling); made || Summary(found)[GeneratorFree].Plain() != "yes" {
		t.Errorf("%+v", Summary(found)[GeneratorFree])
	}
}

// If the share of the ceiling is unknown, V02 says why.
func TestUnknownCeilingSaysWhy(t *testing.T) {
	for want, spoil := range map[string]func(*record.Run){
		"handlers wait":          func(r *record.Run) { r.Plan.Levels[0].DelayNS = 1e6 },
		"it does not serve this": func(r *record.Run) { r.Plan.Ceiling = "" },
		"not loaded with these":  func(r *record.Run) { r.Plan.Cells = nil },
		"that determines it failed in": func(r *record.Run) {
			r.Failures = append(r.Failures, record.Failure{Contestant: "null"})
		},
		"no valid trial": func(r *record.Run) {
			r.Plan.Levels[0].Scenario = "other"
		},
	} {
		e := sound()
		e.Run.Plan.Controls, e.Run.Plan.Ceiling, e.Run.Plan.Cells = []string{"ref"}, "null",
			[]record.Cell{{Contestant: "null"}}
		spoil(e.Run)
		delete(e.Analysis.Shares, "a")
		text := ""
		for _, f := range Make(e) {
			if f.ID == "V02" {
				text = f.Text
			}
		}
		if !strings.Contains(text, want) {
			t.Errorf("%q; want …%s…", text, want)
		}
	}
}

// provocation spoils a sound run so that a check reaches a state.
type provocation struct {
	id    string
	want  State
	spoil func(*Evidence)
}

var provocations = []provocation{
	{"V01", Warn, trials(func(t *record.Trial) { t.Generator.CPUNS = ns(35e7) })},
	{"V01", Warn, trials(func(t *record.Trial) { t.Generator.CPUNS = ns(39e7) })}, // V02 passes
	{"V01", Warn, trials(func(t *record.Trial) { // one loop of four CPUs
		t.Generator.CPUNS, t.Causes.GeneratorCPUs, t.Load.Workers = ns(35e7), 4, 1
	})},
	{"V01", Fail, func(e *Evidence) {
		trials(func(t *record.Trial) { t.Generator.CPUNS = ns(39e7) })(e)
		e.Analysis.Shares["a"] = .7
	}},
	{"V02", Warn, func(e *Evidence) { e.Analysis.Shares["a"] = .7 }},
	{"V02", CannotTell, func(e *Evidence) { delete(e.Analysis.Shares, "a") }},
	{"V02", Fail, func(e *Evidence) { e.Analysis.Shares["a"] = .85 }},
	{"V03", Pass, trials(func(t *record.Trial) { t.Causes.BackgroundServerNS = 3e7 })},
	{"V03", Warn, trials(func(t *record.Trial) { t.Causes.BackgroundServerNS = 5e7 })},
	{"V04", Pass, trials(func(t *record.Trial) { t.Causes.BackgroundGeneratorNS = 3e7 })},
	{"V04", Warn, trials(func(t *record.Trial) { t.Causes.BackgroundGeneratorNS = 5e7 })},
	{"V05", Pass, trials(func(t *record.Trial) { t.Causes.StealNS = 1e7 })},
	{"V05", Warn, trials(func(t *record.Trial) { t.Causes.StealNS = 4e7 })},
	{"V05", Fail, trials(func(t *record.Trial) { t.Causes.ThrottledNS = 1 })},
	{"V06", Warn, func(e *Evidence) { e.Discarded = 3 }},
	{"V06", Warn, func(e *Evidence) { e.Discarded = e.All - 1 }}, // the others count
	{"V06", Fail, func(e *Evidence) { e.Discarded = e.All }},
	{"V07", Warn, openLoops(func(l *record.Load) { l.Planned += l.Planned / 50 })},
	{"V07", Fail, openLoops(func(l *record.Load) { l.Planned += l.Planned / 25 })},
	{"V07", Fail, openLoops(func(l *record.Load) { l.Planned = 0 })},
	{"V08", Warn, openLoops(func(l *record.Load) { l.LagP99NS = l.ResponseP50NS / 5 })},
	{"V08", Warn, openLoops(func(l *record.Load) { l.ResponseP50NS = 0 })},
	{"V08", Fail, openLoops(func(l *record.Load) { l.LagP99NS = l.ResponseP50NS })},
	{"V09", Warn, openLoops(func(l *record.Load) { l.Pace.HalfNS = 0 })},
	// If 3 % are not answered in time, the halves hold an eighth and three eighths.
	{"V09", Fail, openLoops(func(l *record.Load) {
		behind := 3 * l.Planned / 100 * 2 * l.Pace.HalfNS
		l.Pace.EarlyNS += behind / 8
		l.Pace.LateNS += 3 * behind / 8
	})},
	{"V11", Warn, openLoops(func(l *record.Load) { l.StarvedNS = l.WindowNS / 200 })},
	{"V11", Fail, openLoops(func(l *record.Load) { l.StarvedNS = l.WindowNS / 50 })},
	{"V12", Fail, trials(func(t *record.Trial) { t.Load.Failed = 1 })},
	{"V13", Fail, trials(func(t *record.Trial) { t.Load.Errors = map[string]int64{"reset": 1} })},
	{"V13", Fail, trials(func(t *record.Trial) { t.Load.Established = 4 })},
	{"V13", Warn, openLoops(func(l *record.Load) { l.Errors = map[string]int64{"closed": l.Started / 2000} })},
	{"V13", Fail, openLoops(func(l *record.Load) { l.Errors = map[string]int64{"closed": l.Started / 500} })},
	{"V14", Warn, trials(func(t *record.Trial) { t.Server.CPUNS = ns(36e7) })},
	{"V14", Fail, trials(func(t *record.Trial) { t.Server.CPUNS = ns(20e7) })},
	{"V14", CannotTell, trials(func(t *record.Trial) { // perhaps of one thread
		t.Causes.ServerCPUs, t.Server.CPUNS = 2, ns(t.ClocksNS*97/100)
	})},
	{"V14", Fail, trials(func(t *record.Trial) { t.Causes.ServerCPUs, t.Server.CPUNS = 2, ns(t.ClocksNS*13/10) })},
	{"V14", Pass, trials(func(t *record.Trial) { t.Server.CPUNS, t.Causes.SharedCPUs = ns(20e7), 1 })},
	{"V15", Pass, warmups(record.Slowdown, record.Warmed, record.NotSteady, record.Flat)},
	{"V15", Warn, warmups(record.Slowdown, record.Slowdown, record.Flat)},
	{"V15", Warn, warmups(record.NotSteady, record.Flat, record.Flat)},
	{"V15", Warn, warmups(record.Slowdown, record.NotSteady, record.Warmed)},
	{"V15", Fail, warmups(record.NotSteady, record.NotSteady, record.Flat)},
	{"V17", Warn, func(e *Evidence) { e.Analysis.AACheck.Verdict = Negligible }},
	{"V17", CannotTell, func(e *Evidence) { e.Analysis.AACheck = nil }},
	{"V17", Fail, func(e *Evidence) {
		e.Analysis.AACheck.Verdict, e.Analysis.AACheck.Ratio.Value = Different, 1.1
	}},
	{"V16", Warn, lateEpoch(-.05)},
	{"V16", Fail, lateEpoch(.15)},
	{"V16", Warn, slowRounds(-.05)},
	{"V16", Fail, slowRounds(-.15)},
	{"V16", CannotTell, onlyEpochs(1)},
	{"V16", CannotTell, early(.2, 3, .02)},
	{"V16", Pass, early(.8, 3, .02)},
	{"V16", CannotTell, onlyRounds(3)},
	{"V16", Pass, lateEpoch(.0001)},
	{"V16", CannotTell, func(e *Evidence) { // drifts on its own, differently in each epoch
		faster(func(t, _ *record.Trial) float64 {
			return when(isA(t) && t.Round >= 6, .3*float64(t.Epoch%2*2-1))
		})(e)
		e.Analysis.Trends = trendsOf(e)
	}},
	{"V17", CannotTell, func(e *Evidence) { e.Analysis.AACheck.Verdict = Inconclusive }},
	{"V17", Pass, func(e *Evidence) {
		early(.8, 3, .02)(e)
		e.Analysis.AACheck.Verdict, e.Analysis.AACheck.Ratio = Inconclusive, Estimate{Value: 1, Lo: .9, Hi: 1.1}
	}},
	{"V19", Warn, faster(func(t, _ *record.Trial) float64 { return .0025 * float64(t.Position) })},
	{"V19", Fail, faster(func(t, _ *record.Trial) float64 { return -.015 * float64(t.Position) })},
	{"V19", CannotTell, onlyEpochs(1)},
	{"V19", CannotTell, early(.05, 3, .02)},
	{"V19", Pass, early(.8, 3, .02)},
	{"V19", CannotTell, faster(func(t,
		_ *record.Trial) float64 {
		return .02 * float64(t.Position) * float64(t.Epoch%2*2-1)
	})},
	{"V20", Warn, faster(after("a", .01))},
	{"V20", Fail, faster(after("ref", -.05))},
	{"V20", CannotTell, onlyEpochs(1)},
	{"V20", CannotTell, early(.05, 3, .02)},
	{"V20", Pass, early(.8, 3, .02)},
	{"V20", Fail, func(e *Evidence) { // follows a contestant at another level
		interleave(e)
		faster(func(t, before *record.Trial) float64 {
			return when(t.Position%2 == 1 && before.Contestant == "ref", -.1)
		})(e)
		e.Levels = [][]*record.Trial{{}, {}}
		for _, t := range e.Valid {
			e.Levels[t.Position%2] = append(e.Levels[t.Position%2], t)
		}
	}},
	{"V20", CannotTell, faster(func(t,
		_ *record.Trial) float64 {
		return .3 * math.Sin(float64(t.StartedUnixNS))
	})},
	{"V21", Warn, faster(func(t, _ *record.Trial) float64 { return when(isA(t), .04*float64(t.Epoch%3)) })},
	{"V21", CannotTell, faster(func(t,
		_ *record.Trial) float64 {
		return .3 * math.Sin(float64(t.StartedUnixNS))
	})},
	{"V22", Warn, openLoops(func(l *record.Load) { l.Succeeded = 20 })},
	{"V22", Fail, openLoops(func(l *record.Load) { l.Succeeded = 5 })},
	{"V25", Warn, calibrated(-300e3)},
	{"V25", Warn, calibrated(600e3)}, // throughput decides
	{"V25", Warn, func(e *Evidence) { e.Run.Calibration = nil }},
	{"V25", Warn, func(e *Evidence) { e.Run.Calibration.Delays = nil }},
	{"V25", Warn, func(e *Evidence) { e.Run.Calibration.BootID = "another" }},
	{"V25", Warn, func(e *Evidence) { e.Run.Host.BootID, e.Run.Calibration.BootID = "", "" }},
	{"V25", Warn, func(e *Evidence) { e.Run.Calibration.EndedUnixNS = 39 * 60e9 }},
	{"V25", Warn, func(e *Evidence) { e.Run.Calibration.EndedUnixNS = 101 * 60e9 }},
	{"V25", Warn, latencyDecides(calibrated(300e3))},
	{"V25", Fail, latencyDecides(calibrated(600e3))},
	{"V25", Fail, latencyDecides(func(e *Evidence) { e.Run.Calibration = nil })},
	{"V26", Warn, trials(func(t *record.Trial) { t.Server.Processes = 0 })},
	{"V26", Fail, trials(func(t *record.Trial) { t.Server.Processes = 1 + t.Round/6 })},
	{"V26", Warn, trials(func(t *record.Trial) { // a child for a connection still ran
		if t.Server.Processes = 2; t.Epoch == 1 && t.Round == 3 {
			t.Server.Processes = 3
		}
	})},
	{"V26", Fail, func(e *Evidence) {
		e.Run.Contestants = append(e.Run.Contestants, record.Contestant{Name: "a", Version: "v1", BinaryHash: "01"})
	}},
	{"V28", CannotTell, func(e *Evidence) { e.Run.Plan.Epochs, e.Analysis.Interim = []int{16}, 0 }},
	{"V28", Fail, func(e *Evidence) { e.Run.Damage = &record.Damaged{Err: io.ErrUnexpectedEOF} }},
	{"V29", Warn, trials(func(t *record.Trial) { t.Load.RateFromNS = 0 })},
	{"V29", Warn, trials(func(t *record.Trial) { t.Load.ServiceP50NS = 1e8 })},
	{"V30", Fail, trials(func(t *record.Trial) { t.Load.GapNS = 50e6 })}, // an eighth
	{"V30", Fail, func(e *Evidence) { e.Valid[7].Causes.SuspendedNS = 2e6 }},
	{"V30", Fail, openLoops(func(l *record.Load) { l.GapNS = 12e6 })},
	{"V39", Warn, trials(func(t *record.Trial) { t.Load.SilentNS, t.Load.Connections = 120e6, 8 })},
	{"V48", Warn, served(0, 5e7, 3e8)}, {"V48", Fail, served(0, 3e7, 3.7e8)}, {"V48", Pass, served(0, 3.7e8, 3e7)},
	{"V48", Fail, served(1, 3.7e8, 3.9e8)}, {"V48", Pass, served(1, 3.7e8, 1e8)},
	{"V49", Pass, warmed(after("a", 0))}, {"V49", Warn, warmed(after("a", -.06))}, {"V49", Fail, warmed(after("a", -.2))},
	{"V49", CannotTell, func(e *Evidence) { e.Run.Plan.Services = []record.Service{{Name: "db"}} }},
	{"V48", CannotTell, func(e *Evidence) { e.Run.Plan.Services = []record.Service{{Name: "db"}} }},
	{"V31", Warn, func(e *Evidence) {
		atURL(e)
		e.Run.Host.Pinned, e.Run.Host.GeneratorCPUs = false, []int{0}
	}},
	{"V03", CannotTell, trials(func(t *record.Trial) { t.Causes.BackgroundUnknown = t.Contestant == "a" })},
	{"V04", CannotTell, trials(func(t *record.Trial) { t.Causes.BackgroundUnknown = t.Contestant == "a" })},
	{"V14", CannotTell, func(e *Evidence) {
		atURL(e)
		trials(func(t *record.Trial) { t.Server.CPUNS = nil })(e)
	}},
	{"V26", Pass, func(e *Evidence) {
		atURL(e)
		trials(func(t *record.Trial) { t.Server.Processes = 0 })(e)
	}},
	{"V32", Pass, atURL},
	{"V32", Pass, func(e *Evidence) {
		atURL(e)
		trials(func(t *record.Trial) { t.Causes.OtherSidesNS = 3e7 })(e)
	}},
	{"V32", Warn, func(e *Evidence) {
		atURL(e)
		trials(func(t *record.Trial) { t.Causes.OtherSidesNS = 5e7 })(e)
	}},
	{"V33", Warn, func(e *Evidence) {
		faster(func(t, _ *record.Trial) float64 { return when(t.Contestant == "ref'", .02*float64(t.Epoch/5%2)) })(e)
		e.Analysis.Serial = analysed(e).Serial
	}},
	{"V33", CannotTell, func(e *Evidence) { e.Analysis.Serial = nil }},
	{"V33", CannotTell, onlyEpochs(7)},
	{"V33", CannotTell, early(.2, 3, .02)}, // its interval, √3 × as wide, holds 1
	{"V33", Pass, early(.8, 3, .02)},
	{"V34", Warn, func(e *Evidence) {
		e.Run.Plan.Levels[0].Connections = 125
		trials(func(t *record.Trial) { t.Load.ServiceP50NS /= 12 })(e)
	}},
	{"V35", Pass, segments(wire.Segments{Connections: 1, Sent: 30_000, Received: 20_000})},
	{"V35", Warn, segments(wire.Segments{Connections: 1, Sent: 30_000, Retransmitted: 6, Received: 20_000})},
	{"V35", Fail, segments(wire.Segments{Connections: 1, Sent: 30_000, Retransmitted: 60, Received: 20_000})},
	{"V35", Pass, segments(wire.Segments{Connections: 1, Sent: 30_000, Retransmitted: 132, Duplicates: 132,
		Received: 20_000})}, // needless tail-loss probes
	{"V35", Warn, segments(wire.Segments{Connections: 1, Sent: 30_000, Retransmitted: 138, Duplicates: 132,
		Received: 20_000})},
	{"V35", CannotTell, segments(wire.Segments{Connections: 1, Sent: 30_000, Retransmitted: 60, NoDuplicates: true,
		Received: 20_000})},
	{"V35", CannotTell, segments(wire.Segments{Connections: 1, Sent: 30_000, Received: 20_000, NoOrder: true})},
	{"V35", Warn, segments(wire.Segments{Connections: 1, Sent: 30_000, Received: 20_000, OutOfOrder: 100})},
	{"V35", Pass, func(e *Evidence) { // a backlog that was full once
		segments(wire.Segments{Connections: 1, Sent: 10, Received: 10})(e)
		e.Valid[3].Load.Network.Retransmitted = 4
	}},
	// counted over the whole machine
	{"V35", Pass, segments(wire.Segments{Sent: 30_000, Received: 20_000})},
	{"V35", CannotTell, segments(wire.Segments{Sent: 30_000, Retransmitted: 60, Received: 20_000})},
	{"V35", CannotTell, segments(wire.Segments{Sent: 30_000, Received: 20_000, OutOfOrder: 100})},
	{"V36", Pass, overLink(0.3)}, {"V36", Warn, overLink(0.7)}, {"V36", Fail, overLink(0.9)},
	{"V36", CannotTell, func(e *Evidence) {
		overLink(0.9)(e)
		trials(func(t *record.Trial) { t.Load.Network.LinkBitsPerSec = 0 })(e)
	}},
	{"V39", Warn, trials(func(t *record.Trial) { t.Load.SilentNS, t.Load.Connections = 120e6, 8 })},
	{"V40", Pass, withoutLoad(2e6, 12e7)}, {"V40", Warn, withoutLoad(2e7, 12e7)}, {"V40", Fail, withoutLoad(45e6, 12e7)},
	{"V40", Warn, withoutLoad(2e6, 35e7)}, {"V40", Fail, withoutLoad(2e6, 55e7)},
	{"V40", Pass, func(e *Evidence) { // like Node.js: the cost of closing 125 connections
		withoutLoad(14e6, 12e7)(e)
		trials(func(t *record.Trial) { t.Load.Connections = 125 })(e)
	}},
	{"V40", Fail, func(e *Evidence) { // work put off until 8 ms after the last request, on a slow machine
		withoutLoad(34e6, 12e7)(e)
		trials(func(t *record.Trial) { t.Load.Connections = 125 })(e)
	}},
	{"V31", Warn, func(e *Evidence) { e.Run.Host.Pinned = false }},
	{"V39", Warn, trials(func(t *record.Trial) { t.Load.SilentNS, t.Load.Connections = 120e6, 8 })},
	{"V31", Warn, func(e *Evidence) { e.Run.Host.SharedCore = true }},
	{"V31", Warn, func(e *Evidence) { e.Run.Plan.Levels[0].AsPublished = true }},
	{"V01", Pass, func(e *Evidence) {
		trials(func(t *record.Trial) { t.Generator.CPUNS = ns(39e7) })(e)
		e.Run.Plan.Levels[0].AsPublished = true
	}},
	{"V31", Fail, func(e *Evidence) { e.Run.Host.Pinned, e.Run.Host.GeneratorCPUs = false, []int{0} }},
}

func ns(v int64) *int64 { return &v }

// unloaded gives a contestant's trials this CPU time, in ns, in 50 ms without load, and from thaw
// to freeze outside a window that took 390 ms.
func withoutLoad(idle, outside int64) func(*Evidence) {
	return trials(func(t *record.Trial) {
		if t.OutsideCPUNS, t.RewarmRequests = ns(outside), t.Load.Succeeded/4; t.Round == 11 && isA(t) {
			t.UnloadedNS, t.UnloadedCPUNS = 5e7, ns(idle)
		}
	})
}

// segments counts the same in every trial.
func segments(s wire.Segments) func(*Evidence) {
	return trials(func(t *record.Trial) { t.Load.Network = &record.Network{Segments: s} })
}

// overLink gives one trial a share of a link, and the others half of it.
func overLink(share float64) func(*Evidence) {
	return func(e *Evidence) {
		trials(func(t *record.Trial) {
			t.Load.Network = &record.Network{Segments: wire.Segments{Sent: 1000, Received: 1000}, Link: "eth0",
				LinkBitsPerSec: 1e9,
				LinkShare:      share / 2}
		})(e)
		e.Valid[slices.IndexFunc(e.Valid, isA)].Load.Network.LinkShare = share
	}
}

// The text about segments sent again says only what the counts show.
func TestResentSays(t *testing.T) {
	for want, s := range map[string]wire.Segments{
		"10,147 of 230,000 segments to the servers were sent again, of which the servers reported 10,147 as duplicates; " +
			"0 of 200 from the servers came out of order; what the servers sent again is not checked": {Connections: 1,
			Sent: 230_000, Retransmitted: 10_147, Duplicates: 10_147, Received: 200},
		"60 of 30,000 segments to the servers were sent again, of which the servers reported 0 as duplicates; 0 of 200 " +
			"from " +
			"the servers came out of order; what the servers sent again is not checked; slowest right answer of trials with " +
			"more segments sent again than reported as duplicates, or any out of order: 203 ms; of the others: none was right": {
			Connections: 1, Sent: 30_000, Retransmitted: 60, Received: 200},
		"60 of 30,000 segments to the servers were sent again; whether the servers already had these is not known; whether " +
			"segments came out of order is not known; what the servers sent again is not checked": {Connections: 1,
			Sent: 30_000, Retransmitted: 60, Received: 200, NoDuplicates: true, NoOrder: true},
		"60 of 30,000 segments of all programs on the generator's machine were sent again, and 0 of 200 came out of order; " +
			"the record does not say which of these belonged to the load, or whether any was " +
			"lost": {Sent: 30_000, Retransmitted: 60,
			Received: 200},
	} {
		e := sound()
		n := &record.Network{Segments: s}
		e.Valid[2].Load.Network, e.Valid[2].Load.ServiceMaxNS = n, 203e6
		for i := range e.Run.Trials {
			if e.Run.Trials[i].Key == e.Valid[2].Key {
				e.Run.Trials[i].Load.Network, e.Run.Trials[i].Load.ServiceMaxNS = n, 203e6
			}
		}
		other := *e.Run.Trials[2].Load.Network // from a trial that lost none
		other.Segments = wire.Segments{Connections: s.Connections}
		e.Valid[3].Load.Network, e.Valid[3].Load.ServiceMaxNS = &other, 0
		said := ""
		for _, f := range Make(e) {
			if f.ID == Resent {
				said += f.Text
			}
		}
		if said != want {
			t.Errorf("%s\nwant %s", said, want)
		}
	}
}

// TestStandstills: only closed loops are said to hide a stop; few connections give only a figure;
// and loads too short to show a stop do not show that there was none.
func TestStandstills(t *testing.T) {
	short := "432 of 432 loads, up to 110 ms long, were too short to show a server that stood still for 100 ms"
	for want, change := range map[string]func(*record.Trial){
		"": func(*record.Trial) {},
		"a warn in 144 trials no answer came for up to 140 ms although requests waited; a closed loop's percentiles hide " +
			"this": func(t *record.Trial) { t.Load.SilentNS, t.Load.Connections = 140e6, 8 },
		"a warn in 144 trials no answer came for up to 140 ms although requests waited": func(t *record.Trial) {
			t.Load.SilentNS, t.Load.Connections, t.Load.Pace = 140e6, 8, &record.Pace{}
		},
		"a pass in 144 trials no answer came for up to 140 ms on fewer than 8 connections, too few to call it a stop; " +
			"their slowest right answer: 170 ms": func(t *record.Trial) {
			t.Load.SilentNS, t.Load.Connections, t.Load.ServiceMaxNS = 140e6, 7, 170e6
		},
		"a pass in 144 trials no answer came for up to 140 ms on fewer than 8 connections, too few to call it a stop; " +
			"their slowest right answer: none was right": func(t *record.Trial) {
			t.Load.SilentNS, t.Load.Connections, t.Load.ServiceMaxNS = 140e6, 7, 0
		},
		" pass " + short: func(t *record.Trial) { t.Load.WindowNS, t.Load.RateNS = 110e6, 110e6-1 },
		" pass " + strings.Replace(short, "for 100 ms", "for 120 ms", 1): func(t *record.Trial) {
			t.Load.WindowNS, t.Load.RateNS, t.Load.ServiceP50NS = 110e6, 110e6-1, 6e6
		},
	} {
		e := sound()
		for i := range e.Valid {
			if l := e.Valid[i]; isA(l) || strings.HasPrefix(want, " ") {
				change(l)
			}
		}
		said := ""
		for _, f := range Make(e) {
			if f.ID == Standstill {
				said += f.Contestant + " " + f.State.String() + " " + f.Text
			}
		}
		if said != want {
			t.Errorf("%s\nwant %s", said, want)
		}
	}
	if means := ByID(Standstill).Means; strings.Contains(means, "closed loop") {
		t.Error(means)
	}
}

// Uncounted segments, or a single machine, give no finding.
func TestNoNetworkNoFinding(t *testing.T) {
	e := sound()
	for _, f := range Make(e) {
		if slices.Contains([]string{Resent, Bandwidth, Deferred}, f.ID) {
			t.Errorf("%+v", f)
		}
	}
	segments(wire.Segments{Sent: 1000, Received: 1000})(e)
	for _, f := range Make(e) {
		if f.ID == Bandwidth {
			t.Errorf("over loopback: %+v", f)
		}
	}
}

// Each check is provoked to its warnings and failures.
func TestChecksAreProvoked(t *testing.T) {
	provoked := map[string]bool{}
	for _, c := range slices.Concat(provocations, ofSeveral) {
		e := sound()
		c.spoil(e)
		if got := stateOf(t, e, c.id); got != c.want {
			t.Errorf("%s: %v; want %v", c.id, got, c.want)
		}
		provoked[c.id] = provoked[c.id] || c.want >= Warn
	}
	for _, c := range table {
		if !provoked[c.ID] && c.find != nil {
			t.Errorf("%s: no case provokes it to a warning or a failure", c.ID)
		}
	}
}

// atURL turns a into a server that ran before the run.
func atURL(e *Evidence) {
	e.Run.Contestants[0].URL = "http://127.0.0.1:1/"
}

// starts are a's, with the given classes; the pilot's does not count.
func starts(classes ...string) []record.Launch {
	list := []record.Launch{{Contestant: "a", Warmup: record.NotSteady}}
	for i, class := range classes {
		list = append(list, record.Launch{Contestant: "a", Epoch: 1 + i, Warmup: class})
	}
	return list
}

func warmups(classes ...string) func(*Evidence) {
	return func(e *Evidence) { e.Run.Launches = starts(classes...) }
}

func calibrated(errorP99 int64) func(*Evidence) {
	return func(e *Evidence) { e.Run.Calibration.Delays[1].ErrorP99NS = errorP99 }
}

func latencyDecides(spoil func(*Evidence)) func(*Evidence) {
	return func(e *Evidence) {
		e.Run.Plan.Primary = "p50"
		spoil(e)
	}
}

func when(condition bool, share float64) float64 {
	if condition {
		return share
	}
	return 0
}

func isA(t *record.Trial) bool { return t.Contestant == "a" }

// lateEpoch makes a faster by share in the second half of each epoch.
func lateEpoch(share float64) func(*Evidence) {
	return func(e *Evidence) {
		faster(func(t, _ *record.Trial) float64 { return when(isA(t) && t.Round >= 6, share) })(e)
		e.Analysis.Trends = trendsOf(e)
	}
}

func trendsOf(e *Evidence) []Trend { return analysed(e).Trends }

func analysed(e *Evidence) *Analysis {
	p := &e.Run.Plan
	return Analyse(Input{Trials: e.Valid, Contestants: p.Contestants, Controls: p.Controls,
		Primary: p.Primary, Alpha: .05, Margin: e.Analysis.Margin})
}

// slowRounds makes every second round a fifth slower, and a slower by a further share.
func slowRounds(share float64) func(*Evidence) {
	return faster(func(t, _ *record.Trial) float64 { return when(t.Round%2 == 1, -.2+.8*when(isA(t), share)) })
}

// after makes trials that follow the named one faster by share.
func after(name string, share float64) func(t, before *record.Trial) float64 {
	return func(t, before *record.Trial) float64 {
		return when(before != t && before.Epoch == t.Epoch && before.Contestant == name, share)
	}
}

// interleave makes one round from two: each one's trials after the other's, alternately.
func interleave(e *Evidence) {
	for i := range e.Valid {
		k := &e.Valid[i].Key
		k.Position, k.Round = 2*k.Position+k.Round%2, k.Round/2
	}
	slices.SortFunc(e.Valid, func(a, b *record.Trial) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Position, b.Position))
	})
	e.Run.Plan.Rounds /= 2
}

// early leaves so many epochs, with noise in each trial, and a difference of this size, in logs, that
// an early analysis found.
func early(size float64, epochs int, noise float64) func(*Evidence) {
	return func(e *Evidence) {
		rng := rand.New(rand.NewPCG(3, 5))
		faster(func(_, _ *record.Trial) float64 { return noise * rng.NormFloat64() })(e)
		onlyEpochs(epochs)(e)
		e.Analysis.Trends, e.Analysis.Serial = trendsOf(e), nil
		e.Analysis.Pairs = []Pair{{Metric: "throughput", Verdict: Different, Ratio: Estimate{Value: math.Exp(size),
			Lo: math.Exp(size - .17), Hi: math.Exp(size + .17), N: epochs}}}
	}
}

func onlyRounds(n int) func(*Evidence) {
	return func(e *Evidence) {
		e.Valid = slices.DeleteFunc(e.Valid, func(t *record.Trial) bool { return t.Round >= n })
		e.Run.Plan.Rounds, e.Run.Trials = n, e.Valid
		e.Analysis.Trends = trendsOf(e)
	}
}

func onlyEpochs(n int) func(*Evidence) {
	return func(e *Evidence) {
		e.Valid = slices.DeleteFunc(e.Valid, func(t *record.Trial) bool { return t.Epoch > n })
		e.Run.Trials, e.Analysis.Epochs = e.Valid, n
	}
}

func TestHandlerThatWaitsNeedNotBeBusy(t *testing.T) {
	e := sound()
	idle := int64(1e7)
	for i := range e.Valid {
		e.Valid[i].Server.CPUNS = &idle
	}
	e.Run.Plan.Levels[0].DelayNS = 3e7
	if got := stateOf(t, e, "V14"); got != Pass {
		t.Errorf("V14 %v with a delay", got)
	}
}

// A server could not use CPU time that other programs took.
func TestBusyServerBesideOthers(t *testing.T) {
	for background, want := range map[float64]State{0: Fail, 0.2: Pass} {
		e := sound()
		for i := range e.Valid {
			v := e.Valid[i]
			cpu := v.ClocksNS * int64(v.Causes.ServerCPUs) * 8 / 10
			v.Server.CPUNS = &cpu
			v.Causes.BackgroundServerNS = int64(background * float64(v.Causes.WallNS) * float64(v.Causes.ServerCPUs))
		}
		if got := stateOf(t, e, "V14"); got != want {
			t.Errorf("V14 %v of a server with 80 %% of its CPUs, %g of them taken by others; want %v", got, background, want)
		}
	}
}

func TestFailureBeforeAnyTrialIsAFinding(t *testing.T) {
	e := sound()
	e.Valid, e.Run.Trials = nil, nil
	e.Run.Failures = []record.Failure{{Contestant: "a", Stage: "verify", Reason: `body "x"; want "value"`}}
	for _, f := range Make(e) {
		if f.ID == "V12" && (f.State != Fail || !strings.Contains(f.Text, "body")) {
			t.Errorf("%+v", f)
		}
	}
}

// With two levels, one twice as fast as the other and always loaded first, the order effect is
// computed on the residuals within each.
func TestOrderIsAskedOfAllLevelsTogether(t *testing.T) {
	two := func(spoil func(*Evidence)) *Evidence {
		e := sound()
		first := slices.Clone(e.Valid)
		for i := range first {
			slower := *first[i]
			slower.Position += 3
			slower.Load.Succeeded, slower.Load.RateAnswers = slower.Load.Succeeded/2, slower.Load.RateAnswers/2
			e.Valid = append(e.Valid, &slower)
		}
		spoil(e)
		e.Levels = [][]*record.Trial{e.Valid[:len(first)], e.Valid[len(first):]}
		return e
	}
	e := two(func(*Evidence) {})
	if s := stateOf(t, e, "V19"); s != Pass {
		t.Errorf("two levels without an effect: %v", s)
	}
	e = two(func(*Evidence) {})
	e.Levels = nil
	if s := stateOf(t, e, "V19"); s != Fail {
		t.Errorf("the two taken for one level: %v; the test cannot fail", s)
	}
	e = two(faster(func(t, _ *record.Trial) float64 { return -.015 * float64(t.Position) }))
	if s := stateOf(t, e, "V19"); s != Fail {
		t.Errorf("two levels with an effect: %v", s)
	}
}

// TestEdgesSay: only rates without the wait for the last answers are said to be so.
func TestEdgesSay(t *testing.T) {
	sent := "are of the time in which requests were sent, without the wait for the last answers"
	for want, change := range map[string]func(l *record.Load){
		"the rates " + sent:                      func(*record.Load) {},
		"the rates of 431 of 432 trials " + sent: func(l *record.Load) { l.RateFromNS = 0 },
	} {
		e := sound()
		change(&e.Valid[7].Load)
		if _, text := edges(nil, e); text != want {
			t.Errorf("%s; want %s", text, want)
		}
	}
}

// An effect is judged by its size, by how large it may be, or beside the smallest difference found.
func TestUnknownEffects(t *testing.T) {
	e := &Evidence{Run: &record.Run{}, Analysis: &Analysis{Primary: "throughput", Epochs: 1}}
	check := func(all []Finding, want Finding) {
		t.Helper()
		if len(all) != 1 || all[0] != want {
			t.Errorf("%+v; want %+v", all, want)
		}
	}
	check(carryOver(&Check{Limits: []Limit{{}}}, e),
		Finding{State: CannotTell, Text: "too few epochs, 1 of the 2 needed", Longer: true})
	x := Effect{Judged: stats.Judged{Log: .01, SE: .01, Crit: 2, P: .4}, Epochs: 9}
	const text = "it may differ by up to 3.05 % (a to b: +1 %, p = 0.4: perhaps chance)"
	check((Limit{}).effect(e, x, "it may differ", "a to b"), Finding{State: CannotTell, Text: text, Longer: true})
	pair := func(v Verdict, lo, hi float64) Pair {
		return Pair{Metric: "throughput", Verdict: v, Ratio: Estimate{Value: math.Sqrt(lo * hi), Lo: lo, Hi: hi, N: 5}}
	}
	e.Analysis.Pairs = []Pair{pair(Different, .4, .9), pair(Different, 1.5, 1.6), pair(Inconclusive, .9, 1.1)}
	check((Limit{}).effect(e, x, "it may differ", "a to b"),
		Finding{Text: text + "; the smallest difference found is at least 1.11 ×", Relative: true})
	e.Analysis.Epochs = 9 // an early analysis was the last
	open := Finding{State: CannotTell, Text: "no pair was judged by 8 epochs or more", Longer: true}
	check(dependence(nil, e), open) // the first pair would not hold
	e.Analysis.Pairs = e.Analysis.Pairs[1:]
	check(dependence(nil, e), Finding{Text: "unknown after 5 epochs, but each difference found also holds with the " +
		"interval 2.2 × as wide, as if these were one epoch", Relative: true})
	e.Analysis.Pairs = append(e.Analysis.Pairs, pair(Equivalent, .99, 1.01)) // which a small effect may have made
	check((Limit{}).effect(e, x, "it may differ", "a to b"), Finding{State: CannotTell, Text: text, Longer: true})
	check(dependence(nil, e), open)
}

// A run goes on past an early analysis while a check lacks epochs.
func TestSettled(t *testing.T) {
	r := &Results{Run: &record.Run{Plan: record.Plan{Levels: []record.Level{{}}}}, Analysis: &Analysis{Epochs: 3},
		Findings: []Finding{{State: CannotTell}}}
	if !r.Settled() {
		t.Error("more epochs do not help, and are asked for")
	}
	r.Findings = append(r.Findings, Finding{State: CannotTell, Longer: true})
	if r.Settled() {
		t.Error("a check lacks epochs")
	}
	r.Findings = append(r.Findings, Finding{ID: ServerCPUs, State: Warn})
	if !r.Settled() {
		t.Error("the machine is busy")
	}
	r.Findings = r.Findings[:2]
	if r.Analysis.Epochs = leastEpochs; !r.Settled() {
		t.Error("no early analysis")
	}
}

// A warning about other programs names the one that used most CPU, by what was read after the pilots.
func TestTheProgramThatTookMostIsNamed(t *testing.T) {
	others := func(name string, ns int64) *record.Others {
		return &record.Others{WallNS: 1e9, CPUs: 2, Programs: []record.Program{{Name: name, CPUNS: ns}}}
	}
	run := &record.Run{Plan: record.Plan{Pilots: 1}}
	for epoch, o := range []*record.Others{others("make", 2e9), others("chromium", 6e8), nil, others("chromium", 4e8)} {
		run.Trials = append(run.Trials, &record.Trial{Key: record.Key{Epoch: epoch}, Causes: record.Causes{Others: o}})
	}
	if got := amongThem(run); got != "; chromium took 25 % of all CPUs" {
		t.Errorf("%q", got)
	}
	run.Trials = run.Trials[:1]
	if got := amongThem(run); got != "" {
		t.Errorf("%q of a pilot", got)
	}
}

// warmed changes the CPU time of a shared service by share.
func warmed(by func(t, before *record.Trial) float64) func(e *Evidence) {
	return func(e *Evidence) {
		served(1, 1e8, 2e8)(e)
		for i, t := range e.Valid {
			t.Services = []record.Usage{{CPUNS: ns(int64(2e8 * (1 + by(t, e.Valid[max(0, i-1)]))))}}
		}
	}
}

// served returns evidence of trials whose service has that number of CPUs of its own, 0 for the
// generator's, with the CPU time of generator and service in ns.
func served(cpus int, generator, service int64) func(e *Evidence) {
	return func(e *Evidence) {
		e.Run.Plan.Services = []record.Service{{Name: "db"}}
		trials(func(t *record.Trial) {
			t.Generator.CPUNS, t.Services = &generator, []record.Usage{{CPUNS: &service}}
			t.Causes.GeneratorCPUs, t.Causes.ServiceCPUs, t.ClocksNS = 1, cpus, 4e8
			t.Load.Workers, t.Load.SpunNS = 1, 0
		})(e)
	}
}
