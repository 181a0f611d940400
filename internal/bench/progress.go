package bench

import (
	"dyno/internal/plan"
	"dyno/internal/record"
)

// progress reports the run's progress to the live view.
func (b *Bench) progress(stage, name string, epoch int, t *record.Trial) {
	if b.Event == nil {
		return
	}
	e := record.Event{Stage: stage, Contestant: name, Trial: t}
	if epoch < b.run.Plan.Pilots && (stage == "measure" || stage == "measured") {
		e.Stage = "pilot"
	}
	first := t != nil && t.Position == 0 && t.Epoch+t.Round > 0 // in a round, after whole rounds
	now := plan.ProgressOf(b.run, &b.cost)
	e.Done, e.Total, e.Left, e.Text = now.Done, now.Total, now.Left, now.Epoch
	if first && (t.Round == 0 || epoch <= b.run.Plan.Pilots) {
		e.Standing = b.Standing(b.run)
	}
	b.tell(e)
}
