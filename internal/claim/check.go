package claim

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/conf"
)

// Known is what the cells of a study may name.
type Known struct {
	Contestants []string
	Levels      []string            // by name, in order
	At          map[string][]string // the contestants of a level
	Gone        []string            // those of them that cannot be had
	Metric      string              // of claims that name none
	Single      bool                // one level, which cells need not name
}

// Check finds what is wrong with the claims of the file f, all at once, each with its place, and fills in what may be left out: the metric, the factor
// of a magnitude, the name of the only level.
func Check(f *conf.File, claims []Claim, known Known) error {
	var all []error
	seen := map[string]int{}
	for i := range claims {
		c := &claims[i]
		k := &checker{f: f, c: c, at: fmt.Sprintf("claim[%d]", i), known: known}
		if first, twice := seen[c.ID]; twice && c.ID != "" {
			k.errorf("id", "the id %q is taken by claim %d", c.ID, first+1)
		}
		seen[c.ID] = i
		k.claim()
		all = append(all, k.errs...)
	}
	return errors.Join(all...)
}

type checker struct {
	f     *conf.File
	c     *Claim
	at    string // of the claim in the file
	known Known
	errs  []error
}

func (k *checker) errorf(key, format string, args ...any) {
	k.errs = append(k.errs, k.f.Errorf(k.at+"."+key, format, args...))
}

func (k *checker) has(key string) bool { return k.f.Has(k.at + "." + key) }

// fields are the keys of each kind: those that it needs, and those that it may have.
var fields = map[string]struct{ needs, may []string }{
	Ratio: {[]string{"a", "b", "value"}, []string{"within"}},
	Order: {[]string{"cells"}, []string{"over"}},
	Tie:   {[]string{"a", "b"}, []string{"margin"}},
	Trend: {[]string{"cells", "direction"}, []string{"over", "margin"}},
	Drop:  {nil, []string{"a", "b", "cells", "over", "value", "within", "at_least", "at_most", "than"}},
	Bound: {[]string{"a"}, []string{"at_least", "at_most"}},
	Most:  {[]string{"cells"}, []string{"over", "at_least", "at_most", "near"}},
}

func (k *checker) claim() {
	c := k.c
	for _, key := range []string{"id", "text", "kind"} {
		if !k.has(key) && !(key == "kind" && k.has("not_testable")) {
			k.errorf(key, "a claim needs %q", key)
		}
	}
	k.sentence()
	if c.Metric == "" {
		c.Metric = k.known.Metric
	}
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
	for _, key := range []string{
		"a", "b", "cells", "over", "than", "value", "within", "margin", "direction", "at_least", "at_most", "near",
	} {
		if k.has(key) && !slices.Contains(want.needs, key) && !slices.Contains(want.may, key) {
			k.errorf(key, "a claim of kind %s has no %q; it has %s", c.Kind, key, strings.Join(slices.Concat(want.needs, want.may), ", "))
		}
	}
	if m, ok := MetricNamed(c.Metric); !ok || m.Computed != "" {
		k.errorf("metric", "no metric %q%s", c.Metric, suggest(c.Metric, metricNames(false)))
	}
	if m, _ := analysis.MetricNamed(c.Metric); m.Unranked && c.Kind != Bound {
		k.errorf("metric", "%s is of the machine and compared with nothing: a claim of it is one of kind bound", c.Metric)
	}
	k.everyone()
	k.cell("a", &c.A)
	k.cell("b", &c.B)
	for _, l := range []struct {
		key  string
		list []string
	}{{"cells", c.Cells}, {"over", c.Over}, {"than", c.Than}} {
		for i := range l.list {
			k.cell(fmt.Sprintf("%s[%d]", l.key, i), &l.list[i])
		}
	}
	k.values()
	k.pairs()
}

// sentenceID is the form of the ids of the articles' sentences: a letter for the article, and the number of the sentence.
var sentenceID = regexp.MustCompile(`^[A-Z]-[0-9]{2,3}$`)

