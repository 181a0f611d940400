package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/study"
)

// articlesWord is the argument of dyno run that stands for the studies which answer the articles' questions.
const articlesWord = "articles"

// articleFlags are the flags of dyno run articles.
var articleFlags = []string{"format", "offline", "output", "resume", "run-folder", "seed", "wait"}

// articles runs the quick parts of the studies with answers, one after another, each in a folder of its own, and prints
// the answers. Studies that were measured in their folders are not measured again.
func articles(cmd *cobra.Command, f *runFlags, words []string) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	all, err := study.Answers(pr.fsys)
	if err != nil {
		return err
	}
	answers := slices.DeleteFunc(slices.Clone(all), func(a study.Answer) bool {
		return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(a.Study.Slug, w) })
	})
	var names []string
	for _, s := range study.StudiesOf(all) {
		names = append(names, s.Slug)
	}
	studies := study.StudiesOf(answers)
	if wrong := setBeside(cmd, articleFlags); wrong != "" || len(answers) == 0 {
		return usagef("dyno run articles takes the flags --%s, and parts of the names of studies: %s",
			strings.Join(articleFlags, ", --"), strings.Join(names, ", "))
	}
	out, stdout, stderr, again := f.place.output, cmd.OutOrStdout(), cmd.ErrOrStderr(), false
	if err := out.open(documentForms); err != nil {
		return err
	}
	defer out.close()
	f.place.Out, f.Resume, f.place.output = cmp.Or(f.Resume, f.place.Out), "", output{}
	root, err := f.place.begin(f.place.folder(pr))
	if err != nil {
		return err
	}
	cmd.SetOut(stderr) // the studies are progress, the answers are the output
	announce(stderr, root, studies)
	lacks := pr.lacking(cmd, f.place.Offline, answers)
	for _, s := range studies {
		if lacks[s.Slug] != "" {
			fmt.Fprintf(stderr, "%s cannot be measured: %s\n", s.Slug, lacks[s.Slug])
		}
	}
	for i, s := range studies {
		folder, why := filepath.Join(root, s.Slug), lacks[s.Slug]
		fmt.Fprintf(stderr, "\n%d of %d: %s\n", i+1, len(studies), s.Slug)
		judged, err := f.part(cmd, s, folder, why)
		if err != nil {
			fmt.Fprintln(stderr, "not measured:", err)
			again, why = again || why == "", err.Error()
		}
		for j := range answers {
			if a := &answers[j]; a.Study == s {
				a.Judged, a.Why = judged, why
			}
		}
	}
	d := study.AnswersDocument(answers)
	if err := out.document(stdout, d, study.AnswersData(answers)); err != nil {
		return err
	}
	complain(cmd, os.MkdirAll(root, 0o755))
	complain(cmd, foreign.Replace(root, pageFile, 0o600, func(w io.Writer) error { return document.HTML(w, d) }))
	fmt.Fprintln(stderr, "\nThe page:", filepath.Join(root, pageFile))
	if again {
		fmt.Fprintf(stderr, "Go on: dyno run %s --resume %s\n",
			strings.Join(append([]string{articlesWord}, words...), " "), quoted(root))
		return exit(exitFailed)
	}
	return nil
}

// announce prints in which order what is measured, and for how long at most.
func announce(w io.Writer, root string, studies []*study.Study) {
	var whole time.Duration
	fmt.Fprintf(w, "The quick parts of these studies, in this order, into %s:\n", root)
	for _, s := range studies {
		budget := s.Ask(study.Choice{Quick: true}).Budget
		whole += budget
		fmt.Fprintf(w, "  %-27s at most %s of measuring\n", s.Slug, budget)
	}
	fmt.Fprintf(w, "%s of measuring at most; builds, and a load or an epoch that has begun, come on top.\n"+
		"A missing .NET SDK is downloaded, its size is said first; so are packages that the caches of Go and NuGet\n"+
		"lack, whose size is not known before.\n", whole)
}

// lacking finds the toolchains, and returns for each study why none of its answers can be had here; "" if one can.
func (p *project) lacking(cmd *cobra.Command, offline bool, answers []study.Answer) map[string]string {
	found, lacks := map[string]string{}, map[string]string{}
	o := contestant.FindOptions{Offline: offline}
	o.Note = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
	for _, a := range answers {
		lack := ""
		for _, c := range a.Claim.All() {
			m := p.manifest(c.Contestant)
			if m == nil || lack != "" { // nil: a reference server
				continue
			}
			key := fmt.Sprint(m.Toolchain)
			if _, known := found[key]; !known {
				_, err := contestant.Find(cmd.Context(), m, o)
				var u *contestant.Unavailable
				if found[key] = ""; errors.As(err, &u) {
					found[key] = u.Error() + "; " + u.Hint
				}
			}
			lack = report.Led(c.Contestant+" ", found[key])
		}
		if before, known := lacks[a.Study.Slug]; !known || before != "" {
			lacks[a.Study.Slug] = lack
		}
	}
	return lacks
}

// part runs a study in folder, or goes on there, unless it lacks something, and judges it.
func (f *runFlags) part(cmd *cobra.Command, s *study.Study, folder, lack string) (*study.Judged, error) {
	ended := func(r *record.Run) bool { return r.End != nil && r.End.Reason != plan.Interrupted }
	before, err := study.Open(folder)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && ended(before):
		return s.JudgeClaims(study.Evaluate(before), folder)
	case lack != "":
		return nil, errors.New(lack)
	case cmd.Context().Err() != nil:
		return nil, errors.New("interrupted")
	}
	f.place.Out, f.Resume = folder, ""
	if err == nil {
		if _, none := plan.Resumable(before); none == nil {
			f.Resume = folder
		} else if err := os.Rename(folder, folder+time.Now().UTC().Format("-20060102T150405Z")); err != nil {
			return nil, err // what is there does not count
		}
	}
	cmd.Flags().Set("quick", "true")
	failed := run(cmd, f, []string{s.Slug})
	after, err := study.Open(folder)
	var silent exit
	switch {
	case failed != nil && !errors.As(failed, &silent):
		return nil, failed
	case err != nil:
		return nil, err
	case !ended(after):
		return nil, errors.New("interrupted")
	}
	return s.JudgeClaims(study.Evaluate(after), folder)
}
