package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/study"
)

// covered is every sentence in the articles, and the claims that judge it.
type covered struct {
	Articles []study.Article
	Claims   []*study.Claims // claims by study
}

// judgment is a claim that judges a sentence.
type judgment struct {
	slug    string
	outcome *study.Outcome
}

// of returns the claims that judge a sentence, in the order of the studies.
func (c *covered) of(id string) (list []judgment) {
	for _, s := range c.Claims {
		for i := range s.Outcomes {
			if slices.Contains(s.Outcomes[i].Claim.Sentences, id) {
				list = append(list, judgment{s.Slug, &s.Outcomes[i]})
			}
		}
	}
	return list
}

// The classes of sentences. A sentence is not testable if all its claims are, and not measured yet
// if its claims wait for a run.
const (
	isJudged = iota
	isMissing
	isUntestable
	classes
)

// class returns a sentence's class.
func (c *covered) class(s *study.Sentence) int {
	class := isUntestable
	for _, j := range c.of(s.ID) {
		switch j.outcome.Verdict {
		case study.NotTestable:
		case study.NotRun:
			class = isMissing
		default:
			return isJudged
		}
	}
	if s.Missing != "" {
		return isMissing
	}
	return class
}

// cover puts all studies' claims beside the articles' sentences. all are the judged studies;
// other studies' claims are not run. It returns an error if a claim names a sentence that does not
// exist, or if a sentence has neither a claim nor a reason.
func cover(fsys fs.FS, studies []*study.Study, all []*study.Judged) (*covered, error) {
	articles, err := study.ReadSentences(fsys, study.SentencesFile)
	if err != nil {
		return nil, err
	}
	c := &covered{Articles: articles}
	claims := map[string]int{}
	for _, s := range studies {
		i := slices.IndexFunc(all, func(d *study.Judged) bool { return d.Claims.Slug == s.Slug })
		if i >= 0 {
			c.Claims = append(c.Claims, all[i].Claims)
		} else {
			c.Claims = append(c.Claims, unjudged(s))
		}
		for _, one := range study.Current(s.Claims) {
			for _, id := range one.Sentences {
				claims[id]++
			}
		}
	}
	var errs []error
	for _, a := range articles {
		for _, s := range a.Sentences {
			switch n := claims[s.ID]; {
			case n == 0 && s.Untestable == "" && s.Missing == "":
				errs = append(errs, fmt.Errorf("%s: no claim judges %s, and nothing says why", study.SentencesFile, s.ID))
			case n > 0 && s.Untestable != "":
				errs = append(errs, fmt.Errorf("%s: %s is said to be untestable, but %d claims judge it", study.SentencesFile,
					s.ID, n))
			}
			delete(claims, s.ID)
		}
	}
	for _, s := range studies {
		for _, one := range study.Current(s.Claims) {
			for _, id := range one.Sentences {
				if claims[id] > 0 {
					errs = append(errs, fmt.Errorf("%s/study.toml: the claim %s judges %s, which is not in %s", s.Trials(),
						one.ID, id, study.SentencesFile))
				}
			}
		}
	}
	return c, errors.Join(errs...)
}

// unjudged returns the claims of a study without trials.
func unjudged(s *study.Study) *study.Claims {
	c := &study.Claims{Slug: s.Slug}
	for _, one := range study.Current(s.Claims) {
		c.Outcomes = append(c.Outcomes, study.Outcome{Claim: one, Verdict: study.NotRun, Reason: "no trials yet"})
	}
	return c
}

// coveragePage writes the result for each sentence in the articles: the claims that judge it with
// their outcomes, or why there is none.
func coveragePage(w io.Writer, c *covered) error {
	page := &document.Document{Title: "Coverage: every sentence of the articles", Comment: "Written by `go run " +
		"./scripts/pages` from studies/sentences.csv, the studies and their trials. Change those, not this page."}
	about := document.Section{Blocks: []document.Block{document.Paragraph{Text: document.Prose{{Text: "Each " +
		"sentence, table row and caption that concludes, claims or measures something, in our own words, with the " +
		"claims that judge it and their outcomes in the committed trials; or why there is none. A sentence is judged " +
		"if a claim of it has an outcome. It is not measured yet if its claims wait for a run, or for something to " +
		"be built. Not testable is also what claims nothing: a set-up, a question, thanks. " +
		"The studies' pages have the figures; "}, {Text: "doc/studies.md", Link: "../doc/studies.md"},
		{Text: " has the rules."}}}}}
	t := document.Table{Columns: []document.Column{{Head: "article", Lead: true}, {Head: "ids"},
		{Head: "sentences", Number: true}, {Head: "judged", Number: true}, {Head: "not measured yet", Number: true},
		{Head: "not testable", Number: true}}}
	var all [classes]int
	for i := range c.Articles {
		var n [classes]int
		for j := range c.Articles[i].Sentences {
			class := c.class(&c.Articles[i].Sentences[j])
			n[class]++
			all[class]++
		}
		t.Rows = append(t.Rows, countRow(c.Articles[i].Title, c.Articles[i].Letter, n))
	}
	t.Rows = append(t.Rows, countRow("all", "", all))
	about.Blocks = append(about.Blocks, t)
	page.Sections = []document.Section{about}
	for i := range c.Articles {
		page.Sections = append(page.Sections, c.section(&c.Articles[i]))
	}
	return document.Markdown(w, page, 1)
}

func countRow(title, letter string, n [classes]int) document.Row {
	row := document.Row{Cells: []document.Cell{{Value: title}, {Value: letter},
		{Value: fmt.Sprint(n[isJudged] + n[isMissing] + n[isUntestable])}}}
	for _, count := range n {
		row.Cells = append(row.Cells, document.Cell{Value: fmt.Sprint(count)})
	}
	return row
}

// section returns the table of one article's sentences.
func (c *covered) section(a *study.Article) document.Section {
	t := document.Table{Columns: []document.Column{{Head: "id", Lead: true}, {Head: "where"}, {Head: "what it says"},
		{Head: "claims and outcomes"}}}
	for i := range a.Sentences {
		s := &a.Sentences[i]
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{{Value: s.ID}, {Value: s.Place}, {Value: s.Says},
			c.answer(s)}})
	}
	return document.Section{Title: a.Title, Blocks: []document.Block{
		document.Para(document.Stopped(a.Source)), t}}
}

// answer is a sentence's result: a line for each claim, linked to their study's page.
func (c *covered) answer(s *study.Sentence) document.Cell {
	var lines, slugs []string
	for _, j := range c.of(s.ID) {
		lines = append(lines, j.outcome.Verdict.Label()+": "+j.outcome.Claim.ID)
		if !slices.Contains(slugs, j.slug) {
			slugs = append(slugs, j.slug)
		}
	}
	if s.Untestable != "" {
		lines = append(lines, "– not testable: "+s.Untestable)
	}
	if s.Missing != "" {
		lines = append(lines, "○ not measured yet: "+s.Missing)
	}
	cell := document.Cell{Value: strings.Join(lines, "\n")}
	if len(slugs) == 1 {
		cell.Link = slugs[0] + "/" + study.ReadmeFile
	}
	return cell
}
