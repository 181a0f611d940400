package result

import "time"

// Event is a message to the live view. It is never stored.
type Event struct {
	Time       time.Time
	Stage      string // toolchain, build, verify, calibrate, launch, pilot, measure, analyse, done
	Contestant string
	Text       string
	Done       int           // trials
	Total      int           // trials planned, at most
	Left       time.Duration // 0 when unknown
	Trial      *Trial        // just taken
	Failure    *Failure      // just met
	Standing   []Standing    // the best first, where there are new figures
}

// Standing is what is known about one contestant so far, for live views only.
type Standing struct {
	Name   string
	PerSec float64 // median over the epochs so far
	Ratio  float64 // to Of; 0: none
	Lo, Hi float64 // the range of the epochs' ratios, or an interval; not above 0 or not finite: none
	Of     string  // what the ratio is to: "vs best"
}
