package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/judge"
)

// claims checks the claims. It fills in optional keys: the metric and a magnitude's factor. It removes
// the first level's name from cells that need not name it, and replaces Everyone by contestants.
func (r *reader) claims() {
	seen, claims := map[string]int{}, r.s.Claims
	for i := range claims {
		c := &claims[i]
		k := &checker{reader: r, c: c, at: fmt.Sprintf("claim[%d].", i)}
		if first, twice := seen[c.ID]; twice && c.ID != "" {
			k.errorf("id", "the id %q is already used by claim %d", c.ID, first+1)
		}
		seen[c.ID] = i
		k.claim()
	}
	for i := range claims {
		c := &claims[i]
		first := slices.IndexFunc(claims, func(o Claim) bool { return o.ID == c.Restates && o.Counts() && o.Withdrawn == "" })
		if c.Restates != "" && first < 0 {
			r.errorf(fmt.Sprintf("claim[%d].restates", i), "no published claim %q", c.Restates)
		}
	}
}

// checker checks one claim.
type checker struct {
	*reader
	c  *Claim
	at string // begins the claim's keys in the file: "claim[2]."
}

// errorf adds an error at one of the claim's keys.
func (k *checker) errorf(key, format string, args ...any) { k.reader.errorf(k.at+key, format, args...) }

// has reports whether the file sets one of the claim's keys, so that 0 differs from an absent key.
func (k *checker) has(key string) bool { return k.file.Has(k.at + key) }

// kinds lists the kinds of claims, in the order for messages.
var kinds = []string{Ratio, Order, Equal, Trend, Drop, Bound, Most, AllCells, Spread, Repeats}

// fields lists each kind's required and optional keys.
var fields = map[string]struct{ needs, may []string }{
	Ratio:    {[]string{"a", "b", "value"}, []string{"within"}},
	Order:    {[]string{"cells"}, []string{"over"}},
	Equal:    {[]string{"a", "b"}, []string{"margin"}},
	Trend:    {[]string{"cells", "direction"}, []string{"over", "margin"}},
	Drop:     {nil, []string{"a", "b", "cells", "over", "value", "within", "at_least", "at_most", "than"}},
	Bound:    {[]string{"a"}, []string{"at_least", "at_most"}},
	Most:     {[]string{"cells"}, []string{"over", "at_least", "at_most", "near"}},
	AllCells: {[]string{"cells"}, []string{"over", "at_least", "at_most"}},

	Spread:  {[]string{"cells"}, []string{"over", "at_least", "at_most"}},
	Repeats: {[]string{"a", "within"}, nil},
}

// keys lists the keys of all kinds, in the order for messages.
var keys = []string{
	"a", "b", "cells", "over", "than", "value", "within", "margin", "direction", "at_least", "at_most", "near",
}

// claim checks the claim's keys, its rule, and its former version.
func (k *checker) claim() {
	for _, key := range []string{"id", "text", "kind"} {
		if !k.has(key) && !(key == "kind" && k.has("not_testable")) {
			k.errorf(key, "a claim needs %q", key)
		}
	}
	k.sentences()
	k.rule()
	k.was()
}

// rule checks the keys for the claim's kind, then its cells, numbers and pairs.
func (k *checker) rule() {
	c := k.c
	c.Metric = cmp.Or(c.Metric, k.s.Primary)
	want, ok := fields[c.Kind]
	if !ok {
		if c.Kind != "" {
			k.errorf("kind", "no kind %q%s", c.Kind, suggest(c.Kind, kinds))
		}
		return
	}
	for _, key := range want.needs {
		if !k.has(key) {
			k.errorf(key, "a claim of kind %s needs %q", c.Kind, key)
		}
	}
	has := slices.Concat(want.needs, want.may)
	for _, key := range keys {
		if k.has(key) && !slices.Contains(has, key) {
			k.errorf(key, "a claim of kind %s cannot have %q; want only %s", c.Kind, key, strings.Join(has, ", "))
		}
	}
	if m, ok := MetricNamed(c.Metric); !ok || m.Computed != "" && !m.Bytes {
		k.errorf("metric", "no metric %q%s", c.Metric, suggest(c.Metric, metricNames()))
	}
	if m, _ := judge.MetricNamed(c.Metric); m.Unranked && c.Kind != Bound && c.Kind != AllCells {
		k.errorf("metric", "%s is a property of the machine and cannot be compared; use the kind bound", c.Metric)
	}
	k.everyone()
	k.cell("a", &c.A)
	k.cell("b", &c.B)
	for i, list := range [][]string{c.Cells, c.Over, c.Than} {
		for at := range list {
			k.cell(fmt.Sprintf("%s[%d]", []string{"cells", "over", "than"}[i], at), &list[at])
		}
	}
	k.values()
	k.pairs()
}

