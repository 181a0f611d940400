package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"dyno/internal/stats"
)

// Case is a set of servers whose starts vary in a known way, with one value per server and epoch. It tests
// the statistic alone, without rounds, drift or controls.
type Case struct {
	Group string // selects the table
	What  string
	K     int
	logs  []float64                                // logs of the true speeds
	draw  func(rng *rand.Rand, server int) float64 // the log effect of one start
	rho   float64                                  // correlation with the same server's start in the epoch before
	// "mean" or "location": the statistic that is set to 0 against the others
	equal string
	shift func() float64 // the offset that server 0 needs for that
	// between is what varies from session to session; nil: nothing does
	between *sessionEffects

	At []CaseAt // by caseEpochs; Runs is 0 if not simulated yet
}

// CaseAt is the result of one case in runs with room for n epochs: a line in cases.jsonl.
type CaseAt struct {
	Group      string  `json:"group"`
	What       string  `json:"what"`
	K          int     `json:"k"`
	N          int     `json:"n"`
	Runs       int     `json:"runs"`
	Error      Rate    `json:"error"`           // runs that call equal servers different
	Early      Rate    `json:"early"`           // runs that do so in an early analysis
	Equivalent Rate    `json:"equivalent"`      // runs that call unequal servers equivalent
	Holds      Rate    `json:"holds"`           // runs whose intervals all hold at once
	Found      Rate    `json:"found,omitzero"`  // differing pairs found by the end
	At3        Rate    `json:"at_3,omitzero"`   // differing pairs found by 3 epochs
	At5        Rate    `json:"at_5,omitzero"`   // by 5 epochs
	Same       Rate    `json:"same,omitzero"`   // equal pairs called equivalent
	Warned     Rate    `json:"warned,omitzero"` // runs with dependent epochs in which V33 would warn
	Epochs     float64 `json:"epochs"`          // mean
	// the second verdict, for other sessions: Error, Holds and Found
	ErrorElsewhere Rate `json:"error_elsewhere,omitzero"`
	HoldsElsewhere Rate `json:"holds_elsewhere,omitzero"`
	FoundElsewhere Rate `json:"found_elsewhere,omitzero"`
	Misled         Rate `json:"misled,omitzero"` // runs that say of a pair that short loads mislead
}

// caseRuns is the default number of simulated runs per case. Cases always use DefaultSeed.
const caseRuns = 10_000

// caseEpochs returns the numbers of epochs for which a group's cases are simulated.
func caseEpochs(group string) []int {
	switch group {
	case "early":
		return []int{stats.Least}
	case "sessions":
		return []int{10}
	case "unequal":
		return []int{8, 10, 16, 24}
	}
	return []int{8, 10, 16}
}

// analysesOf returns the interim analyses that a run of k servers with room for n epochs plans.
func analysesOf(k, n int) []stats.Interim {
	return stats.Interims(stats.Candidates(k == 2, 24), n, Alpha)
}

// startsOf has the distributions of starts. Their spread is at least that measured between epochs on virtual
// machines.
var startsOf = map[string]func(rng *rand.Rand) float64{
	"quiet":       func(rng *rand.Rand) float64 { return .004 * rng.NormFloat64() },
	"normal":      func(rng *rand.Rand) float64 { return .02 * rng.NormFloat64() },
	"exponential": func(rng *rand.Rand) float64 { return .02 - .02*rng.ExpFloat64() },
	"bimodal":     func(rng *rand.Rand) float64 { return .004*rng.NormFloat64() - when(rng.Float64() < .3, .06) + .018 },
	"rare":        func(rng *rand.Rand) float64 { return .02*rng.NormFloat64() - when(rng.Float64() < .08, .15) },
	"t₃":          func(rng *rand.Rand) float64 { return .02 / math.Sqrt(3) * studentT(rng, 3) },
	"3 × noisy":   func(rng *rand.Rand) float64 { return .06 * rng.NormFloat64() },
	"SD 6 %":      func(rng *rand.Rand) float64 { return .06 / math.Sqrt2 * rng.NormFloat64() },
	"SD 10 %":     func(rng *rand.Rand) float64 { return .1 / math.Sqrt2 * rng.NormFloat64() },
}

// studentT draws from Student's t distribution.
func studentT(rng *rand.Rand, df int) float64 {
	s := 0.
	for range df {
		z := rng.NormFloat64()
		s += z * z
	}
	return rng.NormFloat64() / math.Sqrt(s/float64(df))
}

