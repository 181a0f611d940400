package result_test

import (
	"bytes"
	"fmt"

	"dyno/internal/result"
)

// A run is written as lines of JSON, the plan first, and read back in full.
func ExampleRead() {
	cpu := int64(90e6)
	run := &result.Run{
		Plan: result.Plan{Format: result.Format, Title: "Which is faster?",
			Contestants: []string{"gin"}, Levels: []result.Level{{Connections: 1}}, Seed: 1},
		Trials: []*result.Trial{{
			Key: result.Key{Epoch: 1}, Contestant: "gin", Server: result.Usage{CPUNS: &cpu},
			Load: result.Load{WindowNS: 100e6, Succeeded: 9000},
		}},
		End: &result.End{Reason: "decided"},
	}
	var file bytes.Buffer
	if err := result.Write(&file, run); err != nil {
		panic(err)
	}
	again, err := result.Read(&file, result.TrialsFile)
	if err != nil {
		panic(err)
	}
	t := again.Trials[0]
	perSec, _ := t.Load.PerSec()
	fmt.Printf("%s: %.0f/s, %d µs of CPU a request\n", t.Contestant, perSec, *t.Server.CPUNS/t.Load.Succeeded/1000)
	// Output: gin: 90000/s, 10 µs of CPU a request
}
