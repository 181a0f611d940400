package report

import (
	"slices"

	"dyno/internal/document"
)

// words returns a page's explanations of the metrics that it shows; dyno help glossary has all other words.
func (v *View) words() (list []document.Definition) {
	shown := slices.Clone(v.metrics)
	for i := range v.levels {
		if v.run.Plan.InRounds() {
			shown = append(shown, v.extraMetrics(i)...)
		}
	}
	for _, m := range shown {
		if !slices.ContainsFunc(list, func(d document.Definition) bool { return d.ID == m.Name }) {
			list = append(list, document.Definition{ID: m.Name, Name: m.Title, Text: m.About})
		}
	}
	return append(list, document.Definition{ID: "other", Name: "Other words", Text: "dyno help glossary explains them."})
}
