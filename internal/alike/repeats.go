package alike

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/load"
	"dyno/internal/scenario"
)

// rows are one side's answers to a request, as values by place: before the load, to Ask and in
// turn, and under load.
type rows struct{ before, inTurn, load []values }

// varied judges how values repeat in the bodies and headers of the answers to one request.
func (j *juror) varied(index int) {
	bodies, heads := map[string]*rows{}, map[string]*rows{}
	for _, name := range j.names {
		e := j.all[name]
		first := e.first(index)
		if first == nil || j.out[name].Wrong != nil {
			continue
		}
		before, inTurn := j.before(e, index), j.inTurn(e.side.inTurn, index)
		read := func(sample []load.Sampled, into map[string]*rows, of func(x *load.Sampled) values) {
			r := &rows{before: before, inTurn: inTurn}
			for i := range sample {
				if sample[i].Index == index && !sample[i].Cut {
					r.load = append(r.load, of(&sample[i]))
				}
			}
			into[name] = r
		}
		if !j.sides.Allowed.body {
			read(e.blended, bodies, func(x *load.Sampled) values { return j.valuesOf(first, x.Body) })
		}
		read(e.heads, heads, func(x *load.Sampled) values {
			vs := values{}
			j.addFields(vs, x.Fields, toHead(first))
			return vs
		})
	}
	j.repeated(index, bodies)
	j.repeated(index, heads)
}

// blend makes one sample from kept and odd, in proportion to the numbers of answers that had the
// expected shape and that had not.
func (e *evidence) blend(fits, odds int64) {
	e.fits, e.odds = fits, odds
	share := func(of []load.Sampled, all int64) float64 {
		if all == 0 {
			return 1
		}
		return float64(len(of)) / float64(all)
	}
	least := min(share(e.kept, fits), share(e.odd, odds))
	e.blended = slices.Concat(some(e.kept, int(least*float64(fits)+.5)), some(e.odd, int(least*float64(odds)+.5)))
}

// inTurn returns the values of the answers to the request at index.
func (j *juror) inTurn(all []scenario.Answer, index int) (out []values) {
	for k := range all {
		if all[k].Index == index && len(out) < mostRows {
			out = append(out, j.places(&all[k]))
		}
	}
	return out
}

// afterwards returns the values in a side's answers to Scenario.InTurn after the epoch's loads.
func (j *juror) afterwards(name string, index int) []values {
	e := j.all[name]
	if e.now == nil {
		e.now, _ = j.again(name, InTurn)
	}
	return j.inTurn(e.now, index)
}

const (
	mostRows    = 1024 // answers in turn whose values are compared
	fewestEarly = 100  // number of answers before the load that count as the first ones

	// fewestBefore is the smallest number of answers before the load that show how values vary.
	fewestBefore = 10

	// byChance is the probability below which a difference between two samples is no chance.
	byChance = 1e-9
)

// repeated fails each side whose values at a place repeat under load: as rows drawn from a few do, or
// a clock that stands still. It blames a side if its values
//
//   - are most often the same one, although all before the load were different, and the other side's
//     move on; or
//   - repeat more often than the other side's, more than by chance, and than its own before the load,
//     when both sides' values repeated alike. They must do so again in the answers to the same requests
//     after the load, which excludes clocks, queues and durations.
func (j *juror) repeated(index int, all map[string]*rows) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, other := range slices.Sorted(maps.Keys(all)) {
			places := placesOf(all[name].load)
			for _, at := range places {
				if name != other && (still(all[name], at) && !still(all[other], at) ||
					j.fewer(index, at, name, other, all, byChance/float64(len(places)))) {
					got, theirs := column(all[name].load, at), column(all[other].load, at)
					j.blame(name, fmt.Errorf("under load its values at %s in the answers to %s repeat more than those of %s, and "+
						"more than before: %s; the other's %s", at, j.all[name].first(index).Sent, other, summary(got),
						summary(theirs)))
				}
			}
		}
	}
}

// still reports whether most values at a place under load are the same, though all before the load were
// different. A value that moves in steps is not still, such as a clock in milliseconds while many
// requests are in flight.
func still(r *rows, at string) bool {
	before, got := column(r.before, at), column(r.load, at)
	return len(got) >= fewestRepeated && len(before) >= fewestBefore && different(before) == len(before) &&
		slices.Max(slices.Collect(maps.Values(count(got)))) > len(got)/2
}

// fewer reports whether a side has fewer different values at a place than another side and than before the
// load, but by chance with a probability below limit.
func (j *juror) fewer(index int, at, name, other string, all map[string]*rows, limit float64) bool {
	was := func(name string) []string {
		if r := all[name]; len(r.inTurn) >= fewestRepeated {
			return column(r.inTurn, at)
		}
		return column(all[name].before, at)
	}
	mine, theirs, mineWas, theirsWas := column(all[name].load, at), column(all[other].load, at), was(name), was(other)
	more := func(x, y []string, limit float64) bool {
		return byRepeats(x, y, leastShare(at, mineWas, theirsWas)) < limit
	}
	if min(len(mine), len(theirs)) < fewestRepeated || min(len(mineWas), len(theirsWas)) < fewestBefore ||
		!more(mine, theirs, limit) || !more(mine, mineWas, .001) || more(mineWas, theirsWas, .001) {
		return false
	}
	return j.again == nil || more(column(j.afterwards(name, index), at), column(j.afterwards(other, index), at),
		byChance*1000)
}

// byRepeats returns the probability that values in x repeat as much more often than those in y by chance, in
// samples of equal size (Fisher's exact test). Shares of different elements repeat elements if they are below
// least.
func byRepeats(x, y []string, least float64) float64 {
	n := min(len(x), len(y))
	repeats := func(all []string) (m int) {
		if least == 0 {
			return len(all) - different(all)
		}
		for _, v := range all {
			if share, err := strconv.ParseFloat(v, 64); err == nil && share < least {
				m++
			}
		}
		return m
	}
	return byLot(repeats(some(x, n)), n, repeats(some(y, n)), n)
}

// leastShare returns the least share of different elements in lists before the load; 0 if the place is not that of a
// list's elements.
func leastShare(at string, before ...[]string) float64 {
	if !strings.HasSuffix(at, elements) {
		return 0
	}
	least := math.Inf(1)
	for _, v := range slices.Concat(before...) {
		if share, err := strconv.ParseFloat(v, 64); err == nil {
			least = min(least, share)
		}
	}
	return least
}

// summary shows no value: it may be secret.
func summary(all []string) string {
	return fmt.Sprintf("%d different values in %d sampled answers", different(all), len(all))
}

func count(all []string) map[string]int {
	n := map[string]int{}
	for _, v := range all {
		n[v]++
	}
	return n
}

func different(all []string) int { return len(count(all)) }
