package record_test

import (
	"bytes"
	"fmt"

	"dyno/internal/record"
)

// A run is written as lines of JSON, the plan first, and read back in full.
func ExampleRead() {
	cpu := int64(90e6)
	run := &record.Run{
		Plan: record.Plan{Format: record.Format, Title: "Which is faster?",
			Contestants: []string{"gin"}, Levels: []record.Level{{Connections: 1}}, Seed: 1},
		Trials: []*record.Trial{{
			Key: record.Key{Epoch: 1}, Contestant: "gin", Server: record.Usage{CPUNS: &cpu},
			Load: record.Load{WindowNS: 100e6, Succeeded: 9000},
		}},
		End: &record.End{Reason: "decided"},
	}
	var file bytes.Buffer
	if err := record.Write(&file, run); err != nil {
		panic(err)
	}
	again, err := record.Read(&file, record.TrialsFile)
	if err != nil {
		panic(err)
	}
	t := again.Trials[0]
	perSec, _ := t.Load.PerSec()
	fmt.Printf("%s: %.0f/s, %d µs of CPU a request\n", t.Contestant, perSec, *t.Server.CPUNS/t.Load.Succeeded/1000)
	// Output: gin: 90000/s, 10 µs of CPU a request
}
