package plan

import (
	"testing"

	"dyno/internal/record"
)

func TestResumedRunGoesOnInANewEpoch(t *testing.T) {
	whole := player{run: record.Run{Plan: standardPlan("a", "b")}}
	want := whole.play(t, never)

	p := player{run: record.Run{Plan: standardPlan("a", "b")}}
	p.run = whole.run
	p.run.Trials = whole.run.Trials[:len(whole.run.Trials)/2+1] // in the midst of an epoch
	p.clock = p.run.Trials[len(p.run.Trials)-1].EndedUnixNS
	cut, valid := lastEpoch(&p.run), len(Epochs(&p.run))
	epoch, err := Resumable(&p.run)
	if err != nil || epoch != cut+1 {
		t.Fatalf("epoch %d, %v; want %d", epoch, err, cut+1)
	}
	const pause = 3600e9
	p.run.Resumes = []record.Resume{{Epoch: epoch, PausedNS: pause}}
	p.clock += pause
	n := len(p.run.Trials)
	if got := p.play(t, never); got != want {
		t.Errorf("it ended by %q; uninterrupted by %q", got, want)
	}
	for _, tr := range p.run.Trials[n:] {
		if tr.Epoch <= cut {
			t.Fatalf("a trial in epoch %d, which was cut off in %d", tr.Epoch, cut)
		}
	}
	if got := len(Epochs(&p.run)); got < valid+2 {
		t.Errorf("%d valid epochs, %d before the pause", got, valid)
	}
}

// A run that is killed when its last trial is recorded, but not yet how it ended, makes its interim analysis
// when it is resumed, and no other epoch.
func TestResumedRunMakesTheAnalysisThatItMissed(t *testing.T) {
	for _, plan := range []record.Plan{standardPlan("a", "b")} {
		p := player{run: record.Run{Plan: plan}}
		want := p.play(t, never)
		epoch, err := Resumable(&p.run)
		if err != nil {
			t.Fatal(err)
		}
		p.run.Resumes = []record.Resume{{Epoch: epoch}}
		n := len(p.run.Trials)
		if got := p.play(t, never); got != want || len(p.run.Trials) != n {
			t.Errorf("%v: it ended by %q after %d more trials; at once by %q", plan.Epochs, got, len(p.run.Trials)-n,
				want)
		}
	}
}

func TestNotResumable(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b")}}
	if _, err := Resumable(&p.run); err == nil {
		t.Error("a run without a trial can be resumed")
	}
	p.play(t, never)
	if _, err := Resumable(&p.run); err != nil {
		t.Errorf("a run that was killed cannot be resumed: %v", err)
	}
	p.run.End = &record.End{Reason: Interrupted}
	if _, err := Resumable(&p.run); err != nil {
		t.Error(err)
	}
	p.run.End.Reason = string(LastAnalysis)
	if _, err := Resumable(&p.run); err == nil {
		t.Error("a run that is over can be resumed")
	}
}

func TestPilotsOver(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b")}}
	p.play(t, never)
	all, n := p.run.Trials, 0
	for n < len(all) && all[n].Epoch < p.run.Plan.Pilots {
		n++
	}
	for i := range n + 2 {
		p.run.Trials = all[:i]
		if got := pilotsOver(&p.run); got != (i >= n) {
			t.Errorf("after %d trials, %d of them pilots: %v", i, min(i, n), got)
		}
	}
}
