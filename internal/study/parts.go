package study

import (
	"cmp"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// parts returns the machines that a run was measured on, one after the other, with each one's valid
// epochs. It returns nil if the machine was never restarted or replaced.
func parts(run *record.Run) []report.Part {
	all, from := []report.Part{{Host: &run.Host, Dyno: run.Plan.Origin.Dyno}}, []int{0}
	for i := range run.Resumes {
		r, last := &run.Resumes[i], &all[len(all)-1]
		if r.Host == nil || r.Host.BootID == last.Host.BootID {
			last.Dyno = cmp.Or(r.Dyno, last.Dyno)
			continue
		}
		all, from = append(all, report.Part{Host: r.Host, Dyno: cmp.Or(r.Dyno, last.Dyno)}), append(from, r.Epoch)
	}
	if len(all) == 1 {
		return nil
	}
	epochs, n := plan.Epochs(run), 0
	for i := range all {
		all[i].First = n + 1
		for n < len(epochs) && (i+1 == len(all) || epochs[n] < from[i+1]) {
			n++
		}
		all[i].Last = n
	}
	return all
}
