package study

import (
	"bytes"
	"io"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/report"
)

// large returns a record with at least that many trials: a committed one with repeated epochs.
func large(t testing.TB, trials int) []byte {
	var b bytes.Buffer
	excerpt(t, "iris-vs-netcore-templates/trials.jsonl.gz", 1000, func(run *record.Run) {
		h := record.NewHistogram()
		for _, r := range run.Trials { // as records have them until they are trimmed
			h.Reset()
			for i := range r.Load.Succeeded {
				h.Record(r.Load.ServiceP50NS * (1 + i*i%97) / 50)
			}
			r.Load.Service, _ = h.Encode(2)
		}
		epochs := 0
		for _, r := range run.Trials {
			epochs = max(epochs, r.Epoch+1)
		}
		loaded, launched := run.Trials, run.Launches
		for by := epochs - run.Plan.Pilots; len(run.Trials) < trials; by += epochs - run.Plan.Pilots {
			for _, r := range loaded {
				if again := *r; r.Epoch >= run.Plan.Pilots {
					again.Epoch += by
					run.Trials = append(run.Trials, &again)
				}
			}
			for _, r := range launched {
				if r.Epoch >= run.Plan.Pilots {
					r.Epoch += by
					run.Launches = append(run.Launches, r)
				}
			}
		}
		if err := record.Write(&b, run); err != nil {
			t.Fatal(err)
		}
	})
	return b.Bytes()
}

// BenchmarkReport is what dyno report takes for a record of 100,000 trials, also in CPU time:
//
//	go test ./internal/study -run xxx -bench Report -benchtime 1x -count 5 -benchmem
func BenchmarkReport(b *testing.B) {
	file := large(b, 100_000)
	b.SetBytes(int64(len(file)))
	began, _ := machine.SelfCPU()
	defer func() {
		ended, _ := machine.SelfCPU()
		b.ReportMetric((ended-began).Seconds()/float64(b.N), "cpu-s/op")
	}()
	for b.Loop() {
		run, err := record.Read(bytes.NewReader(file), "record")
		if err == nil {
			err = judge.Assert(run)
		}
		if err != nil {
			b.Fatal(err)
		}
		data := Evaluate(run)
		for _, name := range []string{"text", "html", "json"} {
			if err := report.Formats[name](io.Discard, data); err != nil {
				b.Fatal(err)
			}
		}
	}
}
