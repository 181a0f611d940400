package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// belief says how far the figures can be trusted: reasons for doubt, then the six questions that
// the checks answer.
func (v *View) belief(doubts []document.Block) document.Section {
	s := document.Section{ID: "checks", Title: "Can it be believed?", Blocks: doubts}
	if len(v.Findings) == 0 {
		return s
	}
	var list document.List
	for _, a := range judge.Summary(v.Findings) {
		item := document.Item{Label: a.Question.String(), Style: stateStyle[a.State],
			Text: document.Plain(v.because(a))}
		if len(a.Findings) == 0 { // which is no praise
			item.Style = document.Quiet
		}
		if v.Verbose {
			for _, f := range a.Findings {
				item.More = append(item.More, document.Prose{{Text: f.State.String() + " " + f.ID,
					Style: stateStyle[f.State]},
					{Text: " " + v.finding(f)}})
			}
		}
		list.Items = append(list.Items, item)
	}
	s.Blocks = append(s.Blocks, list)
	if len(v.troubles()) > 0 && !v.Verbose {
		s.Blocks = append(s.Blocks, quiet("dyno report --verbose shows all that the checks found."))
	}
	return s
}

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

// findings lists all findings from the checks by their state. A page folds the lists.
func (v *View) findings() document.Section {
	s := document.Section{On: document.OnPage}
	troubles := v.troubles()
	s.Blocks = fold(s.Blocks, document.Count(len(troubles), "finding")+" to heed", v.findingList(troubles))
	for _, of := range []struct {
		state judge.State
		words string
	}{{judge.CannotTell, " cannot tell"}, {judge.Pass, " passed"}} {
		such := slices.DeleteFunc(slices.Clone(v.Findings), func(f judge.Finding) bool { return f.State != of.state })
		s.Blocks = fold(s.Blocks, document.Count(len(such), "check")+of.words, v.findingList(such))
	}
	return s
}

// fold adds a folded list, unless it is empty.
func fold(blocks []document.Block, title string, list document.List) []document.Block {
	if len(list.Items) == 0 {
		return blocks
	}
	return append(blocks, document.Fold{Title: title, Blocks: []document.Block{list}})
}

// figureInText matches a number that is a word of its own, unlike those in level names such as "0ms
// c5000".
var figureInText = regexp.MustCompile(`(^| )[0-9][0-9.,]*( |$)`)

// findingList lists findings. Findings from one check that differ only in contestant and figures
// are one item: the first finding, with the other contestants' names.
func (v *View) findingList(findings []judge.Finding) (list document.List) {
	type kind struct {
		id, text string
		state    judge.State
	}
	items, names := map[kind]int{}, map[int][]string{}
	for _, f := range findings {
		k := kind{f.ID, figureInText.ReplaceAllString(f.Text, "#"), f.State}
		if i, known := items[k]; known && f.Contestant != "" {
			names[i] = append(names[i], v.Title(f.Contestant))
			continue
		}
		items[k] = len(list.Items)
		list.Items = append(list.Items, document.Item{Label: f.State.String(), Style: stateStyle[f.State],
			Text: document.Plain(v.finding(f)), More: document.Texts(f.Title)})
	}
	for i, others := range names {
		item := &list.Items[i]
		item.More = append(item.More, document.Plain("likewise, figures apart: "+strings.Join(others, ", ")))
	}
	return list
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
	return who + document.Clean(orElse(f.Text, f.Title))
}

// Checked returns the six questions with their answers, and the findings behind each answer that is
// not a plain yes: all, or the worst.
func (v *View) Checked(all bool) document.Section {
	s := document.Section{Title: "What the checks found"}
	if len(v.Findings) == 0 {
		return s
	}
	var list document.List
	for _, a := range judge.Summary(v.Findings) {
		item := document.Item{Label: a.Question.String(), Text: document.Plain(a.Plain())}
		if a.State == judge.Pass {
			item.Text = document.Plain(v.because(a))
		}
		troubles := a.Troubles()
		if !all && len(troubles) > 1 {
			item.Text = document.Plain(fmt.Sprintf("%s: %d findings, the worst of which is", a.Plain(), len(troubles)))
			troubles = troubles[:1]
		}
		for _, f := range troubles {
			item.More = append(item.More, document.Plain(f.State.String()+", "+f.Title+": "+v.finding(f)))
		}
		list.Items = append(list.Items, item)
	}
	s.Blocks = []document.Block{list}
	return s
}
