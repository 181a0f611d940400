package plan

import (
	"testing"

	"dyno/internal/result"
)

func TestResumedRunGoesOnInANewEpoch(t *testing.T) {
	whole := player{run: result.Run{Plan: quick("a", "b")}}
	want := whole.play(t, never)

	p := player{run: result.Run{Plan: quick("a", "b")}}
	p.run = whole.run
	p.run.Trials = whole.run.Trials[:len(whole.run.Trials)/2+1] // in the midst of an epoch
	p.clock = p.run.Trials[len(p.run.Trials)-1].EndedUnixNS
	cut, valid := lastEpoch(&p.run), len(Epochs(&p.run))
	epoch, err := Resumable(&p.run)
	if err != nil || epoch != cut+1 {
		t.Fatalf("epoch %d, %v; want %d", epoch, err, cut+1)
	}
	const pause = 3600e9
	p.run.Resumes = []result.Resume{{Epoch: epoch, PausedNS: pause}}
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

func TestNotResumable(t *testing.T) {
	p := player{run: result.Run{Plan: quick("a", "b")}}
	if _, err := Resumable(&p.run); err == nil {
		t.Error("a run without a trial can be resumed")
	}
	p.play(t, never)
	if _, err := Resumable(&p.run); err != nil {
		t.Errorf("a run that was killed cannot be resumed: %v", err)
	}
	p.run.End = &result.End{Reason: Interrupted}
	if _, err := Resumable(&p.run); err != nil {
		t.Error(err)
	}
	p.run.End.Reason = string(Looked)
	if _, err := Resumable(&p.run); err == nil {
		t.Error("a run that is over can be resumed")
	}
}
