package plan

import (
	"fmt"
	"slices"
	"time"

	"dyno/internal/document"
	"dyno/internal/record"
)

// OpenRate is a requested open-loop rate: a number, or a share of a capacity that the pilots
// measure, each contestant's own or the slowest contestant's.
type OpenRate struct {
	PerSec float64
	Share  float64
	Own    bool
}

// CommonShare times the slowest contestant's capacity is the common rate, unless the request
// gives a number.
const CommonShare = 0.7

// at returns a level as an open loop at the rate.
func (r OpenRate) at(l record.Level) record.Level {
	l.RatePerSec, l.RateShare, l.OwnRate = r.PerSec, r.Share, r.Own
	return l
}

// openLongest limits the time in which an open loop collects record.OpenRequests requests.
const (
	openLongest = 10 * time.Second
	openStep    = 500 * time.Millisecond
)

// addRates adds the requested open loops to a question: at the requested levels, or else at the
// study's first. Nothing is decided there.
func (r *Request) addRates(q *Question, asked int) error {
	if len(r.Rates) == 0 {
		return nil
	}
	if q.Fresh {
		return refuse("--rate: the processes of this study are new for each load, of a number of requests; omit it")
	}
	names := q.LevelNames != nil
	for i, l := range slices.Clone(q.Levels[:asked]) {
		for _, rate := range r.Rates {
			if q.Levels = append(q.Levels, rate.at(l)); names {
				q.LevelNames = append(q.LevelNames, "")
			}
			for _, c := range slices.Clone(q.Cells) {
				if c.Level == i {
					q.Cells = append(q.Cells, record.Cell{Contestant: c.Contestant, Level: len(q.Levels) - 1})
				}
			}
		}
	}
	return nil
}

// checkRates returns an error for rates that no load can have.
func (r *Request) checkRates(p *record.Plan) error {
	if len(r.Rates) > 0 && isTail(p.Primary) {
		return refuse("--rate: --primary p99 compares at a rate of its own; omit one of them")
	}
	for _, rate := range r.Rates {
		switch {
		case rate.PerSec == 0 && (rate.Share <= 0 || rate.Share >= 1):
			return refuse("--rate %.4g%%: want more than 0%% and less than 100%% of the capacity", 100*rate.Share)
		case rate.PerSec < 0 || rate.PerSec > 10e6:
			return refuse("--rate %.10g: want 1 to 10M requests per second", rate.PerSec)
		}
	}
	return nil
}

// openLoads sets the lengths of a question's open loops. If the request has no budget, they are as
// long as their requests need, and the budget grows accordingly. Otherwise they take no more than
// half the budget, and then may have fewer requests.
func openLoads(p *record.Plan, r *Request, q *Question) {
	if len(q.Levels) < 2 || !slices.ContainsFunc(q.Levels, record.Level.Open) {
		return
	}
	p.Load.OpenNS = int64(openLongest)
	if len(r.Rates) > 0 && r.Budget == 0 {
		p.BudgetNS += int64(ceil(time.Duration(float64(openCost(p))/(1-reserve)), 10*time.Second))
		return
	}
	for openCost(p) > time.Duration(p.BudgetNS/2) && p.Load.OpenNS > int64(openSideTrial) {
		p.Load.OpenNS -= int64(openStep)
	}
}

// openCost returns the total time for all open loops outside the comparisons.
func openCost(p *record.Plan) (sum time.Duration) {
	for i := range parts(p) {
		for _, e := range cellsIn(p, p.Pilots+i, true) {
			if e.level.Open() {
				each := time.Duration(trialOf(p, e)) + around(&record.Run{Plan: *p}, e.Contestant, e.level)
				sum += time.Duration(extraEpochs(p)) * each
			}
		}
	}
	return sum
}

// openTime returns the length of an open loop: until it has OpenRequests, between openSideTrial and
// the plan's longest time. Before its rate is known, it gets the longest. Compared cells get
// openTrial.
func openTime(p *record.Plan, e slot) time.Duration {
	if compared(p, e.Cell) {
		return openTrial
	}
	longest := time.Duration(p.Load.OpenNS)
	if rate := e.level.RatePerSec; rate > 0 {
		needs := time.Duration(record.OpenRequests / rate * 1e9)
		longest = min(longest, ceil(needs, 100*time.Millisecond))
	}
	return max(openSideTrial, longest)
}

// openLast returns 1 for open loops that are long and not compared, else 0. They come after the
// other cells in their round, so that these are loaded within seconds.
func openLast(p *record.Plan, e slot) int {
	if p.Load.OpenNS > 0 && e.level.Open() && !compared(p, e.Cell) {
		return 1
	}
	return 0
}

// openWords says how long the open loops last.
func openWords(p *record.Plan) string {
	if p.Load.OpenNS == 0 {
		return ""
	}
	text := fmt.Sprintf("; open loops of %s requests an epoch, in at most %v each", document.Whole(record.OpenRequests),
		time.Duration(p.Load.OpenNS))
	if p.Load.OpenNS < int64(openLongest) {
		longest := *p
		longest.Load.OpenNS = int64(openLongest)
		text += fmt.Sprintf(", as the budget allows: slow contestants have fewer; for %v pass --budget %v", openLongest,
			ceil(2*openCost(&longest), time.Minute))
	}
	return text
}
