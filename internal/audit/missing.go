package audit

import "dyno/internal/importer"

// Missing counts a file's figures of one kind that nothing was checked against.
type Missing struct {
	File    string `json:"file"`
	What    string `json:"what"` // rate, mean latency, percentile
	Figures int    `json:"figures"`
	Needs   string `json:"needs"` // columns by which rules check such figures
}

// checkable are the kinds of figures that single-row rules check, and the columns that each rule
// needs.
var checkable = []struct {
	what, needs string
	is          func(*importer.Figure) bool
}{
	{"rate", "connections and mean latency (R2), or requests and time (R1)", func(f *importer.Figure) bool {
		return f.Unit == importer.PerSec && (f.Metric == "rps" || f.Metric == "rps_mean")
	}},
	{"mean latency", "connections and rate (R2), or percentile (R9)", func(f *importer.Figure) bool {
		return f.Unit == importer.Seconds && f.Metric == "latency_mean"
	}},
	{"percentile", "another percentile or the mean latency (R9)", func(f *importer.Figure) bool {
		_, ok := quantileOf(f.Metric)
		return ok && f.Unit == importer.Seconds
	}},
}

// Missing lists, by file and kind, the figures without a check.
func (j *Report) Missing() (list []Missing) {
	for _, d := range j.Documents {
		for _, c := range checkable {
			m := Missing{File: d.Name, What: c.what, Needs: c.needs}
			for _, r := range d.Rows {
				for _, f := range r.Figures {
					if c.is(f) && f.Judged == 0 && !f.Missing && f.Many == 0 && !f.Prose && !f.Derived {
						m.Figures++
					}
				}
			}
			if m.Figures > 0 {
				list = append(list, m)
			}
		}
	}
	return list
}
