package proof

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Live is one live run of two servers of known truth on a real machine, a line of live.jsonl. Lines are appended, run by run, and never rewritten.
type Live struct {
	Kind    string  `json:"kind"`           // "aa": the same program twice; "ab": the first costs less
	Cost    float64 `json:"cost,omitempty"` // of ab: the share by which a request costs the second server more, 0.05 for 5 %
	Hog     bool    `json:"hog"`            // a program took CPU in bursts meanwhile
	Seed    uint64  `json:"seed"`
	Ratio   float64 `json:"ratio"` // of the first's primary metric over the second's, with the interval that the run displayed
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
	P       float64 `json:"p"`       // exact signed-rank
	Verdict string  `json:"verdict"` // as analysis.Verdict
	// Found says, of ab, that the first was called the better.
	Found   bool    `json:"found,omitempty"`
	Primary string  `json:"primary"` // the metric that decided
	Epochs  int     `json:"epochs"`  // valid ones
	Seconds float64 `json:"seconds"` // from the first launch to the verdict
	Machine string  `json:"machine"`
}

// truth is the ratio that the run should have found: of rates, 1 + cost; of costs, the inverse.
func (l *Live) truth() float64 {
	switch {
	case l.Kind == "aa":
		return 1
	case l.Primary == "throughput":
		return 1 + l.Cost
	}
	return 1 / (1 + l.Cost)
}

// different reports whether the run claimed a difference, however small.
func (l *Live) different() bool { return l.Verdict == "different" || l.Verdict == "negligible" }

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
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if l.Kind != "aa" && l.Kind != "ab" {
			return nil, fmt.Errorf("%s:%d: kind %q; there are aa and ab", name, n, l.Kind)
		}
		runs = append(runs, l)
	}
	return runs, lines.Err()
}
