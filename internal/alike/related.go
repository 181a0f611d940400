package alike

import (
	"fmt"
	"maps"
	"slices"
)

// mostRelated limits the places per request that related compares pairwise.
const mostRelated = 64

// related judges which values go together in the answers to one request: on one side a value
// decides another one, as a row's id decides the name, and the name or the request decides an ETag.
// Answers with the same value at one place are paired, each answer in at most one pair. On another
// side paired answers also have the same value at the other place, in at least 99 % of the pairs,
// and more often than arbitrary pairs. A side is wrong if no such pair was unlike before the load,
// on either side, and more pairs are unlike under load than chance explains (Fisher's exact test).
// Only its own first answers count before the load. Values that move with time, such as clocks,
// decide nothing.
func (j *juror) related(index int, all map[string]*rows) {
	for _, other := range slices.Sorted(maps.Keys(all)) {
		theirs := all[other].load
		at := placesOf(theirs)
		at = slices.DeleteFunc(at[:min(len(at), mostRelated)], func(p string) bool {
			values := column(theirs, p)
			return !steady(values[:len(values)/2], values[len(values)/2:])
		})
		whatever := pairs(theirs, "")
		was := func(name, p, q string, most int) int { // unlike pairs before the load, among at most so many answers in turn
			inTurn := all[name].inTurn
			n, _ := unequal(pairs(slices.Concat(all[name].before, inTurn[:min(len(inTurn), most)]), p), q)
			return n
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for _, p := range at {
				mine, same := pairs(all[name].load, p), pairs(theirs, p)
				for _, q := range at {
					m, paired := unequal(same, q)
					if n, all := unequal(whatever, q); p == q || paired < fewestPairs || m*100 > paired*fewLack ||
						byLot(n, all, m, paired) >= byChance {
						continue
					}
					if n, all := unequal(mine, q); name != other && byLot(n, all, m, paired) < byChance &&
						was(name, p, q, fewestEarly) == 0 && was(other, p, q, mostRows) == 0 {
						j.blame(name, fmt.Errorf("under load its answers to %s that were alike in %s differed in %s, in %d of %d "+
							"pairs of sampled answers; those of %s in %d of %d", j.all[name].first(index).Sent, p, q, n, all,
							other, m, paired))
					}
				}
			}
		}
	}
}

// pairs pairs rows with the same value at a place, far apart from each other; each row is in at
// most one pair.
func pairs(all []values, at string) (out [][2]values) {
	by := map[string][]values{}
	for _, vs := range all {
		if v, ok := vs[at]; ok || at == "" {
			by[v] = append(by[v], vs)
		}
	}
	for _, same := range by {
		half := len(same) / 2
		for i := range half {
			out = append(out, [2]values{same[i], same[i+half]})
		}
	}
	return out
}

// unequal counts the pairs with values at a place, and among these the pairs whose values differ.
func unequal(all [][2]values, at string) (differ, present int) {
	for _, pair := range all {
		v, ok := pair[0][at]
		w, both := pair[1][at]
		if ok && both {
			if present++; v != w {
				differ++
			}
		}
	}
	return differ, present
}
