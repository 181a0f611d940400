package bench

import (
	"time"

	"dyno/internal/plan"
	"dyno/internal/result"
)

// reckoned is the progress of a run at some moment.
type reckoned struct {
	plan.Progress
	epoch, trials int
	at            time.Time
}

// progressOf returns the progress of the run. It is computed anew at the first trial of a round,
// because that reads all trials: 8 ms where there are 1,200. In between it follows from the last.
func (b *Bench) progressOf(epoch int, anew bool) plan.Progress {
	last, n := &b.reckoned, len(b.run.Trials)
	if anew || last.at.IsZero() || last.epoch != epoch {
		*last = reckoned{plan.ProgressOf(b.run), epoch, n, time.Now()}
		return last.Progress
	}
	now := last.Progress
	now.Done = min(now.Done+n-last.trials, now.Total)
	if now.Left > 0 {
		now.Left = max(now.Left-time.Since(last.at), time.Second)
	}
	return now
}

// progress reports the progress of the run to the live view.
func (b *Bench) progress(stage, name string, epoch int, t *result.Trial) {
	if b.Event == nil {
		return
	}
	e := result.Event{Stage: stage, Contestant: name, Trial: t}
	if epoch < b.run.Plan.Pilots && (stage == "measure" || stage == "measured") {
		e.Stage = "pilot"
	}
	first := t != nil && t.Position == 0 // of a round, so that there are whole rounds before it
	now := b.progressOf(epoch, first)
	e.Done, e.Total, e.Left, e.Longer, e.Text = now.Done, now.Total, now.Left, now.Longer, now.Epoch
	if first && b.Standing != nil && (t.Round == 0 || epoch <= b.run.Plan.Pilots) {
		e.Standing = b.Standing(b.run)
	}
	b.tell(e)
}
