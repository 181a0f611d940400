package result

import "time"

// Event tells a live view what goes on. It is never stored.
type Event struct {
	Time       time.Time
	Stage      string // toolchain, build, verify, calibrate, launch, pilot, measure, analyse, done
	Contestant string
	Text       string
	Done       int           // trials that stand
	Total      int           // trials planned, at most
	Left       time.Duration // 0 when unknown
	Trial      *Trial        // just taken
	Failure    *Failure      // just met
	Standing   []Standing    // after each epoch
}

// Standing is the interim place of one contestant, for live views only.
type Standing struct {
	Name    string
	PerSec  float64 // median over the valid epochs
	Ratio   float64 // to the yardstick
	Lo, Hi  float64
	Decided int // pairs
	Pairs   int
}
