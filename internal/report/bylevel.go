package report

import (
	"cmp"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// mostPairs is the largest number of compared pairs that an answer shows in a table, with intervals.
const mostPairs = 8

// pairsByLevel shows many compared pairs in few lines. For each level it lists the contestants that
// are ahead of others, with the ratios, and then the pairs by verdict; for each contestant it
// compares the contestant's own levels.
func (v *View) pairsByLevel() (blocks []document.Block) {
	others, own := v.ownApart(v.comparisons())
	metric := Lower(v.primary().Title)
	if len(others) > 0 {
		blocks = append(blocks, quiet("Who is ahead of whom: the ratio of its "+metric+" to the other’s."),
			v.aheadByLevel(others))
	}
	if len(own) > 0 {
		blocks = append(blocks,
			quiet("One contestant at two levels: its "+metric+" at the first level, as a ratio to the "+
				"second."), v.ownLevels(own))
	}
	return blocks
}

// ownApart separates the pairs that compare one contestant at two levels from all others, and
// groups them by contestant.
func (v *View) ownApart(list []comparison) (others, own []comparison) {
	var names []string
	for _, c := range list {
		if !c.own() {
			others = append(others, c)
			continue
		}
		own = append(own, c)
		names = append(names, c.A)
	}
	slices.SortStableFunc(own, func(x, y comparison) int {
		return cmp.Or(cmp.Compare(slices.Index(names, x.A), slices.Index(names, y.A)), cmp.Compare(x.AtA, y.AtA),
			cmp.Compare(x.AtB, y.AtB))
	})
	return others, own
}

// aheadByLevel returns an item for each level, and one for pairs of two contestants at two levels.
func (v *View) aheadByLevel(list []comparison) (items document.List) {
	const across = "two levels"
	var levels []string
	ahead, others := map[string]*grouped{}, map[string]*grouped{} // by level: whom each leads; pairs by their verdict
	for i := range list {
		c := &list[i]
		level, a, b := c.LevelA, c.TitleA, c.TitleB
		if c.LevelA != c.LevelB {
			level, a, b = across, a+" at "+c.LevelA, b+" at "+c.LevelB
		}
		if ahead[level] == nil {
			ahead[level], others[level], levels = &grouped{}, &grouped{}, append(levels, level)
		}
		word, _, _, kind := v.verdict(c)
		p := c.Pair
		if c.Leads() < 0 {
			p, a, b = p.Turned(), b, a
		}
		if kind == judge.Different || kind == judge.Negligible {
			ahead[level].add(a, ratioValue(p)+" × "+b)
		} else {
			others[level].add(word, a+" / "+b)
		}
	}
	slices.SortStableFunc(levels, func(a, b string) int {
		place := func(level string) int { return slices.Index(append(slices.Clone(v.names), across), level) }
		return cmp.Compare(place(a), place(b))
	})
	for _, level := range levels {
		parts := append(ahead[level].joined(" "), others[level].joined(": ")...)
		items.Items = append(items.Items, item(level, parts))
	}
	return items
}

// ownLevels returns an item for each contestant. It does not put the better level first, so that a
// row of levels reads in one direction.
func (v *View) ownLevels(list []comparison) (items document.List) {
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(c comparison) bool { return c.A != list[0].A })
		if n < 0 {
			n = len(list)
		}
		var different []string
		var others grouped
		for i := range list[:n] {
			c := &list[i]
			text := c.LevelA + " / " + c.LevelB
			if word, _, _, kind := v.verdict(c); kind == judge.Different || kind == judge.Negligible {
				different = append(different, text+": "+ratioValue(c.Pair))
			} else {
				others.add(word, text)
			}
		}
		items.Items = append(items.Items, item(list[0].TitleA, append(different, others.joined(": ")...)))
		list = list[n:]
	}
	return items
}

func item(label string, parts []string) document.Item {
	return document.Item{Label: label, Text: document.Plain(strings.Join(parts, " · "))}
}

func ratioValue(p judge.Pair) string {
	value, _ := RatioParts(p.Ratio.Value, p.Ratio.Lo, p.Ratio.Hi)
	return value
}

// grouped holds texts by key. Keys and texts stay in the order in which they were added.
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

// joined returns one text for each key, which begins with the key.
func (g *grouped) joined(separator string) (all []string) {
	for _, key := range g.keys {
		all = append(all, key+separator+strings.Join(g.texts[key], ", "))
	}
	return all
}
