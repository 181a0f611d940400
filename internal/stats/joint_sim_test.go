package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// lastAlpha and earlyAlpha are the levels of the last analysis and of each early one.
const (
	lastAlpha  = .04
	earlyAlpha = .005
)

// simCase are servers in noise. draw gives an epoch's log of a server less its truth, whose location is 0.
type simCase struct {
	name   string
	k, n   int
	logs   []float64 // nil: all equal
	draw   func(rng *rand.Rand, server int) float64
	rho    float64 // of each server's starts with those before
	centre string  // "mean" or "location": server 0 is shifted so that this is 0 against an other
	err    float64 // most runs, %, in which equal servers are told apart
	holds  float64 // fewest runs, %, in which all intervals hold
}

// simMargin is the log of the margin of equivalence: the distance of the servers of "at the margin".
const simMargin = .0295588

// simResult counts runs.
type simResult struct {
	runs, err, early, holds, warned int // early: errors before the last analysis
	pairs, found, at3, at5          int // that are unequal; of these told apart, by epoch 3, by epoch 5
	alike                           int // runs in which a pair at the margin or beyond was called equivalent
	same, sameFound                 int // equal pairs; of these called equivalent
	epochs                          int // until all pairs are decided, at most n
}

func jitter(rng *rand.Rand) float64 { return .004 * studentT(rng, 4) }

// studentT draws from Student's t.
func studentT(rng *rand.Rand, df int) float64 {
	s := 0.
	for range df {
		z := rng.NormFloat64()
		s += z * z
	}
	return rng.NormFloat64() / math.Sqrt(s/float64(df))
}

// starts are the distributions of starts: of all servers, or of server 0 alone, the others being normal.
var starts = map[string]func(rng *rand.Rand) float64{
	"normal":      func(rng *rand.Rand) float64 { return .02 * rng.NormFloat64() },
	"quiet":       func(rng *rand.Rand) float64 { return .008 * rng.NormFloat64() },
	"exponential": func(rng *rand.Rand) float64 { return .02 - .02*rng.ExpFloat64() },
	"bimodal":     func(rng *rand.Rand) float64 { return .004*rng.NormFloat64() - share(rng, .3, .06) + .018 },
	"rare":        func(rng *rand.Rand) float64 { return .02*rng.NormFloat64() - share(rng, .08, .15) },
	"t3":          func(rng *rand.Rand) float64 { return .02 / math.Sqrt(3) * studentT(rng, 3) },
	"3 x noisy":   func(rng *rand.Rand) float64 { return .06 * rng.NormFloat64() },
	"sd 6%":       func(rng *rand.Rand) float64 { return .06 / math.Sqrt2 * rng.NormFloat64() },
	"sd 10%":      func(rng *rand.Rand) float64 { return .1 / math.Sqrt2 * rng.NormFloat64() },
}

func share(rng *rand.Rand, p, by float64) float64 {
	if rng.Float64() < p {
		return by
	}
	return 0
}

func all(kind string) func(*rand.Rand, int) float64 {
	return func(rng *rand.Rand, _ int) float64 { return starts[kind](rng) }
}

func only(servers int, kind string) func(*rand.Rand, int) float64 {
	return func(rng *rand.Rand, server int) float64 {
		if server < servers {
			return starts[kind](rng)
		}
		return starts["normal"](rng)
	}
}

// effects are the logs of k servers.
func effects(k int, kind string) []float64 {
	logs := make([]float64, k)
	for i := range logs {
		switch {
		case kind == "one +5%" && i == 0, kind == "halves +5%" && i < k/2, kind == "groups" && i%3 == 1:
			logs[i] = math.Log(1.05)
		case kind == "one 2x" && i == 0, kind == "halves 2x" && i < k/2, kind == "groups" && i%3 == 2:
			logs[i] = math.Log(2)
		case kind == "at the margin" && i == 0, kind == "halves at the margin" && i < k/2:
			logs[i] = simMargin
		case kind == "one +10%" && i == 0:
			logs[i] = math.Log(1.1)
		case kind == "one +20%" && i == 0:
			logs[i] = math.Log(1.2)
		case kind == "two equal noisy" && i >= 2:
			logs[i] = .1 * float64(i-1)
		}
	}
	return logs
}

