package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno/internal/judge"
)

// Live is one live run between servers with known speeds on a real machine: a line in live.jsonl. Lines are
// appended and never rewritten.
type Live struct {
	Number  int      `json:"number"` // as LiveTask.Number
	Kind    string   `json:"kind"`   // as LiveTask.Kind
	Hog     bool     `json:"hog"`    // a program took CPU in bursts meanwhile
	Seed    uint64   `json:"seed"`
	Primary string   `json:"primary"`         // the metric that decides
	Judge   string   `json:"judge,omitempty"` // liveJudge; empty: the signed ranks of earlier versions
	*Couple          // a run with two servers has this one
	Couples []Couple `json:"couples,omitempty"` // kind costs: the first server against each slower one
	// Programs are the SHA-256 hashes in a relinked run: the first server's layouts, then the second's. Of kind
	// calibrate they are the contestants' programs, as judge.Program.
	Programs       []string `json:"programs,omitempty"`
	Contestants    []string `json:"contestants,omitempty"` // with Scenario and Session, of kinds calibrate and pairs
	Scenario       string   `json:"scenario,omitempty"`
	Session        string   `json:"session,omitempty"`    // as judge.SessionOf
	Calibrated     []string `json:"calibrated,omitempty"` // of kind pairs: the other sessions
	Expected       float64  `json:"expected,omitempty"`   // the ratio that they found
	Epochs         int      `json:"epochs"`               // valid epochs
	Analyses       int      `json:"interim_analyses"`     // made; a run without any is repeated
	DiscardedShare float64  `json:"discarded_share"`      // discarded trials / all trials
	Seconds        float64  `json:"seconds"`              // from the first launch to the verdict
	Started        string   `json:"started"`              // RFC 3339, UTC
	Commit         string   `json:"commit"`
	Machine        string   `json:"machine"`
}

// Couple compares the first server in a run with another.
type Couple struct {
	// Cost is the planned share by which the other server's requests cost more; 0 for equal servers.
	Cost float64 `json:"cost,omitempty"`
	// Added is this share as measured by the servers during their work.
	Added      float64 `json:"added,omitempty"`
	Own        float64 `json:"own,omitempty"`
	Side               // CPU per request, which decides
	Elsewhere  Side    `json:"elsewhere,omitzero"` // the second verdict on it; zero: none
	Found      bool    `json:"found,omitempty"`    // the other server costs more and the first was called better
	Throughput Side    `json:"throughput"`         // the second metric
}

// Side is a run's result for one metric: the ratio between the first and the second server, with the interval
// that the run printed.
type Side struct {
	Ratio   float64 `json:"ratio"`
	Lo      float64 `json:"lo"` // Lo and Hi are 0 if there are too few epochs
	Hi      float64 `json:"hi"`
	P       float64 `json:"p"`
	Verdict string  `json:"verdict"` // as judge.Verdict
}

// analysed reports whether the run reached an interim analysis. This depends on background CPU, not on the
// measured values.
func (l *Live) analysed() bool { return l.Analyses > 0 }

// liveJudge names the current statistic: joint sign flips.
const liveJudge = "flips"

// old reports whether another statistic judged the run. Old runs are shown, but repeated and left out of all
// bars.
func (l *Live) old() bool { return l.Judge != liveJudge }

// couples returns the run's results: one for a run with two servers.
func (l *Live) couples() []Couple {
	if len(l.Couples) > 0 {
		return l.Couples
	}
	return []Couple{*l.Couple}
}

// costs returns the share by which the other server's requests cost more, as timed by the servers if known.
func (c *Couple) costs() float64 {
	if c.Added != 0 {
		return c.Added
	}
	return c.Cost
}

// truth returns the true ratio of CPU per request if each ns of added work costs factor ns in total. The true
// ratio of the rates is the inverse.
func (c *Couple) truth(factor float64) float64 { return 1 / (1 + factor*c.costs()) }

// different reports whether the run claimed a difference, however small.
func (c *Couple) different() bool { return different(judge.Verdict(c.Verdict)) }

// holds reports whether there is an interval and it contains the true ratio.
func (c *Couple) holds(factor float64) bool {
	return c.Hi > 0 && c.Lo <= c.truth(factor) && c.truth(factor) <= c.Hi
}

// String returns the result in one line.
func (c *Couple) String() string {
	text := fmt.Sprintf("%.3f (%.3f–%.3f), %s; throughput %.3f, %s", c.Ratio, c.Lo, c.Hi, c.Verdict,
		c.Throughput.Ratio, c.Throughput.Verdict)
	if c.Added > 0 {
		text += fmt.Sprintf("; added %.2f %%, in all %.2f %%", 100*c.costs(), 100*c.Own)
	}
	if e := &c.Elsewhere; e.Hi > 0 {
		text += fmt.Sprintf("; in other sessions %s, %s", ratio(e.Ratio, e.Lo, e.Hi), e.Verdict)
	}
	return text
}

// String returns the run in one line.
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
	for i, c := range l.couples() {
		text += "; "
		if l.Contestants != nil {
			text += l.Contestants[0] + " ÷ " + l.Contestants[i+1] + " "
		}
		text += c.String()
	}
	return text
}

// ReadLive reads the lines of a live.jsonl; name is for errors.
func ReadLive(r io.Reader, name string) ([]Live, error) {
	return readLines(r, name, func(l *Live) error {
		if !slices.Contains(liveKinds, l.Kind) {
			return fmt.Errorf("kind %q; want one of %s", l.Kind, strings.Join(liveKinds, ", "))
		}
		if l.Contestants != nil && (l.Couple == nil && l.Couples == nil || len(l.couples()) != len(l.Contestants)-1) {
			return fmt.Errorf("run %d compares %q in another number of couples", l.Number, l.Contestants)
		}
		return nil
	})
}
