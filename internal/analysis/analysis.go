// Package analysis turns trials into cells, paired comparisons, tiers and verdicts: a function of the trials and a seedless method, so
// that the same file always gives the same bytes.
//
// The unit of inference is the epoch. Within it two contestants are compared round by round, so that the machine's drift falls on both;
// the median over its rounds of the log ratio is the epoch's one value (method.md §2.4).
package analysis

import "dyno/internal/result"

// Metric is a measured property of a contestant, in base units.
type Metric struct {
	Name  string // key in JSON: throughput, cpu_per_request, p50, memory
	Title string
	Unit  string                              // of the value: "1/s", "ns", "bytes"
	More  bool                                // bigger is better
	Wall  bool                                // measured by the wall clock: what others do on the machine is in it
	Open  bool                                // of open loops alone: a closed loop has none
	Rare  bool                                // shown of runs that have it
	Told  bool                                // of the machine: more is neither better nor worse, so it is compared with nothing
	Speed bool                                // of one that is warm it stands still from round to round: who still rises is compared with nobody
	Held  bool                                // of runs with fresh processes alone: in others it is of all that the processes carried before, too
	Of    func(*result.Trial) (float64, bool) // false: the trial has no such value

	// Idle is the same of a process that was started and not yet loaded; nil: it has no such value.
	Idle func(*result.Usage) (float64, bool)
}

// Metrics are all that a duel shows, the primary among them.
var Metrics = []Metric{
	{Name: "throughput", Title: "Throughput", Unit: "1/s", Speed: true, More: true, Wall: true, Of: throughput},
	{Name: "cpu_per_request", Title: "CPU per request", Unit: "ns", Speed: true, Of: cpuPerRequest},
	{Name: "p50", Title: "Service time, median", Unit: "ns", Speed: true, Wall: true, Of: p50},
	{Name: "memory", Title: "Memory (PSS)", Unit: "bytes", Of: ofServer(pss), Idle: pss},
	{Name: "response_p50", Title: "Response time, median", Unit: "ns", Speed: true, Wall: true, Open: true, Of: responseP50},
	{Name: "response_p99", Title: "Response time, 99 %", Unit: "ns", Wall: true, Open: true, Of: responseP99},
	{Name: "heap_inuse", Title: "Heap in use", Unit: "bytes", Rare: true, Of: heapInuse},
	{Name: "alloc_per_request", Title: "Allocated per request", Unit: "bytes", Rare: true, Of: allocPerRequest},
	{Name: "instructions_per_request", Title: "Instructions per request", Unit: "instructions", Rare: true, Of: instructions},

	// Of loads of one number of requests.
	{Name: "cpu_time", Title: "CPU time", Unit: "ns", Rare: true, Held: true, Of: ofServer(cpuTime), Idle: cpuTime},
	{Name: "cpu_since_start", Title: "CPU time since the start", Unit: "ns", Rare: true, Held: true, Of: ofServer(cpuSinceStart), Idle: cpuTime},
	{Name: "threads", Title: "Threads", Unit: "threads", Rare: true, Held: true, Of: ofServer(threads), Idle: threads},
	{Name: "sockets", Title: "Open sockets", Unit: "sockets", Rare: true, Held: true, Of: ofServer(sockets), Idle: sockets},
	{Name: "swap_pss", Title: "Swapped (SwapPss)", Unit: "bytes", Rare: true, Held: true, Told: true, Of: ofServer(swapPSS), Idle: swapPSS},

	// Of runs with a companion, which has no CPUs of its own.
	{Name: "server_cpu_share", Title: "CPU of the server", Unit: "share", Rare: true, Told: true, Of: serverShare},
	{Name: "companion_cpu_share", Title: "CPU of the companion", Unit: "share", Rare: true, Told: true, Of: companionShare},
	{Name: "generator_cpu_share", Title: "CPU of the generator", Unit: "share", Rare: true, Told: true, Of: generatorShare},
}

