package study

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/report"
)

// Answer is a claim that answers its article's question, and its outcome in a run.
type Answer struct {
	Article Article
	Study   *Study
	Claim   Claim
	Judged  *Judged // the run; nil if there is none
	Why     string  // why there is no run
}

// Answers returns the claims with the key answers, in the order of the articles and studies.
func Answers(fsys fs.FS) (all []Answer, err error) {
	articles, err := ReadSentences(fsys, SentencesFile)
	if err != nil {
		return nil, err
	}
	studies, err := All(fsys)
	for _, a := range articles {
		for _, s := range studies {
			for _, c := range Current(s.Claims) {
				if c.Answers == a.Letter {
					all = append(all, Answer{Article: a, Study: s, Claim: c})
				}
			}
		}
	}
	return all, err
}

// SentencesFile lists the sentences in all articles.
const SentencesFile = Folder + "/sentences.csv"

var yearIn = regexp.MustCompile(`\b20\d\d\b`)

// item returns the answer, then and now.
func (a *Answer) item() document.Item {
	then := yearIn.FindString(a.Article.Source) + ": " + document.Stopped(a.Claim.Text)
	o := a.outcome()
	it := document.Item{Label: o.Verdict.Label(), Style: claimMarks[o.Verdict].style}
	ours := ""
	if o.judged() {
		ours = o.OursText()
	}
	now := "Not measured: " + document.Stopped(cmp.Or(document.Clean(a.Why), o.Reason))
	if ours != "" {
		r := a.Judged.Run
		now = fmt.Sprintf("Measured %s on %s: %s", time.Unix(0, r.Plan.Origin.StartedUnixNS).UTC().Format("2 Jan 2006"),
			cmp.Or(document.Clean(r.Host.CPU), "an unknown CPU"), document.Stopped(ours)) + report.Led(" ", o.elsewhereText())
	} else if a.Judged != nil && o.judged() {
		now = "Measured, and no figure: " + document.Stopped(o.Reason)
	}
	it.Text = document.Prose{{Text: then + " "}, {Text: now, Style: document.Strong}}
	return it
}

// outcome returns the claim's outcome in the run.
func (a *Answer) outcome() *Outcome {
	if a.Judged != nil {
		for i := range a.Judged.Claims.Outcomes {
			if o := &a.Judged.Claims.Outcomes[i]; o.Claim.ID == a.Claim.ID {
				return o
			}
		}
	}
	m, _ := MetricNamed(a.Claim.Metric)
	return &Outcome{Claim: a.Claim, Metric: m, Verdict: NotRun}
}

// AnswersDocument returns the articles' answers, then and now.
func AnswersDocument(all []Answer) *document.Document {
	d := &document.Document{Title: "Articles, then and now"}
	for i := range all {
		a := &all[i]
		if i == 0 || all[i-1].Article.Letter != a.Article.Letter {
			source, _, _ := strings.Cut(a.Article.Source, "; ")
			d.Sections = append(d.Sections, document.Section{Title: source, Blocks: []document.Block{document.List{}}})
		}
		list := &d.Sections[len(d.Sections)-1].Blocks[0]
		*list = document.List{Items: append((*list).(document.List).Items, a.item())}
	}
	return d
}

// AnswersData returns the answers as JSON has them; doc/format.md has the keys.
func AnswersData(all []Answer) any {
	return object{"format": 3, "answers": objects(all, func(a *Answer) object {
		one := (&Claims{Source: a.Study.Source}).outcomeJSON(a.outcome())
		one["article"], one["study"], one["not_measured"] = a.Article.Source, a.Study.Slug, document.OrNull(a.Why)
		return one
	})}
}

// StudiesOf returns the studies of the answers, each once.
func StudiesOf(all []Answer) (studies []*Study) {
	for i := range all {
		if !slices.ContainsFunc(studies, func(s *Study) bool { return s.Slug == all[i].Study.Slug }) {
			studies = append(studies, all[i].Study)
		}
	}
	return studies
}