// was checks an amended claim's former version.
func (k *checker) was() {
	switch c, w := k.c, k.c.Was; {
	case w == nil:
	case w.Why == "" && !w.Testable:
		k.errorf("was", "an amended claim needs \"why\": what was wrong with it")
	case w.Kind != "":
		(&checker{k.reader, &w.Claim, k.at + "was."}).rule()
	case w.AtLeast == nil && w.AtMost == nil && w.Metric == "" && !w.Testable:
		k.errorf("was", "want what it had before: its whole rule with its kind, or at_least, at_most, metric, or "+
			"testable = true")
	case w.AtLeast != nil && c.AtLeast == nil || w.AtMost != nil && c.AtMost == nil || w.Testable && c.NotTestable == "":
		k.errorf("was", "want only what the claim has now too: at_least, at_most, not_testable")
	case w.Metric != "":
		if _, ok := MetricNamed(w.Metric); !ok {
			k.errorf("was.metric", "no metric %q%s", w.Metric, suggest(w.Metric, metricNames()))
		}
	}
}

// sentences checks that a claim names its origin: an article's sentences, or another source.
func (k *checker) sentences() {
	switch c := k.c; {
	case len(c.Sentences) == 0 && c.Source == "":
		k.errorf("sentences",
			"a claim needs \"sentences\", the ids of the article's sentences that it judges, such as F-12, "+
				"or \"source\", if it judges something else")
	case c.Answers != "" && !slices.ContainsFunc(c.Sentences,
		func(id string) bool { return strings.HasPrefix(id, c.Answers+"-") }):
		k.errorf("answers", "%q: want the letter of one of its sentences", c.Answers)
	default:
		for i, id := range c.Sentences {
			if !sentenceID.MatchString(id) {
				k.errorf(fmt.Sprintf("sentences[%d]", i),
					"%q: want the id of a sentence, a letter and a number such as F-12", id)
			}
		}
	}
}

// everyone replaces "* @ LEVEL" in a claim on many cells: in cells by the level's available
// contestants, in over by the contestants in cells.
func (k *checker) everyone() {
	c := k.c
	if !c.many() {
		return
	}
	c.Cells = expand(c.Cells, k.s.loaded)
	var names []string
	for _, s := range c.Cells {
		names = append(names, ParseCell(s).Contestant)
	}
	c.Over = expand(c.Over, func(string) []string { return names })
	if len(c.Over) == 1 && c.Near == 0 && c.Kind != Spread { // a contestant is not compared with itself
		c.Cells = slices.DeleteFunc(c.Cells, func(s string) bool { return ParseCell(s) == ParseCell(c.Over[0]) })
	}
}

// expand replaces each Everyone cell by the contestants that names returns for its level.
func expand(cells []string, names func(level string) []string) (out []string) {
	for _, s := range cells {
		cell := ParseCell(s)
		here := []string{cell.Contestant}
		if cell.Contestant == Everyone {
			if here = names(cell.Level); len(here) == 0 {
				here = []string{Everyone} // no such level; cell reports it
			}
		}
		for _, name := range here {
			out = append(out, Cell{name, cell.Level}.String())
		}
	}
	return out
}

// suggest ends an error about an unknown word: with the word that was probably meant, or all valid
// words.
func suggest(word string, among []string) string {
	if near := conf.Nearest(word, among); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; want one of " + strings.Join(among, ", ")
}

// cell checks that s, unless it is empty, names a cell in the study, and shortens it.
func (k *checker) cell(key string, s *string) {
	if *s == "" {
		if k.has(key) {
			k.errorf(key, "the cell is empty; want \"contestant\" or \"contestant @ level\"")
		}
		return
	}
	cell := ParseCell(*s)
	_, gone := k.s.Unavailable[cell.Contestant]
	if why := k.s.refuse(cell); why != "" {
		k.errorf(key, "%s", why)
	} else if here := k.s.loaded(cell.Level); cell.Level != "" && !gone && !slices.Contains(here, cell.Contestant) {
		k.errorf(key, "the study has no cell %s: the level %q loads only %s",
			cell, cell.Level, strings.Join(here, ", "))
	}
	*s = k.s.short(cell).String()
}

