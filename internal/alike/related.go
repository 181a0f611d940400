package alike

import (
	"fmt"
	"maps"
	"slices"
)

// mostRelated is the number of places of the answers to one request of which any two may go together.
const mostRelated = 64

// related judges what goes together in the answers to one request: on one side a value decides another one, as
// the id of a row decides the name, and the name or the request decide an ETag. Answers with the same value at
// one place are put in pairs, each answer in at most one. On another side pairs have the same value at the other
// place, too, in all but 1 of 100, and more often than answers whatever they are. A side is wrong if before
// the load no such pair of either side was unlike, of its own in the first answers, and under it more are unlike than
// chance explains (Fisher's exact test).
// Values that move with time, such as clocks, decide nothing.
func (j *judge) related(index int, all map[string]*rows) {
	for _, other := range slices.Sorted(maps.Keys(all)) {
		theirs := all[other].load
		at := placesOf(theirs)
		at = slices.DeleteFunc(at[:min(len(at), mostRelated)], func(p string) bool {
			values := column(theirs, p)
			return !steady(values[:len(values)/2], values[len(values)/2:])
		})
		whatever := pairs(theirs, "")
		was := func(name, p, q string, most int) int { // unlike pairs before the load, in up to so many answers in turn
			inTurn := all[name].inTurn
			n, _ := unequal(pairs(slices.Concat(all[name].before, inTurn[:min(len(inTurn), most)]), p), q)
			return n
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for _, p := range at {
				mine, same := pairs(all[name].load, p), pairs(theirs, p)
				for _, q := range at {
					m, of := unequal(same, q)
					if n, all := unequal(whatever, q); p == q || of < fewestPairs || m*100 > of*fewLack ||
						byLot(n, all, m, of) >= byChance {
						continue
					}
					if n, all := unequal(mine, q); name != other && byLot(n, all, m, of) < byChance &&
						was(name, p, q, fewestEarly) == 0 && was(other, p, q, mostRows) == 0 {
						j.blame(name, fmt.Errorf("under load its answers to %s that were alike in %s differed in %s, in %d of %d "+
							"pairs of sampled answers; those of %s in %d of %d", j.all[name].first(index).Sent, p, q, n, all,
							other, m, of))
					}
				}
			}
		}
	}
}

// pairs returns pairs of rows with the same value at a place, far from each other; no row is in two of them.
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

// unequal counts the pairs that have other values at a place, of those that have values there.
func unequal(all [][2]values, at string) (n, of int) {
	for _, pair := range all {
		v, ok := pair[0][at]
		w, both := pair[1][at]
		if ok && both {
			if of++; v != w {
				n++
			}
		}
	}
	return n, of
}
