package study

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// sentencesFile lists the sentences in all articles.
const sentencesFile = Folder + "/sentences.csv"

// Coverage puts all studies' claims beside the articles' sentences. all are the judged studies;
// other studies' claims are not run. It returns an error if a claim names a sentence that does not
// exist, or if a sentence has neither a claim nor a reason.
func Coverage(fsys fs.FS, all []*Judged) (*Covered, error) {
	articles, err := ReadSentences(fsys, sentencesFile)
	if err != nil {
		return nil, err
	}
	studies, err := All(fsys)
	if err != nil {
		return nil, err
	}
	c := &Covered{Articles: articles}
	claims := map[string]int{}
	for _, s := range studies {
		i := slices.IndexFunc(all, func(d *Judged) bool { return d.Claims.Slug == s.Slug })
		if i >= 0 {
			c.Claims = append(c.Claims, all[i].Claims)
		} else {
			c.Claims = append(c.Claims, unjudged(s))
		}
		for _, one := range Current(s.Claims) {
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
				errs = append(errs, fmt.Errorf("%s: no claim judges %s, and nothing says why", sentencesFile, s.ID))
			case n > 0 && s.Untestable != "":
				errs = append(errs, fmt.Errorf("%s: %s is said to be untestable, but %d claims judge it", sentencesFile,
					s.ID, n))
			}
			delete(claims, s.ID)
		}
	}
	for _, s := range studies {
		for _, one := range Current(s.Claims) {
			for _, id := range one.Sentences {
				if claims[id] > 0 {
					errs = append(errs, fmt.Errorf("%s/study.toml: the claim %s judges %s, which is not in %s", s.Trials(),
						one.ID, id, sentencesFile))
				}
			}
		}
	}
	return c, errors.Join(errs...)
}

// unjudged returns the claims of a study without trials.
func unjudged(s *Study) *Claims {
	c := &Claims{Slug: s.Slug}
	for _, one := range Current(s.Claims) {
		c.Outcomes = append(c.Outcomes, Outcome{Claim: one, Verdict: NotRun, Reason: "no trials yet"})
	}
	return c
}
