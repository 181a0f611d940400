package analysis

import "dyno/internal/result"

// Edges counts trials by the result.Edge of their rates.
type Edges [result.Low + 1]int

// edgesFrom is the share of trials above which a mark is shown. Fewer hardly change a median.
const edgesFrom = 0.05

// EdgesOf counts the trials that have a rate.
func EdgesOf(trials []*result.Trial) (n Edges) {
	for i := range trials {
		if _, ok := trials[i].Load.PerSec(); ok {
			n[trials[i].Load.Edge()]++
		}
	}
	return n
}

// Mark returns the mark to show beside rates of these trials: the most frequent edge other than
// Inside, if it is frequent enough to matter.
func (n Edges) Mark() result.Edge {
	mark, all := result.Inside, n[result.Inside]
	for e := result.Unsteady; e <= result.Low; e++ {
		if all += n[e]; n[e] > 0 && (mark == result.Inside || n[e] > n[mark]) {
			mark = e
		}
	}
	if float64(n[mark]) <= edgesFrom*float64(all) {
		return result.Inside
	}
	return mark
}

// EdgeText explains the mark of a rate.
func EdgeText(e result.Edge) string {
	return [...]string{
		"of the time in which requests were sent, without the wait for the last answers",
		"not steady: of too few service times, or a connection had no answer or a late one",
		"estimated: the recording is older than the rule for a window's edges; one service time was taken off each " +
			"window",
		"low at the window's edge: the recording is older than the rule for it, and its windows hold the start and " +
			"the end of each load",
	}[e]
}
