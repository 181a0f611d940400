package analysis

import (
	"slices"

	"dyno/internal/result"
)

// Further are shown, beside the Metrics, of a run that has them.
var Further = []Metric{
	{Name: "instructions_per_request", Title: "Instructions per request", Unit: "instructions", Of: instructions},
}

func instructions(t *result.Trial) (float64, bool) {
	if t.Server.Instructions == nil || *t.Server.Instructions <= 0 || t.Load.Succeeded == 0 {
		return 0, false
	}
	return float64(*t.Server.Instructions) / float64(t.Load.Succeeded), true
}

// metricsOf are those of a run with these trials, its primary among them.
func metricsOf(trials []result.Trial, primary string) []Metric {
	out := slices.Clone(Metrics)
	for _, m := range Further {
		if m.Name == primary || slices.ContainsFunc(trials, func(t result.Trial) bool { _, ok := m.Of(&t); return ok }) {
			out = append(out, m)
		}
	}
	return out
}
