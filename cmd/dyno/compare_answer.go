package main

import (
	"strings"

	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/report"
)

// answer judges the conditions of a comparison, and adds to its report each condition's state with
// its interval, and what limits the answer. same says which sides are one program.
func answer(data *report.Data, same string) ([]judgement, error) {
	p := &data.Run.Plan
	conditions, err := parseConditions(p.FailIf, p.First().Open())
	if err != nil {
		return nil, err
	}
	all := withdrawn(judged(p, data.Analysis, conditions), data.Analysis, data.Findings)
	s := document.Section{ID: "conditions"}
	if len(all) > 0 {
		s.Title, s.Blocks = "Conditions", []document.Block{conditionTable(all)}
	}
	limits := []string{same}
	if data.Valid > 0 {
		limits = append(limits, attached(data.Run))
	}
	if fails(all, true) && !fails(all, false) {
		limits = append(limits, "An inconclusive condition fails only with --strict")
		if report.BudgetLimited(data) {
			limits = append(limits, "A longer --budget narrows the intervals")
		}
	}
	for _, text := range report.NonEmpty(limits...) {
		s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain(text + ".")})
	}
	for _, j := range all {
		data.Added.Conditions = append(data.Added.Conditions, j.data())
	}
	data.Added.BelowAnswer = append(data.Added.BelowAnswer, s)
	return all, nil
}

// conditionTable has a row for each judged condition. Its changes have the intervals of this session.
func conditionTable(all []judgement) document.Table {
	t := document.Table{Columns: []document.Column{{Head: "condition", Lead: true}, {Head: "state"}, {Head: "change"},
		{Head: "side"}}}
	for _, j := range all {
		change := document.Cell{Absent: j.note}
		if j.change.N > 0 {
			change = document.Cell{Value: report.Change(j.change)}
		}
		t.Rows = append(t.Rows, document.Row{Notes: report.NonEmpty(j.note),
			Cells: []document.Cell{{Value: "fail-if " + j.text}, {Value: string(j.state)}, change, {Value: j.of}}})
	}
	return t
}

// data returns what run.json has of a judged condition.
func (j *judgement) data() report.Condition {
	one := report.Condition{Text: j.text, Contestant: j.side,
		On: strings.TrimPrefix(strings.TrimPrefix(j.of, j.side), " on "), State: string(j.state),
		Note: document.OrNull(j.note)}
	if j.change.N > 0 {
		one.Change = report.RatioOf(j.change)
	}
	return one
}

// attached returns a note for a run against servers that were already running; "" for other runs.
func attached(r *record.Run) string {
	var all []string
	for _, c := range r.Contestants {
		switch {
		case strings.Contains(c.Processes, "(pid "):
			all = append(all, c.Name+": "+c.Processes)
		case c.URL != "":
			all = append(all, c.Name+": a process that dyno cannot inspect")
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "The result applies to these running " +
		"processes (" + strings.Join(all, "; ") + "): their epochs are blocks of rounds, and freshly started " +
		"processes may differ"
}
