package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"dyno/internal/contestant"
	"dyno/internal/foreign"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/study"
)

func checkCommand() *cobra.Command {
	var f struct {
		Write  bool
		Format string
	}
	return command("check", func(cmd *cobra.Command, args []string) error {
		pr, err := openProject()
		if err != nil {
			return err
		}
		return pr.check(cmd, args, f.Write, f.Format)
	}, &f)
}

// check judges one study's claims.
func (p *project) check(cmd *cobra.Command, args []string, write bool, format string) error {
	st, err := p.study(args[0])
	if err != nil {
		return err
	}
	from := st.Committed(p.root)
	if len(args) > 1 {
		if from, err = findRun(cmd, args[1]); err != nil {
			return err
		}
	}
	data, err := st.Stored(p.root, from)
	if errors.Is(err, fs.ErrNotExist) && len(args) == 1 {
		also := ""
		if p.found.Carried {
			also = "; committed trials come only with a checkout of dyno"
		}
		return usagef("no trials in %s; run the study (dyno run %s), then pass that run: dyno check %s %s/…%s",
			st.Trials(), st.Slug, st.Slug, p.found.Runs(), also)
	}
	if err != nil {
		return err
	}
	if write {
		if len(args) > 1 { // the page is about the committed trials, even if the study has asked for more since
			if err := st.Whole(data.Run); err != nil {
				return usagef("--write: %w", err)
			}
		}
		pages, err := study.Pages(data)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			if err := p.save(cmd, st.Trials()+"/"+name, pages[name]); err != nil {
				return err
			}
		}
		return nil
	}
	out := cmd.OutOrStdout()
	data.Color = colored(out)
	data.Width = width(out)
	forms := map[string]func(io.Writer, *study.Judged) error{"text": study.ClaimsText, "markdown": study.Readme,
		"json": study.ClaimsJSON}
	if err := forms[cmp.Or(format, "text")](out, data); err != nil {
		return err
	}
	if slices.ContainsFunc(data.Claims.Outcomes,
		func(o study.Outcome) bool { return o.Verdict == study.Contradicted }) {
		return exit(exitFailed)
	}
	return nil
}

// save writes one of the project's pages and prints its name.
func (p *project) save(cmd *cobra.Command, name string, page []byte) error {
	if p.found.Carried {
		return usagef("write %s: this needs a checkout of dyno; run dyno inside one, or set %s to one", name,
			contestant.Variable)
	}
	if err := foreign.Replace(p.root, filepath.FromSlash(name), 0o644, func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	}); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "written:", name)
	return nil
}

// asked returns a plan's study. It returns an error if the study's claims have changed since.
func (p *project) asked(of *record.Plan) (*study.Study, error) {
	st, err := p.study(of.Study.Slug)
	if err == nil && study.Hash(st.Claims) != of.Study.ClaimsHash {
		err = fmt.Errorf("the claims of %s have changed since this run", of.Study.Slug)
	}
	return st, err
}

// claims adds the study's question and its claims' outcomes to a judged run. If the run was planned
// with other claims, the report says so. A run can be shown without them.
func claims(cmd *cobra.Command, data *report.Data, file string) {
	pr, err := openProject()
	if err != nil || data.Run.Plan.Study.Slug == "" {
		return // a run may be shown anywhere
	}
	st, err := pr.study(data.Run.Plan.Study.Slug)
	switch {
	case err == nil && data.Run.Plan.Study.ClaimsHash == "" && len(st.Claims) > 0:
		return // only a part of the study, or other levels
	case err == nil:
		_, err = st.JudgeClaims(data, file)
	case data.Run.Plan.Study.ClaimsHash == "":
		return
	}
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "the claims are not judged:", err)
	}
}
