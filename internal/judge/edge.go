package judge

import "dyno/internal/record"

// unsteadyFrom is the share of unsteady trials above which reports mention them. Fewer hardly
// change a median.
const unsteadyFrom = 0.05

// Unsteady counts the trials with a rate (all), and the unsteady ones among them (n): 0 if they are
// few.
func Unsteady(trials []*record.Trial) (n, all int) {
	for _, t := range trials {
		if _, ok := t.Load.PerSec(); ok {
			all++
			if !t.Load.Steady() {
				n++
			}
		}
	}
	if float64(n) <= unsteadyFrom*float64(all) {
		n = 0
	}
	return n, all
}

// UnsteadyText explains unsteady rates.
const UnsteadyText = "not steady: they cover too few service times, or a connection had no answer or a late one"