func simCases() (cases []simCase) {
	add := func(err, holds float64, c simCase) {
		c.err, c.holds = err, holds
		for _, n := range []int{8, 10, 16} {
			if c.n == 0 || c.n == n {
				d := c
				d.n = n
				d.name = fmt.Sprintf("%s, k=%d, n=%d", c.name, c.k, n)
				cases = append(cases, d)
			}
		}
	}
	normal := all("normal")
	for _, k := range []int{2, 3, 8, 20} {
		add(5.5, 94, simCase{name: "i: all equal", k: k, draw: normal})
	}
	for _, k := range []int{2, 3, 8} {
		for _, e := range []string{"one +5%", "one 2x", "halves +5%", "halves 2x", "groups"} {
			if k > 3 || e[0] == 'o' || k == 3 && e == "groups" {
				add(5.5, 94, simCase{name: "ii: " + e, k: k, logs: effects(k, e), draw: normal})
			}
		}
		if k > 2 {
			add(5.5, 94, simCase{name: "ii: two equal noisy", k: k, logs: effects(k, "two equal noisy"),
				draw: only(2, "3 x noisy")})
		}
	}
	for _, k := range []int{2, 3, 8} {
		for _, e := range []string{"alone", "halves 2x"} {
			if e != "alone" && k < 4 {
				continue
			}
			for _, kind := range []string{"exponential", "bimodal", "t3", "rare"} {
				add(6.5, 93.5, simCase{name: "iii: all " + kind + ", " + e, k: k, logs: effects(k, e), draw: all(kind)})
				for _, centre := range []string{"mean", "location"} {
					if kind != "t3" {
						add(6.5, 93.5, simCase{name: "iii: one " + kind + " (" + centre + " equal), " + e, k: k,
							logs: effects(k, e), draw: only(1, kind), centre: centre})
					}
				}
			}
			add(6.5, 93.5, simCase{name: "iii: one 3 x noisy, " + e, k: k, logs: effects(k, e), draw: only(1, "3 x noisy")})
		}
		add(5.5, 94, simCase{name: "v: rare, one +5%", k: k, logs: effects(k, "one +5%"), draw: all("rare")})
		for _, rho := range []float64{.3, .5} {
			add(100, 0, simCase{name: fmt.Sprintf("iv: AR(%v)", rho), k: k, draw: normal, rho: rho})
		}
		for _, kind := range []string{"normal", "bimodal", "exponential", "quiet"} {
			c := simCase{name: "equivalent: one at the margin, " + kind, k: k, logs: effects(k, "at the margin"), draw: all(kind)}
			add(5.5, 94, c)
			c.name, c.draw, c.centre = "equivalent: one at the margin, it alone "+kind+" (mean)", only(1, kind), "mean"
			add(6.5, 93.5, c)
		}
		for _, e := range []string{"one +10%", "one +20%"} {
			add(5.5, 94, simCase{name: "vi: " + e, k: k, logs: effects(k, e), draw: normal})
		}
		for _, kind := range []string{"bimodal", "sd 6%", "sd 10%"} {
			add(100, 0, simCase{name: "vi: one " + kind, k: k, n: 8, draw: only(1, kind)})
			add(100, 0, simCase{name: "vi: all " + kind, k: k, n: 8, draw: all(kind)})
		}
	}
	for _, e := range []string{"one +5%", "halves 2x"} {
		add(5.5, 94, simCase{name: "ii: " + e, k: 20, logs: effects(20, e), draw: normal})
	}
	return cases
}

// epochs draws the logs of an epoch for each server, by epoch.
func (c *simCase) epochs(rng *rand.Rand, n int, shift float64) [][]float64 {
	rows := make([][]float64, n)
	last := make([]float64, c.k)
	for e := range rows {
		rows[e] = make([]float64, c.k)
		for i := range c.k {
			v := c.draw(rng, i)
			if e > 0 {
				v = c.rho*last[i] + math.Sqrt(1-c.rho*c.rho)*v
			}
			last[i] = v
			rows[e][i] = v + jitter(rng)
			if c.logs != nil {
				rows[e][i] += c.logs[i]
			}
			if i == 0 {
				rows[e][i] -= shift
			}
		}
	}
	return rows
}

// shift is by how much server 0 is off where another is at 0, of so many draws.
func (c *simCase) shift() float64 {
	if c.centre == "" {
		return 0
	}
	rng := rand.New(rand.NewPCG(11, 12))
	plain := simCase{k: max(c.k, 2), draw: c.draw}
	js, _ := locate(pairsOf(plain.epochs(rng, 200_000, 0)))
	if c.centre == "mean" {
		return js[0].Mean
	}
	return js[0].Log
}

