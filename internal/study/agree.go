package study

// Difference is a claim with different outcomes in two runs.
type Difference struct{ There, Here *Outcome }

// Differences compares claims' outcomes in two runs, in the order of here. It returns how many
// claims both runs judged, and those with different outcomes.
func Differences(there, here []Outcome) (judged int, differ []Difference) {
	byID := make(map[string]*Outcome, len(there))
	for i := range there {
		byID[there[i].Claim.ID] = &there[i]
	}
	for i := range here {
		o := &here[i]
		other := byID[o.Claim.ID]
		if other == nil || !other.judged() || !o.judged() {
			continue
		}
		judged++
		if other.Verdict != o.Verdict {
			differ = append(differ, Difference{other, o})
		}
	}
	return judged, differ
}

// judged reports whether the run could test the claim.
func (o *Outcome) judged() bool { return o.Verdict != NotTestable && o.Verdict != NotRun }
