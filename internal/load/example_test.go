package load_test

import (
	"fmt"
	"time"

	"dyno/internal/load"
)

// An open loop that rises from 0 to 10 requests per second in one second. A worker sends each
// request when it is due; latency counts from then, even if the request goes out late.
func ExampleSchedule() {
	s := load.Schedule{Stages: []load.Stage{{For: time.Second, From: 0, To: 10}}}
	arrivals := s.Arrivals(0, 1, 0) // of the only worker, without a limit
	for {
		due, ok := arrivals.Next()
		if !ok {
			break
		}
		fmt.Println(time.Duration(due).Round(time.Millisecond))
	}
	fmt.Println(s.Expected(time.Second), "requests in", s.Length())
	// Output:
	// 0s
	// 447ms
	// 632ms
	// 775ms
	// 894ms
	// 5 requests in 1s
}

// A window limited by both a duration and a number of requests: whichever comes first ends it.
func ExampleWindow_Deadline() {
	w := load.Window{For: 10 * time.Second, Requests: 1000}
	fmt.Println(w.Check(), time.Duration(w.Deadline(0)))
	// Output: <nil> 10s
}
