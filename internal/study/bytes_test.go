package study

import (
	"testing"

	"dyno/internal/record"
)

// judgedFake judges the fake study with the trials of slow at ten connections changed.
func judgedFake(t *testing.T, change func(*record.Trial)) map[string]Outcome {
	t.Helper()
	st := readFake(t)
	run := fakeRun(t, st, Choice{})
	for i := range run.Trials {
		if tr := run.Trials[i]; tr.Contestant == "slow" && tr.Level.Connections == 10 && tr.Level.DelayNS == 0 {
			change(tr)
		}
	}
	claims, err := st.JudgeClaims(Evaluate(run), "studies/fake")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Outcome{}
	for _, o := range claims.Outcomes {
		out[o.Claim.ID] = o
	}
	return out
}

// A single wrong answer counts against a claim that all are right, even in a pilot, which yields no
// figure.
func TestWrongAnswers(t *testing.T) {
	done := false
	o := judgedFake(t, func(tr *record.Trial) {
		if !done {
			tr.Load.Failed, done = 1, true
		}
	})
	if all := o["all"]; all.Verdict != Contradicted {
		t.Errorf("%s (%s): %+v", all.Verdict, all.Reason, all.Shown)
	}
}

// Bytes per second are also judged by the lengths of requests and answers.
func TestBytesPerSecond(t *testing.T) {
	o := judgedFake(t, func(tr *record.Trial) {
		tr.Load.BytesRead *= 2
		tr.Load.BytesWritten *= 2
	})
	if rate, moved := o["ratio"], o["moved"]; rate.Verdict != Confirmed || moved.Verdict != Contradicted ||
		len(moved.Shown) != 1 || moved.Shown[0].Estimate.Value > 1.1 {
		t.Errorf("the rate %s, the bytes %s (%s): %+v", rate.Verdict, moved.Verdict, moved.Reason, moved.Shown)
	}
}
