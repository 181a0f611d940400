package plan

import (
	"fmt"
	"time"

	"dyno/internal/record"
)

// Progress describes how far a run has come, for live views.
type Progress struct {
	Done, Total int           // trials, and how many there will be at most if none has to be repeated
	Left        time.Duration // 0: not known
	Epoch       string        // "epoch 4 of about 12 at most"
}

// ProgressOf returns how far a run has come. c gives the planned number of epochs: of the first epoch, for
// then it is that which the run has time for at its pace.
func ProgressOf(run *record.Run, c *Cost) Progress {
	p, before := &run.Plan, *run
	if p.Load.Requests == 0 { // the present epoch may have just begun, with the starts
		before.Trials = run.Trials[:after(run, record.Key{Epoch: lastEpoch(run), Round: -1})]
	}
	slower, measured := pace(&before)
	left := Cost{Whole: longCost(run) + RatedCost(run), Epochs: c.Epochs}
	if n := len(c.Analyses); measured && n > 0 { // epochs that do not count are repeated
		lost := lastEpoch(&before) - p.Pilots + 1 - len(Epochs(&before))
		left.Epochs = reach(&before, epochsUntil(p, c.Analyses[n-1].N)+lost)
	}
	if len(run.Trials) == 0 {
		left.Whole += verifyEstimate(run)
	}
	left.add(&before, 0)
	out := Progress{Done: len(run.Trials), Total: max(len(run.Trials), len(before.Trials)+left.Trials)}
	if measured || p.Load.Requests == 0 {
		out.Left = time.Duration(slower*float64(left.Whole)) - time.Duration(elapsed(run)-elapsed(&before))
		out.Left = max(0, min(out.Left, Left(run)))
	}
	switch e := lastEpoch(run) - p.Pilots + 1; {
	case p.Pilots > 0 && !pilotsOver(run):
		out.Epoch = "which does not count"
	case e <= left.Epochs:
		out.Epoch = fmt.Sprintf("epoch %d of about %d at most", max(1, e), left.Epochs)
	default:
		out.Epoch = fmt.Sprintf("epoch %d", e)
	}
	return out
}

// Reached says how far a run came in which no trial counts.
func Reached(run *record.Run) string {
	switch {
	case len(run.Contestants) < len(participants(&run.Plan, true)):
		return "while the servers were being verified"
	case len(run.Trials) == 0:
		return "while the servers were being started and warmed up, before the first trial"
	case !pilotsOver(run):
		return "in the pilot epochs, which do not count"
	}
	return "in the first epoch that counts, which is incomplete"
}