// starts returns a function that draws starts: of the named kind for the first few servers, normal for the
// others.
func starts(few int, kind string) func(*rand.Rand, int) float64 {
	return func(rng *rand.Rand, server int) float64 {
		if server < few {
			return startsOf[kind](rng)
		}
		return startsOf["normal"](rng)
	}
}

// effects returns the log speeds for k servers.
func effects(k int, kind string) []float64 {
	logs := make([]float64, k)
	for i := range logs {
		switch {
		case kind == "two equal noisy ones among unequal":
			logs[i] = .1 * float64(max(0, i-1))
		case kind == "one +3 %" && i == 0:
			logs[i] = math.Log1p(Margin)
		case kind == "one +10 %" && i == 0:
			logs[i] = math.Log(1.1)
		case kind == "one +20 %" && i == 0:
			logs[i] = math.Log(1.2)
		case kind == "one +5 %" && i == 0, kind == "halves +5 %" && i < k/2, kind == "three groups" && i%3 == 1:
			logs[i] = math.Log(1.05)
		case kind == "one 2 ×" && i == 0, kind == "halves 2 ×" && i < k/2, kind == "three groups" && i%3 == 2:
			logs[i] = math.Log(2)
		}
	}
	return logs
}

// cases returns all cases.
func cases() (all []Case) {
	add := func(group string, k int, effect, kind string, few int, c Case) {
		c.Group, c.K, c.logs, c.draw = group, k, effects(k, effect), starts(few, kind)
		c.shift = sync.OnceValue(c.centre)
		for _, n := range caseEpochs(group) {
			c.At = append(c.At, CaseAt{Group: group, What: c.What, K: k, N: n})
		}
		all = append(all, c)
	}
	for _, k := range []int{2, 3, 8, 20} {
		add("equal", k, "", "normal", 0, Case{What: "all equal"})
	}
	for _, k := range []int{2, 3, 8, 20} {
		for _, e := range []string{"one +5 %", "one 2 ×", "halves +5 %", "halves 2 ×", "three groups"} {
			if k == 8 || k == 2 && e[0] == 'o' || k == 3 && e[0] != 'h' ||
				k == 20 && (e == "one +5 %" || e == "halves 2 ×") {
				add("unequal", k, e, "normal", 0, Case{What: e})
			}
		}
		if e := "two equal noisy ones among unequal"; k == 3 || k == 8 {
			add("unequal", k, e, "3 × noisy", 2, Case{What: e})
		}
		if k == 20 {
			break
		}
		for _, e := range []string{"one +10 %", "one +20 %"} {
			add("unequal", k, e, "normal", 0, Case{What: e})
		}
		add("unequal", k, "one +5 %", "rare", k, Case{What: "one +5 %, 8 % of starts 15 % slower"})
		for _, kind := range []string{"normal", "quiet", "exponential", "bimodal"} {
			add("margin", k, "one +3 %", kind, k, Case{What: "all " + kind})
			add("margin", k, "one +3 %", kind, 1, Case{What: "it alone " + kind, equal: "mean"})
		}
	}
	for _, k := range []int{2, 3, 8} {
		for _, e := range []string{"", "halves 2 ×"} {
			if e != "" && k < 8 {
				continue
			}
			others := strings.TrimSuffix(", "+e, ", ")
			for _, kind := range []string{"exponential", "bimodal", "rare"} {
				add("starts", k, e, kind, k, Case{What: "all " + kind + others})
				for _, equal := range []string{"mean", "location"} {
					what := "one " + kind + ", its " + equal + " equal" + others
					add("starts", k, e, kind, 1, Case{What: what, equal: equal})
				}
			}
			add("starts", k, e, "t₃", k, Case{What: "all t₃" + others})
			add("starts", k, e, "3 × noisy", 1, Case{What: "one 3 × noisy" + others})
		}
		for _, kind := range []string{"bimodal", "SD 6 %", "SD 10 %"} {
			add("early", k, "", kind, 1, Case{What: "one " + kind})
			add("early", k, "", kind, k, Case{What: "all " + kind})
		}
		for _, rho := range []float64{.3, .5} {
			add("dependent", k, "", "normal", 0, Case{What: fmt.Sprintf("ρ = %g", rho), rho: rho})
		}
	}
	return append(all, sessionCases()...)
}

// jitter is the noise per epoch in addition to the start.
func jitter(rng *rand.Rand) float64 { return .004 * studentT(rng, 4) }

