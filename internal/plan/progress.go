package plan

import (
	"fmt"
	"slices"
	"time"

	"dyno/internal/result"
)

// Progress is how far a run has come, for live views.
type Progress struct {
	Done, Total int           // trials that count, and how many there will be at most
	Left        time.Duration // 0: not known
	Epoch       string        // "epoch 4 of 12"
	Longer      string        // why the time left can be more than was said before
}

// ProgressOf returns how far a run has come.
func ProgressOf(run *result.Run) Progress {
	p := &run.Plan
	epochs := epochsUntil(p, p.Epochs)
	if decides(p) {
		planned := Analyses(run)
		if len(planned) == 0 {
			return Progress{Done: len(run.Trials), Total: len(run.Trials)}
		}
		epochs = epochsUntil(p, planned[len(planned)-1].N)
	}
	gone := 0 // contestants that failed
	for _, name := range participants(p, false) {
		if run.FailureOf(name) != nil {
			gone++
		}
	}
	share := 1 - float64(gone)/float64(len(participants(p, false)))
	c := Cost{Epochs: epochs}
	c.add(p, 0)
	out := Progress{Total: int(float64(c.Trials)*share + 0.5), Done: len(run.Trials)}
	var discarded int
	if !alone(p) { // which repeats nothing
		discarded, _ = Discarded(run)
	}
	out.Done = min(out.Done-discarded, out.Total)
	out.Left = time.Duration(pace(run) * share * float64(c.Whole) * float64(out.Total-out.Done) /
		float64(max(out.Total, 1)))
	if p.Requests > 0 { // how long that takes only the loads so far can tell
		out.Left = time.Duration(float64(elapsed(run)) * float64(out.Total-out.Done) / float64(max(out.Done, 1)))
	} else if measured, ok := leftByEpochs(run, epochs); ok {
		out.Left = measured
	} else if p.Pilots > 0 && !pilotsOver(run) {
		out.Left = time.Duration(share * float64(leftInPilots(run, &c)))
	}
	out.Left = min(out.Left, max(0, Left(run)))
	switch valid := len(Epochs(run)); {
	case !pilotsOver(run) && p.Pilots > 0:
		out.Epoch = "which does not count"
	case epochs > 0:
		out.Epoch = fmt.Sprintf("epoch %d of %d", min(valid+1, epochs), epochs)
		if again := lastEpoch(run) - p.Pilots - valid; again > 0 {
			out.Epoch += fmt.Sprintf(", %d discarded", again)
		}
	}
	switch {
	case discarded > 0:
		out.Longer = "repeating discarded trials"
	case lastEpoch(run) <= p.Pilots:
		out.Longer = "the first loads took longer than planned"
	default:
		out.Longer = "loads take longer than the first ones"
	}
	return out
}

// leftInPilots returns the estimated time of a run of cost c minus the time that has passed, but at
// least the time for the missing loads of the present epoch and for the epochs after it.
func leftInPilots(run *result.Run, c *Cost) time.Duration {
	p, of := &run.Plan, estimates(&run.Plan)
	now, done := max(0, lastEpoch(run)), 0
	var later time.Duration
	for e := now + 1; e < p.Pilots+c.Epochs; e++ {
		took, _ := of(e)
		later += took
	}
	for i := range run.Trials {
		if run.Trials[i].Epoch == now {
			done++
		}
	}
	loads := Of(p).loads(p, now, sidesAt(p, now))
	lacking := time.Duration(float64(loads) * max(0, 1-float64(done)/float64(max(1, trialsOf(p, now)))))
	return max(lacking+later, c.Whole-time.Duration(elapsed(run)))
}

// leftByEpochs estimates the time that the missing epochs take, from the mean time of a valid epoch
// so far or, before one has ended, from the pilots. ok is false during the pilots, and if epochs
// differ in length.
func leftByEpochs(run *result.Run, epochs int) (left time.Duration, ok bool) {
	p := &run.Plan
	if !decides(p) || len(parts(p)) > 1 || !pilotsOver(run) {
		return 0, false
	}
	ended, valid, each := pilotsEnd(run), 0, turnAtPace(run)
	if now := lastEpoch(run); now > p.Pilots {
		before := *run
		before.Trials = run.Trials[:slices.IndexFunc(run.Trials, func(t *result.Trial) bool { return t.Epoch == now })]
		ended, valid = elapsed(&before), len(Epochs(&before))
		each = (ended - pilotsEnd(run)) / int64(max(1, valid))
	}
	return time.Duration(max(0, each*int64(epochs-valid)-min(elapsed(run)-ended, each))), true
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
