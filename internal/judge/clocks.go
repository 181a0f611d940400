package judge

import (
	"fmt"
	"math"

	"dyno/internal/document"
	"dyno/internal/record"
)

// rateWarn and rateFail limit how much a generator's clock may be faster or slower than the
// controller's. Quartz clocks are specified to 100 ppm; a clock further off is being set, or is
// defective. The bounds on starts allow for 500 ppm, the limit that Linux sets NTP (machine.Drift).
const (
	rateWarn, rateFail = 100e-6, 500e-6
	rateKnown          = 20e-6 // largest bound at which a rate counts as known
)

// clockRate is the relative excess of a generator's clock rate over the controller's, ± bound.
type clockRate struct {
	generator   string
	rate, bound float64
}

// least returns the smallest size, in either direction, that the rate may have.
func (r clockRate) least() float64 { return math.Abs(r.rate) - r.bound }

func rateBetween(a, b *record.LoadPart) clockRate {
	passed := float64(max(b.AtNS-a.AtNS, 1))
	return clockRate{b.Generator, float64(b.ClockNS-a.ClockNS)/passed - 1, float64(a.BoundNS+b.BoundNS) / passed}
}

// readingsOf returns the clock readings at the starts of loads, by generator and session.
func readingsOf(trials []*record.Trial) (all [][]*record.LoadPart) {
	index := map[[2]string]int{}
	for i := range trials {
		for k := range trials[i].Load.Parts {
			p := &trials[i].Load.Parts[k]
			key := [2]string{p.Generator, p.Session}
			if p.Session == "" {
				continue // recorded before clocks were
			}
			if _, known := index[key]; !known {
				index[key] = len(all)
				all = append(all, nil)
			}
			all[index[key]] = append(all[index[key]], p)
		}
	}
	return all
}

// clockRates checks whether the generators' clocks ran as fast as the controller's. A load from one
// machine has no such finding.
func clockRates(c *Check, e *Evidence) []Finding {
	off := clockRate{bound: math.Inf(1)} // the rate that is certainly off by the most
	see := func(r clockRate) {
		if r.least() > off.least() {
			off = r
		}
	}
	best := map[string]clockRate{} // by generator, the best known rate
	for _, r := range readingsOf(e.Run.Trials) {
		from := 0
		for i := 1; i < len(r); i++ {
			see(rateBetween(r[i-1], r[i])) // detects a clock that was stepped or stopped
			if rate := rateBetween(r[from], r[i]); rate.bound <= rateKnown {
				from = i
				see(rate)
			}
		}
		if rate := rateBetween(r[0], r[len(r)-1]); len(r) > 1 {
			if was, known := best[rate.generator]; !known || rate.bound < was.bound {
				best[rate.generator] = rate
			}
		}
	}
	if len(best) == 0 {
		return nil
	}
	var most clockRate
	for _, rate := range best {
		see(rate)
		if math.Abs(rate.rate)+rate.bound > math.Abs(most.rate)+most.bound {
			most = rate
		}
	}
	ppm := func(x float64) string { return document.Whole(int64(math.Ceil(1e6*x))) + " ppm" }
	state := c.Limits[0].Grade(off.least())
	switch name := document.Clean(off.generator); {
	case state == Fail:
		return []Finding{{State: state, Text: fmt.Sprintf("the clock of %s ran %s off the controller's, or was stepped or "+
			"stopped: when its loads began is not known", name, ppm(math.Abs(off.rate)))}}
	case state == Warn:
		return []Finding{{State: state, Text: fmt.Sprintf("the clock of %s ran %s off the controller's, more than a "+
			"quartz does", name, ppm(math.Abs(off.rate)))}}
	}
	within := math.Abs(most.rate) + most.bound
	text := fmt.Sprintf("the generators' clocks run within %s of the controller's", ppm(within))
	if within > c.Limits[0].Warn {
		return []Finding{{State: CannotTell, Text: text + ": in so short a run no more is known"}}
	}
	return []Finding{{State: Pass, Text: text}}
}
