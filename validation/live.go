package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/plan"
)

// Live is one live run of servers of known truth on a real machine, a line of live.jsonl. Lines are
// appended, run by run, and never rewritten.
type Live struct {
	Number  int      `json:"number"` // its place in the order, as LiveTask
	Kind    string   `json:"kind"`   // as LiveTask
	Hog     bool     `json:"hog"`    // a program took CPU in bursts meanwhile
	Seed    uint64   `json:"seed"`
	Primary string   `json:"primary"`         // the metric that decided
	Judge   string   `json:"judge,omitempty"` // liveJudge; empty: the signed ranks that dyno judged by before
	*Couple          // of a run of two servers
	Couples []Couple `json:"couples,omitempty"` // of costs: the first server against each that costs more
	// Programs are the SHA-256 of the programs of relinked: of the first server in each layout, then of
	// the second.
	Programs       []string `json:"programs,omitempty"`
	Epochs         int      `json:"epochs"`           // valid ones
	Analyses       int      `json:"interim_analyses"` // that were taken; without any the run is made again
	DiscardedShare float64  `json:"discarded_share"`  // of the trials
	Seconds        float64  `json:"seconds"`          // from the first launch to the verdict
	Started        string   `json:"started"`          // RFC 3339, UTC
	Commit         string   `json:"commit"`
	Machine        string   `json:"machine"`
}

// Couple is what a run found of its first server and another one.
type Couple struct {
	// Cost is the share by which a request of the other server was to cost more; 0 of equal ones.
	Cost float64 `json:"cost,omitempty"`
	// Added is the same share as the servers measured it during their work.
	Added      float64 `json:"added,omitempty"`
	Own        float64 `json:"own,omitempty"`
	Side               // by CPU per request, which decides
	Found      bool    `json:"found,omitempty"` // where the other costs more: the first was called the better
	Throughput Side    `json:"throughput"`      // the second metric
}

// Side is the result of a run for one metric: the ratio of the first server to the second, with the
// interval that the run displayed.
type Side struct {
	Ratio   float64 `json:"ratio"`
	Lo      float64 `json:"lo"` // 0 and Hi 0: too few epochs for an interval
	Hi      float64 `json:"hi"`
	P       float64 `json:"p"`
	Verdict string  `json:"verdict"` // as analysis.Verdict
}

// analysed reports whether the run reached an interim analysis. This depends on the background CPU,
// not on the measured values.
func (l *Live) analysed() bool { return l.Analyses > 0 }

// liveJudge names the statistic of today's runs: joint sign flips.
const liveJudge = "flips"

// old reports whether the run was judged by another statistic. Then it is shown, but made again and in
// no bar.
func (l *Live) old() bool { return l.Judge != liveJudge }

// kind returns the kind of the run, as rows and bars take them. Those of programs that are linked in fewer
// layouts than a run of two has now are a kind of their own.
func (l *Live) kind() string {
	if l.Kind == LiveRelinked && len(l.Programs) < 2*plan.LayoutsOf(2) {
		return liveFewer
	}
	return l.Kind
}

// couples returns what the run found, of a run of two servers one.
func (l *Live) couples() []Couple {
	if len(l.Couples) > 0 {
		return l.Couples
	}
	return []Couple{*l.Couple}
}

// costs returns the share by which a request of the other server cost more, as the servers timed it.
func (c *Couple) costs() float64 {
	if c.Added != 0 {
		return c.Added
	}
	return c.Cost
}

// truth returns the ratio of CPU per request that the run should have found, where each ns of added
// work costs factor ns in all. That of the rates is its inverse.
func (c *Couple) truth(factor float64) float64 { return 1 / (1 + factor*c.costs()) }

// different reports whether the run claimed a difference, however small.
func (c *Couple) different() bool { return different(analysis.Verdict(c.Verdict)) }

// holds reports whether there is an interval and it contains the true ratio.
func (c *Couple) holds(factor float64) bool {
	return c.Hi > 0 && c.Lo <= c.truth(factor) && c.truth(factor) <= c.Hi
}

// String returns what was found in a line.
func (c *Couple) String() string {
	text := fmt.Sprintf("%.3f (%.3f–%.3f), %s; throughput %.3f, %s", c.Ratio, c.Lo, c.Hi, c.Verdict,
		c.Throughput.Ratio, c.Throughput.Verdict)
	if c.Cost > 0 {
		text += fmt.Sprintf("; added %.2f %%, in all %.2f %%", 100*c.costs(), 100*c.Own)
	}
	return text
}

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
	text := fmt.Sprintf("%s%s: %d epochs, %.0f s, %.0f %% discarded", l.Kind, hog, l.Epochs, l.Seconds,
		100*l.DiscardedShare)
	for _, c := range l.couples() {
		text += "; " + c.String()
	}
	return text
}

// ReadLive reads the lines of a live.jsonl; name is for errors.
func ReadLive(r io.Reader, name string) ([]Live, error) {
	return readLines(r, name, func(l *Live) error {
		if !slices.Contains(liveKinds, l.Kind) {
			return fmt.Errorf("kind %q; want one of %s", l.Kind, strings.Join(liveKinds, ", "))
		}
		return nil
	})
}