// epochs returns a source of epochs. Server 0 is slower by shift.
func (c *Case) epochs(rng *rand.Rand, shift float64) func(epoch int) [][]float64 {
	last, session := make([]float64, c.K), c.between.draw(rng, c.K)
	return func(epoch int) [][]float64 {
		row := make([]float64, c.K)
		for i := range row {
			v := c.draw(rng, i)
			if epoch > 0 {
				v = c.rho*last[i] + math.Sqrt(1-c.rho*c.rho)*v
			}
			last[i] = v
			row[i] = v + jitter(rng) + c.logs[i] + session[i]
		}
		row[0] -= shift
		return [][]float64{row}
	}
}

// centreEpochs is the number of simulated epochs from which centre finds the shift. The remaining error is
// less than a thirtieth of the standard error in a comparison with 16 epochs.
const centreEpochs = 20_000

// centre returns the estimate for server 0 against the others, to be subtracted so that they are equal.
func (c Case) centre() float64 {
	if c.equal == "" {
		return 0
	}
	plain := Case{K: min(c.K, 4), draw: c.draw}
	plain.logs = make([]float64, plain.K)
	all := &comparison{truth: plain.logs, next: plain.epochs(source(DefaultSeed, "centre/"+c.What, c.K), 0)}
	all.extend(centreEpochs)
	family := all.d
	if c.K > plain.K { // most pairs lack server 0, so they decide the median spread
		family = [][]float64{all.d[0], all.d[plain.K-1], all.d[plain.K]}
	}
	j := stats.Joint(family, Alpha, 1)[0]
	if c.equal == "mean" {
		return j.Mean
	}
	return j.Log
}

// simulate makes runs with room for n epochs.
func (c *Case) simulate(ctx context.Context, runs, n int) CaseAt {
	shift, analyses := c.shift(), analysesOf(c.K, n)
	epochs := func(rep int) func(int) [][]float64 {
		return c.epochs(source(DefaultSeed, fmt.Sprintf("case/%s/%s/%d/%d", c.Group, c.What, c.K, n), rep), shift)
	}
	made := outcomes(repeat(ctx, runs, func(rep int) played {
		x := &comparison{truth: c.logs, analyses: analyses, next: epochs(rep), between: c.between}
		x.play()
		return x.see()
	}))
	at := CaseAt{Group: c.Group, What: c.What, K: c.K, N: n, Runs: runs, Error: made.False(), Holds: made.Holds(),
		Early:      made.rate(func(p *played) bool { return p.early }),
		Equivalent: made.rate(func(p *played) bool { return p.equivalent }), Epochs: made.Epochs(),
		Found: made.Found(analyses, n), At3: made.Found(analyses, 3), At5: made.Found(analyses, 5)}
	for _, p := range made {
		at.Same.Of, at.Same.Hits = at.Same.Of+p.equal, at.Same.Hits+p.equivalentPairs
	}
	if c.between != nil {
		at.elsewhere(c, made)
	}
	if c.rho > 0 {
		at.Warned = count(repeat(ctx, runs, func(rep int) bool {
			all := &comparison{truth: c.logs, next: epochs(rep)}
			all.extend(n)
			return stats.SerialOf(all.d).Shown
		}), func(warned bool) bool { return warned })
	}
	return at
}

// simulateCases simulates all cases that have fewer than runs, quickest first. It calls keep with each
// result.
func simulateCases(ctx context.Context, all []Case, runs int, keep func(CaseAt) error) error {
	type step struct{ c, at int }
	var left []step
	cost := func(s step) int { return all[s.c].K * all[s.c].K << min(12, all[s.c].At[s.at].N) }
	for i := range all {
		for j, at := range all[i].At {
			if at.Runs < runs {
				left = append(left, step{i, j})
			}
		}
	}
	slices.SortStableFunc(left, func(a, b step) int { return cmp.Compare(cost(a), cost(b)) })
	for _, s := range left {
		c := &all[s.c]
		at := c.simulate(ctx, runs, c.At[s.at].N)
		if err := ctx.Err(); err != nil { // some runs are missing
			return err
		}
		if err := keep(at); err != nil {
			return err
		}
		c.At[s.at] = at
	}
	return nil
}

// readCases returns all cases, with the results in a cases.jsonl; name is for errors.
func readCases(r io.Reader, name string) ([]Case, error) {
	all := cases()
	_, err := readLines(r, name, func(at *CaseAt) error {
		for i := range all {
			c := &all[i]
			if j := slices.Index(caseEpochs(c.Group), at.N); j >= 0 && c.Group == at.Group && c.What == at.What &&
				c.K == at.K {
				c.At[j] = *at
				return nil
			}
		}
		return fmt.Errorf("no case %s, %s, of %d servers and %d epochs; delete the line", at.Group, at.What, at.K, at.N)
	})
	return all, err
}
