package validate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Live is one live run of two servers of known truth on a real machine, a line of live.jsonl. Lines are appended, run by run, and never rewritten.
type Live struct {
	Number  int     `json:"number"`          // its place in the order, as LiveTask
	Kind    string  `json:"kind"`            // as LiveTask
	Hog     bool    `json:"hog"`             // a program took CPU in bursts meanwhile
	Cost    float64 `json:"cost,omitempty"`  // of ab and full: the share by which a request of the second server was to cost more, 0.05 for 5 %
	Added   float64 `json:"added,omitempty"` // the same as the servers found it themselves, in the midst of their work
	Seed    uint64  `json:"seed"`
	Primary string  `json:"primary"` // the metric that decided
	Side
	Found      bool    `json:"found,omitempty"` // of ab and full: the first was called the better
	Throughput Side    `json:"throughput"`      // what was said of it besides
	Epochs     int     `json:"epochs"`          // valid ones
	Looks      int     `json:"looks"`           // that were taken; without any the run shows nothing, and is made again
	VoidShare  float64 `json:"void_share"`      // of the trials
	Seconds    float64 `json:"seconds"`         // from the first launch to the verdict
	Started    string  `json:"started"`         // RFC 3339, UTC
	Commit     string  `json:"commit"`
	Machine    string  `json:"machine"`
}

// Side is what a run said of the two under one metric: the first's over the second's, with the interval that the run displayed.
type Side struct {
	Ratio   float64 `json:"ratio"`
	Lo      float64 `json:"lo"` // 0 and Hi 0: too few epochs for an interval
	Hi      float64 `json:"hi"`
	P       float64 `json:"p"`       // exact signed-rank
	Verdict string  `json:"verdict"` // as analysis.Verdict
}

// looked reports whether the run came to a look. Whether it did depends on what else the machine had to do, not on what was measured.
func (l *Live) looked() bool { return l.Looks > 0 }

// cost is by which share a request of the second really cost more.
func (l *Live) cost() float64 {
	if l.Added != 0 {
		return l.Added
	}
	return l.Cost
}

// truth is the ratio that the run should have found: of rates, 1 + cost; of costs, the inverse.
func (l *Live) truth() float64 {
	if l.Primary == "throughput" {
		return 1 + l.cost()
	}
	return 1 / (1 + l.cost())
}

// different reports whether the run claimed a difference, however small.
func (l *Live) different() bool { return l.Verdict == "different" || l.Verdict == "negligible" }

// holds reports whether the interval holds the truth. One that is not there does not.
func (l *Live) holds() bool { return l.Hi > 0 && l.Lo <= l.truth() && l.truth() <= l.Hi }

// String is the run in a line.
func (l *Live) String() string {
	hog := ""
	if l.Hog {
		hog = " with a hog"
	}
	if !l.looked() {
		return fmt.Sprintf("%s%s: no look after %.0f s, %d valid epochs and %.0f %% of the trials void; to be made again", l.Kind, hog, l.Seconds, l.Epochs, 100*l.VoidShare)
	}
	return fmt.Sprintf("%s%s: %.3f (%.3f–%.3f), truth %.3f, %s after %d epochs, %.0f s, %.0f %% void; throughput %.3f, %s", l.Kind, hog, l.Ratio, l.Lo, l.Hi,
		l.truth(), l.Verdict, l.Epochs, l.Seconds, 100*l.VoidShare, l.Throughput.Ratio, l.Throughput.Verdict)
}

// ReadLive reads the lines of a live.jsonl; name is for errors.
func ReadLive(r io.Reader, name string) ([]Live, error) {
	var runs []Live
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var l Live
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w; a line that was cut short may be deleted", name, n, err)
		}
		if l.Kind != LiveSame && l.Kind != LiveCost && l.Kind != LiveFull {
			return nil, fmt.Errorf("%s:%d: kind %q; there are aa, ab and full", name, n, l.Kind)
		}
		runs = append(runs, l)
	}
	return runs, lines.Err()
}
