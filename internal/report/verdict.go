package report

import (
	"fmt"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// sentence is a pair's verdict in words, with p-values in the details. Its joined parts are one
// sentence without a full stop.
type sentence struct {
	Claim   string // "Iris serves 1.42 × (1.38–1.47) the requests of Gin: "
	Verdict string // for example "different"
	Rest    string // " (p = 0.007)", or the reason
	Kind    judge.Verdict
}

func (s sentence) String() string { return s.Claim + s.Verdict + s.Rest }

// text returns the sentence, with the verdict in its usual style.
func (s sentence) text() document.Prose {
	return document.Prose{{Text: s.Claim}, {Text: s.Verdict, Style: styleOf[s.Kind]}, {Text: s.Rest}}
}

var styleOf = map[judge.Verdict]document.Style{
	judge.Different:    document.Good,
	judge.Negligible:   document.Same,
	judge.Equivalent:   document.Same,
	judge.Inconclusive: document.Warn,
}

// sentence returns the verdict on a pair, with the better one first.
func (v *View) sentence(p judge.Pair) sentence {
	if p.Better == p.B && p.Better != "" {
		p = p.Turned()
	}
	m, _ := judge.MetricNamed(p.Metric)
	s := sentence{Kind: p.Verdict, Verdict: v.verdictWord(p.Verdict)}
	s.Claim = v.Title(p.A) + " " + fmt.Sprintf(m.Says().Factor, Times(p.Ratio)) + " " + v.Title(p.B) + ": "
	evidence := ""
	if v.Verbose {
		evidence = " (" + pText("p", p.P) + ")"
	}
	switch {
	case p.Ratio.N == 0:
		s.Claim, s.Verdict = v.Title(p.A)+" and "+v.Title(p.B)+": ", "not compared"
		s.Rest = ": " + noRatio(p)
	case p.Verdict == judge.Equivalent: // its interval says why
	case v.a.Interim == 0:
		s.Verdict, s.Kind, s.Rest = notSeparated, judge.Inconclusive, " (before the first analysis)"
	case p.Verdict == judge.Negligible:
		s.Rest = ", certain but within " + PerCent(v.margin()) + evidence
	case p.Note != "":
		s.Verdict, s.Rest = "no verdict", ": "+document.Clean(p.Note)
	default:
		s.Rest = evidence
	}
	if e := p.Elsewhere; e != nil && isDifferent(p.Verdict) {
		s.Rest += "; " + v.there(fmt.Sprintf("%s (%s)", v.verdictWord(e.Verdict), bounds(e.Ratio)))
	}
	return s
}

// noRatio says why a pair has no ratio.
func noRatio(p judge.Pair) string { return document.Clean(orElse(p.Note, "no valid round has both")) }

// notSeparated is the verdict if neither a difference nor equality is shown.
const notSeparated = "not separated"

// equal returns the verdict if equality is shown.
func (v *View) equal() string { return "equal within " + PerCent(v.margin()) }

// verdictWord returns the word that reports use for a verdict. Records and JSON use other words.
func (v *View) verdictWord(verdict judge.Verdict) string {
	switch verdict {
	case judge.Equivalent:
		return v.equal()
	case judge.Inconclusive:
		return notSeparated
	}
	return string(verdict)
}

// hasTwins reports whether the run has a copy of its reference.
func (v *View) hasTwins() bool { return len(v.run.Plan.Controls) > 1 }
