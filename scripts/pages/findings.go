package main

import (
	"fmt"
	"io"

	"dyno/internal/document"
	"dyno/internal/report"
	"dyno/internal/study"
)

// findingsClaims is the number of claims per study that the page with all studies shows; the
// study's own page has all.
const findingsClaims = 12

// findingsPage writes several studies' outcomes with their reasons, a screen for each study, for
// readers of the articles.
func findingsPage(w io.Writer, all []*study.Judged) error {
	page := &document.Document{Title: "Findings",
		Comment: "Written by `go run ./scripts/pages` from the trials of the studies."}
	about := document.Section{Blocks: []document.Block{document.Paragraph{Text: document.Prose{{Text: "The " +
		"conclusions of the articles, and the results of our trials of today's versions. Each study's page has all " +
		"claims, the figures, their intervals and the machines. A claim is marked not shown everywhere if its " +
		"outcome is another in other sessions or on another model of CPU, as far as that is known. Claims that " +
		"restate a figure count once, and what dyno adds does not count; "},
		{Text: "doc/studies.md", Link: "../doc/studies.md"},
		{Text: " has the rules."}}}}}
	if len(all) == 0 {
		about.Blocks = append(about.Blocks, document.Para("No study has committed trials yet."))
		page.Sections = []document.Section{about}
		return document.Markdown(w, page, 1)
	}
	t := document.Table{Columns: []document.Column{{Head: "study", Lead: true}, {Head: "claims", Number: true}}}
	for _, verdict := range study.Verdicts {
		t.Columns = append(t.Columns, document.Column{Head: verdict.Label(), Number: true})
	}
	for _, d := range all {
		row := document.Row{Cells: []document.Cell{{Value: d.Claims.Slug, Link: d.Claims.Slug + "/" + study.ReadmeFile},
			{Value: fmt.Sprint(count(d.Claims))}}}
		for _, verdict := range study.Verdicts {
			row.Cells = append(row.Cells, document.Cell{Value: fmt.Sprint(count(d.Claims, verdict))})
		}
		t.Rows = append(t.Rows, row)
	}
	about.Blocks = append(about.Blocks, t)
	page.Sections = append(page.Sections, about)
	for _, d := range all {
		page.Sections = append(page.Sections, findingsSection(d))
	}
	return document.Markdown(w, page, 1)
}

// findingsSection returns a study on one screen: its question, its chart, and a line for each
// claim.
func findingsSection(d *study.Judged) document.Section {
	c := d.Claims
	s := document.Section{Title: c.Title, Blocks: []document.Block{document.Para(c.Question), d.Picture(c.Slug + "/")}}
	if text := c.Fixed(); text != "" {
		s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain(text), Style: document.Warn})
	}
	var list document.List
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		if len(list.Items) == findingsClaims {
			break
		}
		if !o.Claim.Counts() {
			continue
		}
		found := document.Clean(o.Reason)
		if len(o.Shown) == 1 && o.Verdict != study.NotTestable {
			found = o.OursText()
		}
		list.Items = append(list.Items, document.Item{Label: o.Label(),
			Text: document.Prose{{Text: document.Stopped(o.Claim.Text) + " "},
				{Text: document.Stopped(found), Style: document.Quiet}}})
	}
	rest := "The figures"
	if n := count(c) - len(list.Items); n > 0 {
		rest = document.Count(n, "more claim")
	}
	s.Blocks = append(s.Blocks, list, document.Paragraph{Text: document.Prose{
		{Text: rest + ": "}, {Text: "the study's page", Link: c.Slug + "/" + study.ReadmeFile},
		{Text: ". Article: " + document.Stopped(c.Source) + " " + report.NewView(d.Data).Here()}}})
	return s
}
