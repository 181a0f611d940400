package report

import (
	"cmp"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// because returns the answer to a question, with its reasons.
func (v *View) because(a judge.Answer) string {
	text := a.Plain()
	switch {
	case a.Question == judge.AnswersRight && a.State == judge.Pass:
		return text + ": " + strings.Join(append([]string{v.compared()}, v.run.CheckedAlso()...), "; ")
	case len(a.Findings) == 0 || a.State == judge.Pass:
		return text + Led(",", v.enough(a))
	case a.State == judge.CannotTell:
		why, n := v.unknown(a)
		return text + ": " + why + further(n)
	}
	return text + ": " + v.finding(a.Findings[0]) + further(len(a.Troubles())-1)
}

// further says how many more findings there are.
func further(n int) string {
	if n == 0 {
		return ""
	}
	return " (and " + document.Count(n, "more finding") + ")"
}

// unknown says why a question has no answer: the first finding without one, and the number of
// others.
func (v *View) unknown(a judge.Answer) (why string, more int) {
	open := slices.DeleteFunc(slices.Clone(a.Findings),
		func(f judge.Finding) bool { return f.State != judge.CannotTell })
	return v.finding(open[0]), len(open) - 1
}

// finding describes a finding and names its contestant.
func (v *View) finding(f judge.Finding) string {
	who := ""
	if f.Contestant != "" {
		who = v.Title(f.Contestant) + ": "
	}
	return who + document.Clean(cmp.Or(f.Text, f.Title))
}

// Checked returns the six questions with their answers, and below each answer its further findings:
// those that are no plain yes, if all is set, and every one in full detail.
func (v *View) Checked(all bool) document.Section {
	s := document.Section{ID: "checks", Title: "What the checks found"}
	if len(v.Findings) == 0 {
		return s
	}
	var list document.List
	for _, a := range judge.Summary(v.Findings) {
		item := document.Item{Label: a.Question.String(), Style: stateStyle[a.State], Text: document.Plain(v.because(a))}
		if len(a.Findings) == 0 { // which is no praise
			item.Style = document.Quiet
		}
		for i, f := range a.Findings {
			switch {
			case v.Verbose:
				item.More = append(item.More, document.Prose{{Text: f.State.String() + " " + f.ID, Style: stateStyle[f.State]},
					{Text: " " + v.finding(f)}})
			case all && i > 0 && f.State != judge.Pass:
				item.More = append(item.More, document.Plain(f.State.String()+", "+f.Title+": "+v.finding(f)))
			}
		}
		list.Items = append(list.Items, item)
	}
	s.Blocks = []document.Block{list}
	return s
}
