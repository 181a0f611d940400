package plan

import (
	"fmt"
	"time"

	"dyno/internal/result"
)

// Progress is how far a run has come, for live views.
type Progress struct {
	Done, Total int           // trials, and how many there will be at most if none has to be repeated
	Left        time.Duration // 0: not known
	Epoch       string        // "epoch 4 of 12"
}

// ProgressOf returns how far a run with the estimated cost c has come.
func ProgressOf(run *result.Run, c *Cost) Progress {
	p, names, gone := &run.Plan, participants(&run.Plan, false), 0
	for _, name := range names {
		if run.FailureOf(name) != nil {
			gone++
		}
	}
	share := 1 - float64(gone)/float64(len(names))
	out := Progress{Done: len(run.Trials)}
	out.Total = max(out.Done, int(float64(c.Trials)*share+0.5))
	before := *run // the present epoch, which may have just begun
	if p.Load.Requests == 0 {
		before.Trials = run.Trials[:after(run, result.Key{Epoch: lastEpoch(run), Round: -1})]
	}
	if n := len(before.Trials) - after(run, result.Key{Epoch: p.Pilots, Round: -1}); n > 0 { // as long as those that count
		each := float64(elapsed(&before)-pilotsEnd(run)) / float64(n)
		out.Left = time.Duration(each*float64(out.Total-len(before.Trials))) -
			time.Duration(elapsed(run)-elapsed(&before))
	} else if p.Load.Requests == 0 {
		out.Left = time.Duration(share*float64(c.Whole)) - time.Duration(elapsed(run))
	}
	out.Left = max(0, min(out.Left, Left(run)))
	switch e := lastEpoch(run) - p.Pilots + 1; {
	case p.Pilots > 0 && !pilotsOver(run):
		out.Epoch = "which does not count"
	case e <= c.Epochs:
		out.Epoch = fmt.Sprintf("epoch %d of %d", max(1, e), c.Epochs)
	default:
		out.Epoch = fmt.Sprintf("epoch %d", e)
	}
	return out
}

// Reached says during what a run ended of which no trial counts.
func Reached(run *result.Run) string {
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
