package report

import (
	"fmt"
	"slices"

	"dyno/internal/checks"
)

// question is one of the six that the checks answer, as people see it.
type question struct {
	Question, Plain string
	State           checks.State
	Because         string           // what an answer rests on that is no plain yes
	More            bool             // it rests on more than that
	All             []checks.Finding // worst first
}

// text is the answer in a sentence.
func (q question) text() string {
	if q.Because == "" {
		return q.Plain
	}
	return q.Plain + ": " + q.Because
}

// questions are all six; none where no check was made.
func (v *view) questions() (list []question) {
	if len(v.Findings) == 0 {
		return nil
	}
	for _, a := range checks.Summary(v.Findings) {
		q := question{Question: a.Question.String(), Plain: a.Plain(), State: a.State, All: a.Findings}
		switch {
		case len(a.Findings) == 0 || a.State == checks.Pass:
		case a.State == checks.CannotTell:
			q.Because, q.More = unknown(a.Findings), true
		default:
			n := 0
			for _, f := range a.Findings {
				if f.State >= checks.Warn {
					n++
				}
			}
			q.Because, q.More = v.finding(a.Findings[0]), n > 1
			if q.More {
				q.Because += fmt.Sprintf(" (and %d more)", n-1)
			}
		}
		list = append(list, q)
	}
	return list
}

// unknown names the checks that cannot tell, each once.
func unknown(findings []checks.Finding) string {
	var titles []string
	for _, f := range findings {
		if f.State == checks.CannotTell && !slices.Contains(titles, Clean(f.Title)) {
			titles = append(titles, Clean(f.Title))
		}
	}
	return "the run is too small or too noisy for " + and(titles)
}

// finding is what a check found, and of whom.
func (v *view) finding(f checks.Finding) string {
	who := ""
	if f.Contestant != "" {
		who = v.title(f.Contestant) + ": "
	}
	return who + Clean(orElse(f.Text, f.Title))
}