// sentence checks that a claim says whose it is: the sentence of an article, or another source.
func (k *checker) sentence() {
	switch c := k.c; {
	case !k.has("sentence") && c.Source == "":
		k.errorf("sentence", "a claim needs \"sentence\", the id of the article's sentence that it judges, such as F-12, "+
			"or \"source\", if it judges something else")
	case k.has("sentence") && !sentenceID.MatchString(c.Sentence):
		k.errorf("sentence", "sentence = %q: want the id of a sentence, a letter and a number such as F-12", c.Sentence)
	}
}

// everyone puts the contestants of a level for "* @ LEVEL" in the cells of a claim that counts; in over, those of the cells.
func (k *checker) everyone() {
	c := k.c
	if c.Kind != Most {
		return
	}
	here := map[string][]string{}
	for level, names := range k.known.At {
		here[level] = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(k.known.Gone, n) })
	}
	c.Cells = expand(c.Cells, func(level string) []string { return here[level] })
	var names []string
	for _, cell := range parseCells(c.Cells) {
		names = append(names, cell.Contestant)
	}
	c.Over = expand(c.Over, func(string) []string { return names })
	if len(c.Over) == 1 && c.Near == 0 { // who is held against one contestant is not that one
		c.Cells = slices.DeleteFunc(c.Cells, func(s string) bool { return ParseCell(s) == ParseCell(c.Over[0]) })
	}
}

// expand puts the names of a level for each cell of Everyone.
func expand(cells []string, names func(level string) []string) (out []string) {
	for _, s := range cells {
		cell := ParseCell(s)
		if cell.Contestant != Everyone {
			out = append(out, s)
			continue
		}
		for _, name := range names(cell.Level) {
			out = append(out, Cell{name, cell.Level}.String())
		}
		if len(names(cell.Level)) == 0 {
			out = append(out, s) // there is no such level: cell says so
		}
	}
	return out
}

// suggest names the word that was most likely meant, or all that there are.
func suggest(word string, among []string) string {
	if near := conf.Nearest(word, among); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; there are " + strings.Join(among, ", ")
}

// cell checks that s, if there is one, names a member of the study. The only level of a study is left out of the cell's name.
func (k *checker) cell(key string, s *string) {
	if *s == "" {
		if k.has(key) {
			k.errorf(key, "an empty cell; want \"contestant\" or \"contestant @ level\"")
		}
		return
	}
	cell := ParseCell(*s)
	levels := strings.Join(k.known.Levels, ", ")
	switch {
	case !slices.Contains(k.known.Contestants, cell.Contestant):
		k.errorf(key, "no contestant %q in this study%s", cell.Contestant, suggest(cell.Contestant, k.known.Contestants))
	case cell.Level == "" && !k.known.Single:
		k.errorf(key, "%q names no level; want %q with one of %s", *s, cell.Contestant+" @ LEVEL", levels)
	case cell.Level != "" && !slices.Contains(k.known.Levels, cell.Level):
		k.errorf(key, "no level %q in this study%s", cell.Level, suggest(cell.Level, k.known.Levels))
	case cell.Level != "" && !slices.Contains(k.known.At[cell.Level], cell.Contestant):
		k.errorf(key, "the cell %s is no member of the study: the level %q is for %s", cell, cell.Level, strings.Join(k.known.At[cell.Level], ", "))
	}
	if k.known.Single {
		cell.Level = ""
	}
	*s = cell.String()
}

