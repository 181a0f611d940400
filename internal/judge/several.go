package judge

import (
	"maps"
	"slices"

	"dyno/internal/record"
)

// busiest returns the generator with the busiest event loops, and the share of time that they used;
// "" if one machine made the load.
func busiest(trials []*record.Trial) (name string, most float64) {
	used, had := map[string]float64{}, map[string]float64{}
	for _, t := range trials {
		for _, p := range t.Load.Parts {
			if len(t.Load.Parts) > 1 {
				used[p.Generator] += float64(p.LoopCPUNS)
				had[p.Generator] += float64(t.Load.Wall()) * float64(p.Workers)
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(used)) {
		if x := share(used[n], had[n]); name == "" || x > most {
			name, most = n, x
		}
	}
	return name, most
}
