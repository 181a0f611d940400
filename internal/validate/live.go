package validate

import (
	"fmt"
	"io"

	"dyno/internal/analysis"
)

// Live is one live run of two servers of known truth on a real machine, a line of live.jsonl. Lines
// are appended, run by run, and never rewritten.
type Live struct {
	Number int    `json:"number"` // its place in the order, as LiveTask
	Kind   string `json:"kind"`   // as LiveTask
	Hog    bool   `json:"hog"`    // a program took CPU in bursts meanwhile
	// Cost is the share by which a request of the second server was to cost more, of ab and full.
	Cost float64 `json:"cost,omitempty"`
	// Added is the same share as the servers measured it during their work.
	Added   float64 `json:"added,omitempty"`
	Seed    uint64  `json:"seed"`
	Primary string  `json:"primary"` // the metric that decided
	Side
	Found          bool    `json:"found,omitempty"`  // of ab and full: the first was called the better
	Throughput     Side    `json:"throughput"`       // the second metric
	Epochs         int     `json:"epochs"`           // valid ones
	Analyses       int     `json:"interim_analyses"` // that were taken; without any the run is made again
	DiscardedShare float64 `json:"discarded_share"`  // of the trials
	Seconds        float64 `json:"seconds"`          // from the first launch to the verdict
	Started        string  `json:"started"`          // RFC 3339, UTC
	Commit         string  `json:"commit"`
	Machine        string  `json:"machine"`
}

// Side is the result of a run for one metric: the ratio of the first server to the second, with the
// interval that the run displayed.
type Side struct {
	Ratio   float64 `json:"ratio"`
	Lo      float64 `json:"lo"` // 0 and Hi 0: too few epochs for an interval
	Hi      float64 `json:"hi"`
	P       float64 `json:"p"`       // exact signed-rank
	Verdict string  `json:"verdict"` // as analysis.Verdict
}

// analysed reports whether the run reached an interim analysis. This depends on the background CPU,
// not on the measured values.
func (l *Live) analysed() bool { return l.Analyses > 0 }

// cost returns the share by which a request of the second server cost more, as the servers measured
// it.
func (l *Live) cost() float64 {
	if l.Added != 0 {
		return l.Added
	}
	return l.Cost
}

// truth returns the ratio that the run should have found: of rates, 1 + cost; of costs, the inverse.
func (l *Live) truth() float64 {
	if l.Primary == "throughput" {
		return 1 + l.cost()
	}
	return 1 / (1 + l.cost())
}

// different reports whether the run claimed a difference, however small.
func (l *Live) different() bool { return different(analysis.Verdict(l.Verdict)) }

// holds reports whether there is an interval and it contains the true ratio.
func (l *Live) holds() bool { return l.Hi > 0 && l.Lo <= l.truth() && l.truth() <= l.Hi }

// String returns the run in a line.
func (l *Live) String() string {
	hog := ""
	if l.Hog {
		hog = " with a hog"
	}
	if !l.analysed() {
		return fmt.Sprintf("%s%s: no interim analysis after %.0f s: %d valid epochs, %.0f %% of the trials "+
			"discarded; it will be repeated", l.Kind, hog, l.Seconds, l.Epochs, 100*l.DiscardedShare)
	}
	return fmt.Sprintf("%s%s: %.3f (%.3f–%.3f), truth %.3f, %s after %d epochs, %.0f s, %.0f %% discarded; "+
		"throughput "+
		"%.3f, %s", l.Kind, hog, l.Ratio, l.Lo, l.Hi, l.truth(), l.Verdict, l.Epochs, l.Seconds, 100*l.DiscardedShare,
		l.Throughput.Ratio, l.Throughput.Verdict)
}

// ReadLive reads the lines of a live.jsonl; name is for errors.
func ReadLive(r io.Reader, name string) ([]Live, error) {
	return readLines(r, name, func(l *Live) error {
		if l.Kind != LiveSame && l.Kind != LiveCost && l.Kind != LiveFull {
			return fmt.Errorf("kind %q; want aa, ab or full", l.Kind)
		}
		return nil
	})
}
