package report

import (
	"slices"

	"dyno/internal/document"
)

// words explains the metrics that a page shows; dyno help glossary has all other words.
func (v *View) words() (list document.List) {
	shown := slices.Clone(v.metrics)
	for i := range v.levels {
		if v.run.Plan.InRounds() {
			shown = append(shown, v.extraMetrics(i)...)
		}
	}
	for _, m := range shown {
		if !slices.ContainsFunc(list.Items, func(it document.Item) bool { return it.Label == m.Title }) {
			list.Items = append(list.Items, document.Item{Label: m.Title, Text: document.Plain(m.About)})
		}
	}
	list.Items = append(list.Items, document.Item{Label: "Other words", Text: document.Plain("dyno help glossary explains them.")})
	return list
}