// MetricNamed returns the metric of that name.
func MetricNamed(name string) (Metric, bool) {
	for _, m := range Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

func throughput(t *result.Trial) (float64, bool) {
	return t.Load.PerSec()
}

func cpuPerRequest(t *result.Trial) (float64, bool) {
	if t.Server.CPUNS == nil || *t.Server.CPUNS <= 0 || t.Load.Succeeded == 0 {
		return 0, false
	}
	return float64(*t.Server.CPUNS) / float64(t.Load.Succeeded), true
}

func p50(t *result.Trial) (float64, bool) {
	return float64(t.Load.ServiceP50NS), t.Load.ServiceP50NS > 0
}

// ofServer is what a trial's server used or held.
func ofServer(of func(*result.Usage) (float64, bool)) func(*result.Trial) (float64, bool) {
	return func(t *result.Trial) (float64, bool) { return of(&t.Server) }
}

func pss(u *result.Usage) (float64, bool) { return positive(u.PSSBytes) }

// cpuTime is of the whole load: it can be compared where all loads are of one number of requests.
func cpuTime(u *result.Usage) (float64, bool) { return positive(u.CPUNS) }

func cpuSinceStart(u *result.Usage) (float64, bool) {
	if u.CPUUserTotalNS == nil || u.CPUSystemTotalNS == nil {
		return 0, false
	}
	all := *u.CPUUserTotalNS + *u.CPUSystemTotalNS
	return positive(&all)
}

func threads(u *result.Usage) (float64, bool) { return positive(u.Threads) }

func sockets(u *result.Usage) (float64, bool) { return positive(u.OpenSockets) }

// swapPSS may be 0, and mostly is.
func swapPSS(u *result.Usage) (float64, bool) {
	if u.SwapPSSBytes == nil {
		return 0, false
	}
	return float64(*u.SwapPSSBytes), true
}

func positive(n *int64) (float64, bool) {
	if n == nil || *n <= 0 {
		return 0, false
	}
	return float64(*n), true
}

func heapInuse(t *result.Trial) (float64, bool) {
	if t.Server.HeapInuseBytes == nil {
		return 0, false
	}
	return float64(*t.Server.HeapInuseBytes), true
}

func allocPerRequest(t *result.Trial) (float64, bool) {
	if t.Server.AllocBytes == nil || t.Load.Succeeded == 0 {
		return 0, false
	}
	return float64(*t.Server.AllocBytes) / float64(t.Load.Succeeded), true
}

func responseP50(t *result.Trial) (float64, bool) { return response(&t.Load, .5) }

func responseP99(t *result.Trial) (float64, bool) { return response(&t.Load, .99) }

// response is the quantile q of due -> done, if enough requests lie beyond it and it is more than a lower bound.
func response(l *result.Load, q float64) (float64, bool) {
	ns, most := l.Response(q > .5)
	return float64(ns), most > 0 && float64(most) <= (1+result.Raised)*float64(ns) && Bears(l.Succeeded, q)
}

func instructions(t *result.Trial) (float64, bool) {
	if t.Server.Instructions == nil || *t.Server.Instructions <= 0 || t.Load.Succeeded == 0 {
		return 0, false
	}
	return float64(*t.Server.Instructions) / float64(t.Load.Succeeded), true
}

func serverShare(t *result.Trial) (float64, bool) {
	return shareOf(t, t.Server.CPUNS, t.Causes.ServerCPUs)
}

func companionShare(t *result.Trial) (float64, bool) {
	if t.Companion == nil {
		return 0, false
	}
	return shareOf(t, t.Companion.CPUNS, t.Causes.GeneratorCPUs)
}

func generatorShare(t *result.Trial) (float64, bool) {
	return shareOf(t, t.Generator.CPUNS, t.Causes.GeneratorCPUs)
}

// shareOf is what someone used of so many CPUs in a trial with a companion.
func shareOf(t *result.Trial, used *int64, cpus int) (float64, bool) {
	if t.Companion == nil || used == nil || t.ClocksWall() <= 0 || cpus == 0 {
		return 0, false
	}
	return float64(*used) / float64(t.ClocksWall()) / float64(cpus), true
}

// Verdict is what the data says of a pair.
type Verdict string

// The four verdicts. Negligible is a difference that is certain, and certainly within the margin.
const (
	Different  Verdict = "different"
	Negligible Verdict = "negligible"
	Tie        Verdict = "tie"
	Undecided  Verdict = "undecided"
)

// Estimate is a value with its interval. Lo is -Inf and Hi +Inf (0 and +Inf for ratios) where there are too few epochs.
type Estimate struct {
	Value, Lo, Hi float64
	N             int // epochs
}

// Cell is one contestant under one metric.
type Cell struct {
	Contestant string
	Metric     string
	Level      Estimate // median over epochs of the epoch's median, in the metric's unit; its interval is between epochs, 95 %
	Ratio      Estimate // to the yardstick, Hodges–Lehmann; zero N where there is none
	Absent     string   // why there is no value; empty when there is
}

// Pair compares A with B under one metric: Ratio is A's value over B's.
type Pair struct {
	A, B     string
	AtA, AtB int // levels of the plan: 0 in a run at one
	Metric   string
	Ratio    Estimate
	P        float64 // exact two-sided signed-rank
	Adjusted float64 // Holm
	Verdict  Verdict
	Better   string // A, B or "" unless different or negligible
	BetterAt int    // its level
	Note     string // why a difference that was found is not counted
	Moving   bool   // one of the two still moves over the rounds of an epoch (Analysis.Trends): no verdict stands
}

// CellA is A at its level, CellB is B.
func (p Pair) CellA() result.Cell { return result.Cell{Contestant: p.A, Level: p.AtA} }

// CellB is B at its level.
func (p Pair) CellB() result.Cell { return result.Cell{Contestant: p.B, Level: p.AtB} }

// Leads is 1 where A was found to be the better one, −1 where B was, else 0.
func (p Pair) Leads() int {
	switch {
	case p.Better == "":
		return 0
	case p.Better == p.A && p.BetterAt == p.AtA:
		return 1
	}
	return -1
}

// Turned is the same comparison seen from B.
func (p Pair) Turned() Pair {
	p.A, p.B, p.AtA, p.AtB = p.B, p.A, p.AtB, p.AtA
	p.Ratio = Estimate{Value: 1 / p.Ratio.Value, Lo: 1 / p.Ratio.Hi, Hi: 1 / p.Ratio.Lo, N: p.Ratio.N}
	return p
}

// Place is a contestant's rank under the primary metric. Lo..Hi is its rank interval, from 1.
type Place struct {
	Contestant string
	Tier       int
	Lo, Hi     int
	LowerBound bool   // at the generator's ceiling: never ranked above another
	Struck     string // why it is not ranked, if it is not
}

// Analysis is all that was found. Of a run whose family is named it has no cells, places and shares: those are level by level.
type Analysis struct {
	Primary string
	Epochs  int     // valid, pilots left out; where a family has cells of several delays, those that each of them has
	Look    int     // number of the look at which the run stands, from 1; 0 before the first
	AlphaAt float64 // level of each look
	Margin  float64

	Order   []string // contestants in table order: by tier, alphabetical within it; struck ones last
	Cells   []Cell   // contestants and controls × metrics
	Pairs   []Pair   // of contestants, all metrics: the run's family; controls' own pair stands in Canary
	Places  []Place  // in Order
	Canary  *Pair    // the yardstick against its blinded copy, primary metric
	Trends  []Trend  // of all cells of the family, by the metrics of speed
	Others  []Pair   // the yardstick against further controls (ref+20%), primary metric
	TooBusy bool     // more than VoidLimit of the trials are void: metrics of the wall clock are not ranked

	Shares map[string]float64 // of the generator's ceiling that a contestant reaches, where known
	MDE    float64            // minimum detectable effect of the primary as a share, from the pair spread seen
}

// Cell returns the cell of a contestant under a metric, or nil.
func (a *Analysis) Cell(contestant, metric string) *Cell {
	for i := range a.Cells {
		if c := &a.Cells[i]; c.Contestant == contestant && c.Metric == metric {
			return c
		}
	}
	return nil
}

// Pair returns how x compares with y under a metric, both at the first level, turned round if it was stored the other way; ok is false if they were
// not compared.
func (a *Analysis) Pair(x, y, metric string) (p Pair, ok bool) {
	return a.Compared(at(x), at(y), metric)
}

// Compared is Pair for cells at any level.
func (a *Analysis) Compared(x, y result.Cell, metric string) (p Pair, ok bool) {
	for _, p := range a.Pairs {
		if p.Metric == metric && p.CellA() == x && p.CellB() == y {
			return p, true
		}
		if p.Metric == metric && p.CellA() == y && p.CellB() == x {
			return p.Turned(), true
		}
	}
	return Pair{}, false
}
