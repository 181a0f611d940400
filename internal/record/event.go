package record

import "time"

// Event is a message to the live view. It is never stored.
type Event struct {
	Time       time.Time
	Stage      string // toolchain, build, verify, calibrate, launch, pilot, measure, analyse, done
	Contestant string
	Text       string
	Done       int           // trials measured so far
	Total      int           // trials planned, at most
	Left       time.Duration // estimated time left; 0: unknown
	Trial      *Trial        // the trial just taken
	Failure    *Failure      // the failure that just occurred
	Standing   []Standing    // the best first, when there are new figures
}

// Standing is the current state of one contestant, for live views only.
type Standing struct {
	Name   string
	PerSec float64 // median over the epochs so far
	Ratio  float64 // 0: none
	Lo, Hi float64 // the range of epoch ratios, or an interval; not above 0 or not finite: none
	Of     string  // what Ratio is: "best ÷ row"
}
