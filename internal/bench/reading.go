package bench

import (
	"time"

	"dyno/internal/contestant"
	"dyno/internal/record"
)

// What names figures that can be read from a Server.
type What string

// The kinds of figures, and the fields that they set in Reading.
const (
	ReadStart  What = "start"  // Ready, Processors, Limits, Meters, Absent
	ReadExit   What = "exit"   // none: an error says how the server has ended
	ReadCPU    What = "cpu"    // sets CPU
	ReadRelay  What = "relay"  // CPU and Ended, of the relay through which it reaches services; an error: it has none
	ReadUsage  What = "usage"  // Usage: memory, threads and log; after each trial, while the process tree is frozen
	ReadTotals What = "totals" // Usage: open sockets, and totals since the launch; expensive, so once per epoch
	ReadHeap   What = "heap"   // Heap; it stops the server for a moment
	ReadLog    What = "log"    // sets Logged and Tail

	// ReadCount starts to count instructions, and ReadCounted sets Usage to the number since then.
	ReadCount   What = "count"
	ReadCounted What = "counted"
)

// Reading holds figures read from a Server.
type Reading struct {
	Ready      time.Duration      `json:"ready,omitempty"`      // time from process start to the first right answer
	Processors *record.Processors `json:"processors,omitempty"` // CPUs by Launch.CPUs; nil without that
	Limits     *record.Limits     `json:"limits,omitempty"`     // of a container
	Meters     map[string]string  `json:"meters,omitempty"`     // how figures are measured
	Absent     map[string]string  `json:"absent,omitempty"`     // which figures are absent and why
	CPU        time.Duration      `json:"cpu,omitempty"`        // the whole process tree, ns resolution
	Ended      string             `json:"ended,omitempty"`      // how the relay ended; "" while it runs
	Usage      record.Usage       `json:"usage,omitzero"`
	Heap       Heap               `json:"heap,omitzero"`
	Logged     int64              `json:"logged,omitempty"` // bytes written to its log so far
	Tail       []string           `json:"tail,omitempty"`   // last lines of its log
}

// read adds a server's figures to u. Unreadable ones stay absent.
func read(s Server, what What, u *record.Usage) {
	r, _ := s.Read(what)
	u.Add(&r.Usage)
}

// exited returns an error that says how a server has ended; nil while it runs.
func exited(s Server) error {
	_, err := s.Read(ReadExit)
	return err
}

// WithLog adds the end of a server's log to an error.
func WithLog(s Server, err error) *contestant.Failed {
	r, _ := s.Read(ReadLog)
	return &contestant.Failed{Err: err, Tail: r.Tail}
}
