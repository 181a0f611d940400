package judge

import (
	"cmp"

	"dyno/internal/record"
)

// Part is the part of a run that one machine measured, from one start of the machine to the next.
type Part struct {
	Host        *record.Host
	Dyno        string // dyno's version
	First, Last int    // valid epochs, counted from 1; Last is less than First if there is none
}

// parts returns the machines that a run was measured on, one after the other, with each one's valid
// epochs. It returns nil if the machine was never restarted or replaced.
func parts(run *record.Run, epochs []int) []Part {
	all, from := []Part{{Host: &run.Host, Dyno: run.Plan.Origin.Dyno}}, []int{0}
	for i := range run.Resumes {
		r, last := &run.Resumes[i], &all[len(all)-1]
		if r.Host == nil || r.Host.BootID == last.Host.BootID {
			last.Dyno = cmp.Or(r.Dyno, last.Dyno)
			continue
		}
		all, from = append(all, Part{Host: r.Host, Dyno: cmp.Or(r.Dyno, last.Dyno)}), append(from, r.Epoch)
	}
	if len(all) == 1 {
		return nil
	}
	n := 0
	for i := range all {
		all[i].First = n + 1
		for n < len(epochs) && (i+1 == len(all) || epochs[n] < from[i+1]) {
			n++
		}
		all[i].Last = n
	}
	return all
}
