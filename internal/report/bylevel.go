package report

import (
	"cmp"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/document"
)

// mostPairs is the largest number of named pairs that an answer shows in a table, with intervals.
const mostPairs = 8

// pairsByLevel shows many named pairs in few lines: for each level who is ahead of whom, by what
// ratio, and then the pairs of each other verdict.
func (s *sweep) pairsByLevel() []document.Block {
	const across = "two levels"
	var levels []string
	ahead, others := map[string]*grouped{}, map[string]*grouped{} // by level: whom each leads; pairs by their verdict
	list := s.comparisons()
	for i := range list {
		c := &list[i]
		level, a, b := c.LevelA, c.TitleA, c.TitleB
		if c.LevelA != c.LevelB {
			level, a, b = across, a+" at "+c.LevelA, b+" at "+c.LevelB
		}
		if ahead[level] == nil {
			ahead[level], others[level], levels = &grouped{}, &grouped{}, append(levels, level)
		}
		word, _, _, kind := s.verdict(c)
		p := c.Pair
		if c.Leads() < 0 {
			p, a, b = turned(p), b, a
		}
		if c.TitleA == c.TitleB {
			b = strings.TrimPrefix(b, c.TitleA+" ")
		}
		if kind == analysis.Different || kind == analysis.Negligible {
			value, _ := ratioParts(p.Ratio.Value, p.Ratio.Lo, p.Ratio.Hi)
			ahead[level].add(a, value+" × "+b)
		} else {
			others[level].add(word, a+" / "+b)
		}
	}
	slices.SortStableFunc(levels, func(a, b string) int {
		place := func(level string) int { return slices.Index(append(slices.Clone(s.names), across), level) }
		return cmp.Compare(place(a), place(b))
	})
	var items document.List
	for _, level := range levels {
		parts := append(ahead[level].joined(" "), others[level].joined(": ")...)
		items.Items = append(items.Items, document.Item{Label: level, Text: document.Plain(strings.Join(parts, " · "))})
	}
	return []document.Block{quiet("Who is ahead of whom: the ratio of its " + lower(s.primary().Title) + " to the other’s."), items}
}

// grouped are texts under keys, both in the order in which they came.
type grouped struct {
	keys  []string
	texts map[string][]string
}

func (g *grouped) add(key, text string) {
	if !slices.Contains(g.keys, key) {
		g.keys = append(g.keys, key)
	}
	if g.texts == nil {
		g.texts = map[string][]string{}
	}
	g.texts[key] = append(g.texts[key], text)
}

// joined returns a text for each key, with it at the beginning.
func (g *grouped) joined(separator string) (all []string) {
	for _, key := range g.keys {
		all = append(all, key+separator+strings.Join(g.texts[key], ", "))
	}
	return all
}
