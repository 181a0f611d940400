package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/report"
)

// answer judges the conditions of a comparison, and adds them to its report. It prints what the
// report leaves open: each condition's state with its interval. same says which sides are one
// program.
func answer(w io.Writer, data *report.Data, same string) ([]judgement, error) {
	p := &data.Run.Plan
	conditions, err := parseConditions(p.FailIf, p.First().Open())
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(w)
	if these := attached(data.Run); these != "" && data.Valid > 0 {
		fmt.Fprintf(w, "%s.\n", these)
	}
	if same != "" {
		fmt.Fprintf(w, "%s.\n", same)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	all := withdrawn(judged(p, data.Analysis, conditions), data.Analysis, data.Findings)
	addConditions(data, all)
	for _, j := range all {
		of := ""
		if len(p.Contestants) > contestant.FewestSides || len(comparedAt(p)) > 1 {
			of = j.of + "\t"
		}
		fmt.Fprintf(t, "fail-if %s\t%s%s\t%s\n", j.text, of, j.state, j.figure())
	}
	t.Flush()
	if fails(all, true) && !fails(all, false) {
		text := "An inconclusive condition fails only with --strict."
		if report.BudgetLimited(data) {
			text += " A longer --budget narrows the intervals."
		}
		fmt.Fprintln(w, text)
	}
	return all, nil
}

// figure returns the change with its interval, which is that of this session, and the note.
func (j *judgement) figure() string {
	if j.change.N == 0 {
		return j.note
	}
	return strings.TrimSuffix(strings.Replace(report.Change(j.change), "(", "(here ", 1)+": "+j.note, ": ")
}

// conditionsID is the section of the judged conditions.
const conditionsID = "conditions"

// addConditions adds the judged conditions to the run's report: a section for pages, and what run.json has.
func addConditions(data *report.Data, all []judgement) {
	if len(all) == 0 {
		return
	}
	t := document.Table{Columns: []document.Column{{Head: "Fails " +
		"if", Lead: true}, {Head: "of"}, {Head: "outcome"}, {Head: "change"}}}
	for _, j := range all {
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{{Value: j.text}, {Value: j.of}, {Value: string(j.state)},
			{Value: j.figure()}}})
		one := report.Condition{Text: j.text, Contestant: j.side,
			On: strings.TrimPrefix(strings.TrimPrefix(j.of, j.side), " on "), State: string(j.state),
			Note: document.OrNull(j.note)}
		if j.change.N > 0 {
			one.Change = report.RatioOf(j.change)
		}
		data.Added.Conditions = append(data.Added.Conditions, one)
	}
	data.Added.Sections = append(data.Added.Sections, report.Placed{At: report.BelowAnswer,
		Section: document.Section{ID: conditionsID, Title: "Conditions", Blocks: []document.Block{t}}})
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