func (k *checker) values() {
	c := k.c
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	if k.has("within") && !(c.Within > 1 && finite(c.Within)) {
		k.errorf("within", "within = %v: want a factor above 1, such as 1.25", c.Within)
	}
	if k.has("margin") && !(c.Margin > 0 && c.Margin < 1) {
		k.errorf("margin", "margin = %v: want a share, more than 0 and less than 1", c.Margin)
	}
	if k.has("near") && !(c.Near > 0 && c.Near < 1) {
		k.errorf("near", "near = %v: want a share, more than 0 and less than 1", c.Near)
	}
	if c.AtLeast != nil && !finite(*c.AtLeast) || c.AtMost != nil && !finite(*c.AtMost) {
		k.errorf("at_least", "want numbers")
	}
	if c.AtLeast != nil && c.AtMost != nil && *c.AtLeast > *c.AtMost {
		k.errorf("at_least", "at_least = %v is above at_most = %v", *c.AtLeast, *c.AtMost)
	}
	if (c.Kind == Ratio || c.Kind == Drop) && c.Within == 0 {
		c.Within = DefaultWithin
	}
	switch c.Kind {
	case Ratio:
		if k.has("value") && !(c.Value > 0 && finite(c.Value)) {
			k.errorf("value", "value = %v: want the published factor of a over b, above 0", c.Value)
		} else if math.Abs(math.Log(c.Value)) <= math.Log1p(leastEffect) {
			k.errorf("value", "value = %v is a tie: make it a claim of kind tie, or one of a difference beyond %v %%", c.Value, 100*leastEffect)
		}
	case Trend:
		if k.has("direction") && !slices.Contains(directions, c.Direction) {
			k.errorf("direction", "no direction %q%s", c.Direction, suggest(c.Direction, directions))
		}
	case Drop:
		bounds := c.AtLeast != nil || c.AtMost != nil
		if n := count(k.has("value"), bounds, len(c.Than) > 0); n != 1 {
			k.errorf("kind", "a claim of kind drop needs one of \"value\" (percent), \"at_least\" or \"at_most\" (percent), and \"than\" (two cells)")
		}
		several := k.has("cells") && k.has("over") && !k.has("a") && !k.has("b")
		if one := k.has("a") && k.has("b") && !k.has("cells") && !k.has("over"); !one && !(several && bounds) {
			k.errorf("kind", "a claim of kind drop needs \"a\" and \"b\" or, of the largest of several with \"at_least\" or \"at_most\", "+
				"\"cells\" and \"over\"")
		}
		if k.has("value") && !(c.Value > 0 && c.Value < 100) {
			k.errorf("value", "value = %v: want percent, more than 0 and less than 100", c.Value)
		}
	case Bound:
		if c.AtLeast == nil && c.AtMost == nil {
			k.errorf("kind", "a claim of kind bound needs \"at_least\" or \"at_most\"")
		}
	case Most:
		if n := count(k.has("near"), c.AtLeast != nil || c.AtMost != nil); n != 1 {
			k.errorf("kind", "a claim of kind most needs one of \"near\" (a share), and \"at_least\" or \"at_most\"")
		}
	}
}

// leastEffect is the share below which a published factor is no difference.
const leastEffect = 0.03

// The directions of a trend.
const (
	Rises = "rises"
	Falls = "falls"
	Stays = "stays"
	Jumps = "jumps" // rises in its last step
)

var directions = []string{Rises, Falls, Stays, Jumps}

func count(conditions ...bool) (n int) {
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// pairs checks that what is compared are two, and two different ones.
func (k *checker) pairs() {
	c := k.c
	if (c.Kind == Order && len(c.Over) == 0 || c.Kind == Trend) && len(c.Cells) == 1 {
		k.errorf("cells", "one cell; an order or a trend needs two or more")
	}
	if len(c.Over) > 0 && len(c.Over) != len(c.Cells) && !(c.Kind == Most && len(c.Over) == 1) {
		k.errorf("over", "%d cells over %d; want one for each", len(c.Cells), len(c.Over))
		return
	}
	if k.has("than") && len(c.Than) != 2 {
		k.errorf("than", "%d cells; want two: the drop from the second to the first", len(c.Than))
	}
	for _, p := range c.Pairs() {
		if p.A == p.B && p.A != (Cell{}) {
			k.errorf("kind", "%s is compared with itself", p.A)
		}
	}
}
