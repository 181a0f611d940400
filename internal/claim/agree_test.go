package claim_test

import (
	"testing"

	"dyno/internal/claim"
)

func TestDifferences(t *testing.T) {
	run := func(verdicts ...claim.Verdict) []claim.Outcome {
		var all []claim.Outcome
		for i, v := range verdicts {
			all = append(all, claim.Outcome{Claim: claim.Claim{ID: string(rune('a' + i))}, Verdict: v})
		}
		return all
	}
	there := run(claim.Confirmed, claim.Confirmed, claim.NotRun, claim.NotTestable, claim.SmallerLead)
	here := run(claim.Confirmed, claim.SameDirection, claim.Confirmed, claim.NotTestable, claim.SmallerLead,
		claim.Confirmed)
	judged, differ := claim.Differences(there, here)
	if judged != 3 || len(differ) != 1 || differ[0].There.Verdict != claim.Confirmed ||
		differ[0].Here.Verdict != claim.SameDirection || differ[0].Here.Claim.ID != "b" {
		t.Errorf("judged in both: %d, want 3 (a, b, e); differ: %v, want b", judged, differ)
	}
}
