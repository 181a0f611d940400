package study

import (
	"fmt"
	"io"
	"math"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/report"
)

// Claims are an article's published conclusions, and their outcomes in a run.
type Claims struct {
	Slug, Title, Question, Source string
	PublishedOn                   map[string]string // cpu, memory, os, power, tool, versions, command …
	Notes                         []string          // differences from the article, and why
	Unavailable                   map[string]string // contestants that are not available, and why
	LeftOut                       []string          // the study's contestants that are not in the run's plan
	File                          string            // the trials' file
	Changed                       bool              // the claims changed after the run was planned
	Outcomes                      []Outcome
	Withdrawn                     []Claim // claims that the run was planned with, withdrawn since
	Published                     []published
	Costs                         []cost
}

// published is a published figure with the measured one, both in the metric's base unit.
type published struct {
	Figure
	Ours   judge.Estimate
	Absent string // why there is no measured figure
}

// Fixed says how many claims were not fixed before the run; "" if all were.
func (c *Claims) Fixed() string {
	if c.Changed {
		return "The claims were changed after this run was planned: these outcomes were not fixed before it."
	}
	var parts []string
	if n := c.number(func(o *Outcome) bool { return o.Before != "" }); n > 0 {
		parts = append(parts, "Amended after this run was planned: "+document.Count(n, "claim")+". The study's page "+
			"gives the reason and the outcome before.")
	}
	if n := len(c.Withdrawn); n > 0 {
		parts = append(parts, "Withdrawn since: "+document.Count(n, "claim")+".")
	}
	return strings.Join(parts, " ")
}

// number counts outcomes.
func (c *Claims) number(is func(*Outcome) bool) (n int) {
	for i := range c.Outcomes {
		if is(&c.Outcomes[i]) {
			n++
		}
	}
	return n
}

// published counts the published claims, each figure once.
func (c *Claims) published() int { return c.number(func(o *Outcome) bool { return o.Claim.Counts() }) }

// with counts the published claims that have an outcome.
func (c *Claims) with(verdict Verdict) int {
	return c.number(func(o *Outcome) bool { return o.Verdict == verdict && o.Claim.Counts() })
}

