package report

import (
	"cmp"
	"dyno/internal/document"
	"dyno/internal/judge"
)

var styleOf = map[judge.Verdict]document.Style{
	judge.Different:    document.Good,
	judge.Negligible:   document.Same,
	judge.Equivalent:   document.Same,
	judge.Inconclusive: document.Warn,
}

// noRatio says why a pair has no ratio.
func noRatio(p judge.Pair) string { return document.Clean(cmp.Or(p.Note, "no valid round has both")) }

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
