package study_test

import (
	"testing"

	"dyno/internal/study"
)

func TestDifferences(t *testing.T) {
	run := func(verdicts ...study.Verdict) []study.Outcome {
		var all []study.Outcome
		for i, v := range verdicts {
			all = append(all, study.Outcome{Claim: study.Claim{ID: string(rune('a' + i))}, Verdict: v})
		}
		return all
	}
	there := run(study.Confirmed, study.Confirmed, study.NotRun, study.NotTestable, study.SmallerLead)
	here := run(study.Confirmed, study.SameDirection, study.Confirmed, study.NotTestable, study.SmallerLead,
		study.Confirmed)
	judged, differ := study.Differences(there, here)
	if judged != 3 || len(differ) != 1 || differ[0].There.Verdict != study.Confirmed ||
		differ[0].Here.Verdict != study.SameDirection || differ[0].Here.Claim.ID != "b" {
		t.Errorf("judged in both: %d, want 3 (a, b, e); differ: %v, want b", judged, differ)
	}
}
