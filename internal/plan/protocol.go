package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dyno/internal/checks"
	"dyno/internal/result"
)

// Protocol is a way to measure. Each protocol is one type in its own file. It sets the times,
// orders the trials, estimates the cost and decides when to stop. Its Traits hold everything else
// that depends on the protocol.
type Protocol interface {
	Traits() *Traits

	// Words returns a sentence about the cost of a run of the plan, before it begins.
	Words(p *result.Plan, c *Cost) string

	// levels sets in p the levels of the question that it measures.
	levels(p *result.Plan, q *Question)
	// arrange sets rounds, epochs, times and budget.
	arrange(p *result.Plan, r *Request, q *Question, pr *profile)
	// trial is the level of a trial and its length, ns; false: there is none.
	trial(run *result.Run, k result.Key, e slot) (result.Level, int64, bool)
	// stop returns, after an epoch, why the run ends; "" if it continues.
	stop(run *result.Run, epoch int, decided func() bool) Stop
	// estimate refuses a budget that reaches no end.
	estimate(p *result.Plan) (Cost, error)
	// loads is the time of an epoch without starts and warm-ups.
	loads(p *result.Plan, epoch int, extras []slot) time.Duration
}

// Traits are the properties of a protocol, for the code that carries out its plans and judges its
// runs.
type Traits struct {
	Name    string         // in flags and plans
	Title   string         // in sentences
	Kind    checks.RunKind // of its runs, which are judged and reported by it
	Flags   []string       // of a run, of those that not every protocol has
	Decides bool           // pairs are decided at interim analyses; else the run is carried out whole, without verdicts
	Levels  bool           // several connections, delays or records may be asked for at once
	Ratios  bool           // nothing without ratios to the reference
	Alone   bool           // each load has its own process: in the requested order, without warm-up and repeats
}

// The protocols, by their names in plans.
const (
	Paired  = "paired"
	Sweep   = "sweep"
	Search  = "search"
	Classic = "classic"
)

var protocols = []Protocol{paired{}, sweep{}, search{}, classic{}}

// Names returns the names of the protocols, as in flags.
func Names() (names []string) {
	for _, p := range protocols {
		names = append(names, p.Traits().Name)
	}
	return names
}

// Of returns the protocol of a plan: the paired one where it names none.
func Of(p *result.Plan) Protocol {
	for _, protocol := range protocols {
		if protocol.Traits().Name == p.Protocol {
			return protocol
		}
	}
	return paired{}
}

// Check returns an error that names the key of a plan without which its protocol cannot be carried out
// or judged.
func Check(p *result.Plan) error {
	switch t := Of(p).Traits(); {
	case t.Name != p.Protocol:
		return fmt.Errorf("plan.protocol is %q; it must be one of %s", p.Protocol, strings.Join(Names(), ", "))
	case t.Name == Search && p.SLO == nil:
		return fmt.Errorf("plan.slo is absent; a %s needs its objective", t.Title)
	case t.Decides && (len(p.Analyses) == 0 || p.Rounds == 0):
		return fmt.Errorf("plan.interim_analyses has %d entries and plan.rounds is %d; a %s needs both",
			len(p.Analyses), p.Rounds, t.Title)
	case t.Decides && epochsUntil(p, slices.Max(p.Analyses)) > mostEpochs:
		return fmt.Errorf("plan.interim_analyses and plan.levels ask for %d epochs; at most %d are read",
			epochsUntil(p, slices.Max(p.Analyses)), mostEpochs)
	case t.Decides:
		return checkPairs(p)
	}
	return nil
}

// mostEpochs is how many a plan may ask for: no record has a later one.
const mostEpochs = 10_000

// named returns the protocol that a flag names.
func named(name string) (Protocol, error) {
	for _, protocol := range protocols {
		if protocol.Traits().Name == name {
			return protocol, nil
		}
	}
	return nil, refuse("--protocol %q: want one of %s", name, strings.Join(Names(), ", "))
}

// having returns the names of the protocols that have a flag.
func having(flag string) (names []string) {
	for _, p := range protocols {
		if t := p.Traits(); slices.Contains(t.Flags, flag) {
			names = append(names, t.Name)
		}
	}
	return names
}

func decides(p *result.Plan) bool { return Of(p).Traits().Decides }
func alone(p *result.Plan) bool   { return Of(p).Traits().Alone }

// plain implements the methods that most protocols share: trials as planned.
type plain struct{}

// trial sets the rate of the level, if the plan gives it as a share.
func (plain) trial(run *result.Run, _ result.Key, e slot) (result.Level, int64, bool) {
	var ok bool
	e.level, ok = resolve(run, e)
	return e.level, trialOf(&run.Plan, e), ok
}

func (plain) loads(p *result.Plan, epoch int, extra []slot) time.Duration {
	return estimateLoads(p, epoch, extra)
}

// whole implements the methods of protocols that are carried out completely, instead of until every
// pair is decided. Their budget is the time that they take.
type whole struct{ plain }

const wholeBudget = 24 * time.Hour

func (whole) levels(*result.Plan, *Question) {}

func (whole) stop(run *result.Run, epoch int, _ func() bool) Stop {
	if p := &run.Plan; epoch+1 >= p.Pilots+p.Epochs*len(parts(p)) {
		return Done
	}
	return overspent(run)
}

// estimate returns the cost of all epochs.
func (whole) estimate(p *result.Plan) (Cost, error) {
	c := Cost{Epochs: epochsUntil(p, p.Epochs), Whole: verifyEstimate(p)}
	c.add(p, 0)
	if least := ceil(time.Duration(float64(c.Whole)/(1-reserve)), 10*time.Second); least > time.Duration(p.BudgetNS) {
		return c, refuse("a budget of %v is too small: %d trials at %d levels take about %v; pass --budget %v or "+
			"more, or fewer levels or contestants",
			time.Duration(p.BudgetNS), c.Trials, max(len(p.Levels), 1), c.Whole.Round(time.Second), least)
	}
	return c, nil
}