// values checks the claim's numbers, and which keys may be combined.
func (k *checker) values() {
	c := k.c
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	if k.has("within") && !(c.Within > 1 && finite(c.Within)) {
		k.errorf("within", "within = %v: want a factor above 1, such as 1.25", c.Within)
	}
	for i, share := range []float64{c.Margin, c.Near} {
		if key := []string{"margin", "near"}[i]; k.has(key) && !(share > 0 && share < 1) {
			k.errorf(key, "%s = %v: want a share, more than 0 and less than 1", key, share)
		}
	}
	lo, hi := limits(c.AtLeast, c.AtMost)
	if c.AtLeast != nil && !finite(lo) || c.AtMost != nil && !finite(hi) {
		k.errorf("at_least", "want numbers")
	}
	if lo > hi {
		k.errorf("at_least", "at_least = %v is above at_most = %v", lo, hi)
	}
	if (c.Kind == Ratio || c.Kind == Drop) && c.Within == 0 {
		c.Within = DefaultWithin
	}
	bounded := c.AtLeast != nil || c.AtMost != nil
	switch c.Kind {
	case Ratio:
		if k.has("value") && !(c.Value > 0 && finite(c.Value)) {
			k.errorf("value", "value = %v: want the published factor of a over b, above 0", c.Value)
		} else if math.Abs(math.Log(c.Value)) <= math.Log1p(leastEffect) {
			k.errorf("value",
				"value = %v means equality; use the kind equal, or a factor that differs from 1 by more than %v %%",
				c.Value, 100*leastEffect)
		}
	case Trend:
		if k.has("direction") && !slices.Contains(directions, c.Direction) {
			k.errorf("direction", "no direction %q%s", c.Direction, suggest(c.Direction, directions))
		}
	case Drop:
		k.drop(bounded)
	case Bound, AllCells, Spread:
		if !bounded {
			k.errorf("kind", "a claim of kind %s needs \"at_least\" or \"at_most\"", c.Kind)
		}
	case Most:
		if k.has("near") == bounded {
			k.errorf("kind", "a claim of kind most needs one of \"near\" (a share), and \"at_least\" or \"at_most\"")
		}
	}
}

// drop checks which keys may be combined in a drop: it has one size, for one pair or for several.
func (k *checker) drop(bounded bool) {
	sizes := 0
	for _, given := range []bool{k.has("value"), bounded, len(k.c.Than) > 0} {
		if given {
			sizes++
		}
	}
	if sizes != 1 {
		k.errorf("kind",
			"a claim of kind drop needs one of \"value\" (percent), \"at_least\" or \"at_most\" (percent), and "+
				"\"than\" (two cells)")
	}
	several := k.has("cells") && k.has("over") && !k.has("a") && !k.has("b")
	if one := k.has("a") && k.has("b") && !k.has("cells") && !k.has("over"); !one && !(several && bounded) {
		k.errorf("kind",
			"a claim of kind drop needs \"a\" and \"b\"; for the largest of several drops, with \"at_least\" or "+
				"\"at_most\", it needs \"cells\" and \"over\"")
	}
	if k.has("value") && !(k.c.Value > 0 && k.c.Value < 100) {
		k.errorf("value", "value = %v: want percent, more than 0 and less than 100", k.c.Value)
	}
}

// leastEffect is the share below which a published factor counts as equality.
const leastEffect = 0.03

// A trend's directions.
const (
	Rises = "rises"
	Falls = "falls"
	Stays = "stays"
	Jumps = "jumps" // rises in its last step
)

var directions = []string{Rises, Falls, Stays, Jumps}

// pairs checks that the claim compares each cell with a different one.
func (k *checker) pairs() {
	c := k.c
	if (c.Kind == Order && len(c.Over) == 0 || c.Kind == Trend) && len(c.Cells) == 1 {
		k.errorf("cells", "an order or a trend needs two or more cells; got one")
	}
	if len(c.Over) > 0 && len(c.Over) != len(c.Cells) && c.Kind != Spread && !(c.many() && len(c.Over) == 1) {
		k.errorf("over", "%d cells over %d; want equal numbers", len(c.Cells), len(c.Over))
		return
	}
	if k.has("than") && len(c.Than) != 2 {
		k.errorf("than", "%d cells; want two, for the drop from the second to the first", len(c.Than))
	}
	for _, p := range c.Pairs() {
		if p.A == p.B && p.A != (Cell{}) {
			k.errorf("kind", "%s is compared with itself", p.A)
		}
	}
}