func until(d [][]float64, n int) [][]float64 {
	out := make([][]float64, len(d))
	for i, x := range d {
		out[i] = x[:n]
	}
	return out
}

// run plays the case: early analyses, then the last one, until all pairs are told apart.
func (c *simCase) run(runs int) *simResult {
	r := &simResult{runs: runs}
	shift, pairs := c.shift(), Couples(c.k)
	truth := make([]float64, len(pairs))
	for i, pair := range pairs {
		if c.logs != nil {
			truth[i] = c.logs[pair[0]] - c.logs[pair[1]]
		}
	}
	for run := range runs {
		d := pairsOf(c.epochs(rand.New(rand.NewPCG(uint64(run), uint64(c.n)<<32+uint64(c.k))), c.n, shift))
		different, left, js := make([]bool, len(d)), len(d), []Judged(nil)
		for _, at := range []int{3, 5, c.n} {
			if left == 0 {
				break
			}
			if at == c.n {
				js = Joint(d, lastAlpha, SerialSpread(d))
			} else {
				js = Early(until(d, at), earlyAlpha, .08)
			}
			early := false
			for i, j := range js {
				if j.Different && !different[i] {
					different[i], left = true, left-1
					if truth[i] != 0 {
						r.at3, r.at5 = r.at3+bit(at == 3), r.at5+bit(at <= 5)
						r.found += bit(j.Log > 0 == (truth[i] > 0))
					}
					early = early || truth[i] == 0 && at < c.n
				}
			}
			r.early += bit(early)
			if left == 0 || at == c.n {
				r.epochs += at
			}
		}
		holds, wrong := true, false
		for i, j := range js {
			lo, hi := j.Interval()
			holds = holds && lo <= truth[i]+1e-12 && truth[i]-1e-12 <= hi
			if truth[i] == 0 {
				wrong = wrong || different[i]
			} else {
				r.pairs++
			}
		}
		r.holds, r.err = r.holds+bit(holds), r.err+bit(wrong)
		alike := false
		for i, j := range js {
			now := j.Equivalent(math.Expm1(simMargin))
			if truth[i] == 0 {
				r.same, r.sameFound = r.same+1, r.sameFound+bit(now)
			} else if math.Abs(truth[i]) >= simMargin-1e-9 {
				alike = alike || now
			}
		}
		r.alike += bit(alike)
		if c.rho > 0 {
			_, p := SerialTest(d, 199, 1)
			r.warned += bit(p <= .05)
		}
	}
	return r
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestJointSimulated counts errors. DYNO_SIM selects the cases by a regular expression, or all of them;
// DYNO_SIM_RUNS says how many runs each has.
func TestJointSimulated(t *testing.T) {
	runs, slack := 200, 6. // of few runs the limits are loose
	which := regexp.MustCompile(`^i: all equal, k=[28], n=8|^ii: halves 2x, k=8, n=10`)
	if s := os.Getenv("DYNO_SIM"); s != "" {
		runs, slack = 10_000, .0
		if which = regexp.MustCompile(s); s == "all" {
			which = regexp.MustCompile("")
		}
	}
	if v, err := strconv.Atoi(os.Getenv("DYNO_SIM_RUNS")); err == nil {
		runs = v
	}
	for _, c := range simCases() {
		if !which.MatchString(c.name) {
			continue
		}
		r := c.run(runs)
		percent := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
		err, holds := percent(r.err, runs), percent(r.holds, runs)
		verdict := "ok"
		if err > c.err+slack || holds < c.holds-slack {
			verdict = "MISSED"
			t.Errorf("%s: equal servers told apart in %.2f %% of runs, all intervals hold in %.2f %%", c.name, err, holds)
		}
		row := fmt.Sprintf("| %s | %.2f | %.2f | %.2f", c.name, err, percent(r.early, runs), holds)
		if r.pairs > 0 {
			row += fmt.Sprintf(" | %.1f | %.1f | %.1f | %.1f", percent(r.found, r.pairs), percent(r.at3, r.pairs),
				percent(r.at5, r.pairs), float64(r.epochs)/float64(runs))
		}
		if c.name[0] == 'e' {
			row += fmt.Sprintf(" | falsely equivalent %.2f, equal ones found %.1f", percent(r.alike, runs),
				percent(r.sameFound, r.same))
		}
		if c.rho > 0 {
			row += fmt.Sprintf(" | warned %.1f", percent(r.warned, runs))
		}
		fmt.Println(row, "|", verdict)
	}
}