// counts lists the published claims by outcome: "3 confirmed, 1 contradicted".
func (c *Claims) counts() string {
	var parts []string
	for _, v := range Verdicts {
		text := fmt.Sprintf("%d %s", c.with(v), v)
		if n := c.number(func(o *Outcome) bool { return o.Verdict == v && o.Claim.Counts() && o.differs() }); n > 0 {
			text += fmt.Sprintf(" (%d not shown everywhere)", n)
		}
		if c.with(v) > 0 {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

// publishedText formats the published figure: "2.63 ×", "at least 60 %".
func publishedText(o *Outcome) string {
	c := &o.Claim
	limit := func(x float64) string {
		switch {
		case c.Kind == Drop:
			return fmt.Sprintf("%g %%", x)
		case c.Kind == Spread, c.many() && len(c.Over) > 0:
			return fmt.Sprintf("%g ×", x)
		}
		s := report.ScaleOf(o.Metric.Unit, x)
		return document.Sig3(x/s.Per) + report.After(s)
	}
	var limits []string
	if c.AtLeast != nil {
		limits = append(limits, "at least "+limit(*c.AtLeast))
	}
	if c.AtMost != nil {
		limits = append(limits, "at most "+limit(*c.AtMost))
	}
	over := ""
	switch {
	case len(c.Over) == 0:
	case c.Kind == Spread:
		over = " that @ " + ParseCell(c.Over[0]).Level
	case len(c.Over) == 1:
		over = " " + c.Over[0]
	default:
		over = " " + others(c)
	}
	switch {
	case c.Near > 0:
		return "most within " + report.PerCent(c.Near) + " of the median"
	case c.Kind == Most, c.Kind == AllCells:
		return c.Kind + " " + report.And(limits) + over
	case c.Kind == Spread:
		return "a spread of " + report.And(limits) + over
	case c.Kind == Repeats:
		return fmt.Sprintf("alike within a factor of %g", c.Within)
	case len(limits) > 0:
		return report.And(limits)
	case c.Kind == Ratio:
		return fmt.Sprintf("%g ×", c.Value)
	case c.Kind == Drop && len(c.Than) == 0:
		return fmt.Sprintf("%g %%", c.Value)
	case c.Kind == Drop:
		return "a larger drop"
	case c.Kind == Equal:
		return "equal"
	case c.Kind == Order && len(c.Over) > 0:
		return "each before its other"
	case c.Kind == Order:
		return strings.Join(c.Cells, " before ")
	}
	return c.Direction
}

// others names the cells that a counting claim compares its cells with, if they are not all
// compared with one cell.
func others(c *Claim) string {
	for i, s := range c.Cells {
		if ParseCell(s).Contestant != ParseCell(c.Over[i]).Contestant {
			return "its other"
		}
	}
	return "themselves @ " + ParseCell(c.Over[0]).Level
}

// whereText says where the claim was published: the sentences, and its place in the study's source
// or in the claim's own source.
func whereText(o *Outcome) string {
	place := strings.Join(report.NonEmpty(document.Clean(o.Claim.Source), document.Clean(o.Claim.Place)), ": ")
	return strings.Join(report.NonEmpty(document.Clean(strings.Join(o.Claim.Sentences, ", ")), place), ", ")
}

// shownText formats a measured figure with its interval.
func shownText(s Shown) string {
	e := s.Estimate
	switch {
	case s.Unit == "×":
		return s.What + " " + factorText(e)
	case s.Unit == Contestants && e.Lo == e.Hi:
		return fmt.Sprintf("%g %s", e.Value, s.What)
	case s.Unit == Contestants:
		return fmt.Sprintf("%g to %g %s", e.Lo, e.Hi, s.What)
	case s.Unit == "%":
		return fmt.Sprintf("%s %s (%s–%s) %%", s.What, document.Sig3(e.Value), document.Sig3(e.Lo), document.Sig3(e.Hi))
	}
	return s.What + " " + estimateText(e, s.Unit)
}

// factorText formats a factor with its interval, "1.05 × (1.01–1.08)", or alone if it is exact.
func factorText(e judge.Estimate) string {
	if e.Lo == e.Hi {
		return document.Sig3(e.Value) + " ×"
	}
	return report.Times(e)
}

// estimateText formats a level in its best scale, "93,400 (91,200–95,100) 1/s", or without an
// interval if there is none.
func estimateText(e judge.Estimate, unit string) string {
	s := report.ScaleOf(unit, e.Value)
	switch {
	case e.Lo == e.Hi:
		return document.Sig3(e.Value/s.Per) + report.After(s)
	case math.IsInf(e.Lo, 0) || math.IsInf(e.Hi, 0):
		return document.Sig3(e.Value/s.Per) + report.After(s) + ", interval open"
	}
	return fmt.Sprintf("%s (%s)%s", document.Sig3(e.Value/s.Per), report.IntervalIn(e, s), report.After(s))
}

// OursText formats the measured figures on one line, with the servers' CPUs. A published factor needs no
// further name.
func (o *Outcome) OursText() string {
	switch {
	case len(o.Shown) == 0:
		return ""
	case len(o.Shown) == 1 && o.Claim.Kind == Ratio:
		return factorText(o.Shown[0].Estimate) + o.Place
	}
	var parts []string
	for i, s := range o.Shown {
		parts = append(parts, shownText(s))
		if s.Unit == Contestants && i == 0 {
			parts[0] += " " + strings.TrimPrefix(publishedText(o), o.Claim.Kind+" ")
		}
	}
	return strings.Join(parts, "; ") + o.Place
}

// measuredAs begins the text about the measured figures: "Measured", with the metric unless it is
// the rate.
func measuredAs(o *Outcome) string {
	if o.Metric.Name == "throughput" {
		return "Measured"
	}
	return "Measured as " + report.Lower(o.Metric.Title)
}

// evidenceText gives an outcome's reasons besides its figures.
func evidenceText(o *Outcome) string {
	parts := []string{document.Clean(o.Reason)}
	if o.Epochs > 0 && !o.Metric.Static {
		parts = append(parts, document.Count(o.Epochs, "epoch"))
	}
	if see := warningsText(o.Warnings); see != "" {
		parts = append(parts, "see "+see)
	}
	return strings.Join(parts, "; ")
}

// warningsText names the questions behind a claim's warnings, and the contestants concerned:
// "generator free? (iris, kestrel), warmed up?".
func warningsText(list []Warning) string {
	var parts []string
	for _, q := range judge.Questions {
		var who []string // "" for the whole run
		for _, w := range list {
			if c := judge.ByID(w.ID); c != nil && c.Question == q {
				who = report.AddNew(who, document.Clean(w.Contestant))
			}
		}
		if names := report.NonEmpty(who...); len(names) > 0 {
			parts = append(parts, q.String()+" ("+strings.Join(names, ", ")+")")
		} else if len(who) > 0 {
			parts = append(parts, q.String())
		}
	}
	return strings.Join(parts, ", ")
}

// claimMarks are the outcomes' icons and styles.
var claimMarks = map[Verdict]struct {
	icon  string
	style document.Style
}{
	Confirmed: {"✓", document.Good}, SmallerLead: {"↓", document.Same}, LargerLead: {"↑", document.Same},
	SameDirection: {"→", document.Same}, Contradicted: {"✗", document.Bad}, Inconclusive: {"?", document.Warn},
	NotTestable: {"–", document.Quiet}, NotRun: {"–", document.Quiet},
}

// Label returns an outcome with its icon.
func (v Verdict) Label() string { return claimMarks[v].icon + " " + string(v) }

// claims returns the study's outcomes.
func (v *page) claims() document.Section {
	c := v.Claims
	if c == nil || len(c.Outcomes) == 0 {
		return document.Section{}
	}
	s := document.Section{ID: "claims", Folded: true, Title: "What was claimed. In this run: " + c.counts()}
	if text := c.Fixed(); text != "" {
		s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain(text), Style: document.Warn})
	}
	var list, ours document.List
	for i := range c.Outcomes {
		to := &list
		if c.Outcomes[i].Claim.Ours() {
			to = &ours
		}
		to.Items = append(to.Items, c.Outcomes[i].item())
	}
	for _, w := range c.Withdrawn {
		list.Items = append(list.Items, document.Item{Label: "withdrawn", Style: document.Quiet,
			Text: document.Plain(document.Stopped(w.Text)), More: document.Texts(document.Stopped(w.Withdrawn))})
	}
	s.Blocks = append(s.Blocks, list)
	if len(ours.Items) > 0 {
		s.Blocks = append(s.Blocks, document.Para("Not published, and not counted: what dyno adds."), ours)
	}
	return s
}

// item returns a claim with its outcome, "Claimed: … Measured: 1.05 × (1.01–1.08).", and what the
// outcome rests on.
func (o *Outcome) item() document.Item {
	text := "Claimed: " + document.Stopped(o.Claim.Text)
	if ours := o.OursText(); ours != "" {
		text += " " + measuredAs(o) + ": " + document.Stopped(ours)
	}
	return document.Item{Label: o.Verdict.Label(), Style: claimMarks[o.Verdict].style, Text: document.Plain(text),
		More: document.Texts(evidenceText(o), o.elsewhereText(), amendedText(o),
			report.Led("Not counted: it restates the figure of ", o.Claim.Restates),
			o.Claim.Note, publishedAs(o)+report.Led("; ", whereText(o))+".")}
}

// amendedText says why a claim was amended after the run, and its former outcome.
func amendedText(o *Outcome) string {
	if o.Before == "" {
		return ""
	}
	return document.Stopped("Amended after this run was planned"+report.Led(": ", o.Claim.Was.Why)) +
		" As it was before: " + string(o.Before) + "."
}

// ClaimsText writes only the outcomes for a study's claims.
func ClaimsText(w io.Writer, j *Judged) error {
	v := newPage(j)
	about := document.Section{Blocks: []document.Block{
		document.Paragraph{Label: "Source", Text: document.Plain(v.Claims.Source)},
		document.Paragraph{Label: "Trials", Text: document.Plain(v.Claims.File + ".")}}}
	sections := []document.Section{v.claims(), v.costs(), about}
	return document.Text(w, &document.Document{Sections: sections}, j.Options())
}

// publishedAs returns the published figure or order; for a claim on many contestants the criterion,
// which is the study's.
func publishedAs(o *Outcome) string {
	switch o.Claim.Kind {
	case "":
		return "Published: in words"
	case Most, AllCells, Spread, Repeats:
		return "Published: in words, judged as " + publishedText(o)
	}
	return "Published: " + publishedText(o)
}
