package judge

import (
	"slices"
	"strings"
	"testing"

	"dyno/internal/record"
)

// What others take of a few trials disturbs a load that is compared with no other, and discards nothing.
func TestDisturbed(t *testing.T) {
	round := sound().Valid[:4]
	round[0].Causes.BackgroundServerNS = 10e7 // a quarter of its trial, 6 % of the round
	if Disturbed(round) {
		t.Error("one tick too many disturbed a round")
	}
	round[1].Causes.BackgroundServerNS = 10e7
	if !Disturbed(round) || slices.ContainsFunc(round, Discard) {
		t.Error("12 % background CPU over the round")
	}
	round = sound().Valid[:4]
	for i := range round {
		round[i].Causes.OtherSidesNS = round[i].Causes.WallNS / 20
	}
	if Disturbed(round) {
		t.Error("5 % of other sides disturbed a round")
	}
	round[0].Causes.OtherSidesNS = round[0].Causes.WallNS / 3
	if !Disturbed(round) {
		t.Error("a third of one trial, 12 % of the round, did not disturb it")
	}
	round = sound().Valid[:4]
	if round[2].Causes.StealNS = round[2].Causes.WallNS / 2; !Discard(round[2]) {
		t.Error("a quarter withheld of one trial does not discard it")
	}
}

// TestServicesMachine: background CPU on a machine that only the service has discards a round, steal there counts
// as a share of all CPUs, and what the service uses is a share of its own CPUs.
func TestServicesMachine(t *testing.T) {
	round := sound().Valid[:4]
	used := int64(0)
	for i := range round {
		c := &round[i].Causes
		c.ServiceCPUs, c.BackgroundServiceNS = 2, c.WallNS/20
		used = round[i].ClocksNS * 2 / 10 * 9
		round[i].Services = []record.Usage{{CPUNS: &used}}
	}
	if slices.ContainsFunc(round, Discard) {
		t.Error("2.5 % of the service's CPUs discarded a trial")
	}
	e := sound()
	e.Run.Plan.Services = []record.Service{{Name: "db"}}
	state, text := shareOfServices(ByID(ServiceRoom), e, "a", round)
	if state != Warn || text != "db used 90 % of the CPUs for services" {
		t.Errorf("a service that uses 90 %% of its CPUs: %v, %s", state, text)
	}
	round[0].Causes.BackgroundServiceNS = round[0].Causes.WallNS
	if !Discard(round[0]) {
		t.Error("other programs used half of the service's CPUs, and the trial counts")
	}
}

// A generator that stood still spoils its trial, unless it only waited for a CPU;
// how long that is depends on window and loop.
func TestDiscardedForPauses(t *testing.T) {
	const window = 4e8
	for name, c := range map[string]struct {
		spoil func(*record.Trial)
		want  bool
	}{
		"stopped for 0.35 s":    {func(t *record.Trial) { t.Load.GapNS, t.Load.WindowNS = 350e6, 450e6 }, true},
		"less than a tenth":     {func(t *record.Trial) { t.Load.GapNS = .09 * window }, false},
		"more than a tenth":     {func(t *record.Trial) { t.Load.GapNS = .11 * window }, true},
		"a short window, 9 ms":  {func(t *record.Trial) { t.Load.GapNS, t.Load.WindowNS = 9e6, 50e6 }, false},
		"a short window, 11 ms": {func(t *record.Trial) { t.Load.GapNS, t.Load.WindowNS = 11e6, 50e6 }, true},
		"open loop, a fortieth": {func(t *record.Trial) {
			t.Load.GapNS, t.Load.Pace = window/40+1,
				&record.Pace{}
		}, true},
		"open loop, 10 s, 0.05 s": {func(t *record.Trial) {
			t.Load.GapNS, t.Load.WindowNS,
				t.Load.Pace = 50e6, 10e9, &record.Pace{}
		}, false},
		"open loop, 10 s, 0.15 s": {func(t *record.Trial) {
			t.Load.GapNS, t.Load.WindowNS,
				t.Load.Pace = 150e6, 10e9, &record.Pace{}
		}, true},
		"suspended": {func(t *record.Trial) { t.Causes.SuspendedNS = 1e6 }, true},
		"waited for a CPU of its own": {func(t *record.Trial) {
			t.Load.GapNS, t.Load.RunQueueNS = 100e6,
				150e6
		}, false},
		"waited for a shared CPU": {func(t *record.Trial) {
			t.Load.GapNS, t.Load.RunQueueNS,
				t.Causes.GeneratorShared = 100e6, 150e6, true
		}, false},
		"stopped, on a shared CPU": {func(t *record.Trial) {
			t.Load.GapNS, t.Load.RunQueueNS,
				t.Causes.GeneratorShared = 350e6, 50e6, true
		}, true},
		"recorded before gaps were so": {func(t *record.Trial) { t.Load.GapNS = 0 }, false},
	} {
		round := sound().Valid[:4]
		c.spoil(round[2])
		if got := Discard(round[2]); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	e := sound()
	trials(func(t *record.Trial) { t.Load.GapNS = 0 })(e)
	for _, f := range Make(e) {
		if f.ID == "V30" {
			t.Errorf("of what was not recorded: %+v", f)
		}
	}
}

// TestPausesOfADiscardedRun: where no trial is valid, those after the pilots are judged, as they are
// counted elsewhere; in a run that ended in its pilots, those.
func TestPausesOfADiscardedRun(t *testing.T) {
	e := sound()
	for i := range e.Run.Trials {
		e.Run.Trials[i].Load.GapNS = 1_549e6
	}
	e.Run.Plan.Pilots, e.Valid = 3, nil // of epochs 1 to 12, each of 36 trials
	for want, trials := range map[string][]*record.Trial{
		"in 360 trials the generator or the machine stood still for up to 1.55 s": e.Run.Trials,
		"in 36 trials ": e.Run.Trials[:36],
	} {
		e.Run.Trials = trials
		if got := pauses(nil, e); len(got) != 1 || !strings.HasPrefix(got[0].Text, want) ||
			strings.Contains(got[0].Text, "figures") {
			t.Errorf("%+v; want %s", got, want)
		}
	}
	for ns, want := range map[int64]string{12.34e6: "12.3 ms", 999.6e6: "1 s", 1549e6: "1.55 s", 1500e9: "1,500 s"} {
		if got := lasting(ns); got != want {
			t.Errorf("%d ns: %s; want %s", ns, got, want)
		}
	}
}
