package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/checks"
	"dyno/internal/claim"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
	"dyno/internal/study"
)

// findingsFile is the page that the outcomes of all studies are collected on.
const findingsFile = "doc/findings.md"

func checkCommand() *cobra.Command {
	var write, findings bool
	format := "text"
	cmd := &cobra.Command{
		Use:   "check [STUDY [RUN]]",
		Short: "Judge the claims of a study again, from its committed trials",
		Long: "check gives each claim of a study its outcome, from the trials in studies/STUDY or of another stored RUN; nothing is run. Without a study it checks that\n" +
			"all study files can be read.\n\n" +
			"It ends with 1 where a claim is contradicted. With --write it writes studies/STUDY/README.md, with --findings " + findingsFile + " from the committed trials of\n" +
			"all studies.",
		Args: arguments(cobra.MaximumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			pr, err := openProject()
			if err != nil {
				return err
			}
			switch {
			case findings && (len(args) > 0 || write):
				return usagef("--findings takes the committed trials of all studies; give it alone")
			case findings:
				return pr.writeFindings(cmd)
			case len(args) == 0 && write:
				return usagef("--write needs a study")
			case len(args) == 0:
				return pr.checkAll(cmd)
			}
			return pr.check(cmd, args, write, format)
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "write the study's "+study.ReadmeFile)
	cmd.Flags().BoolVar(&findings, "findings", false, "write "+findingsFile)
	cmd.Flags().StringVar(&format, "format", format, "text, markdown (the study's page) or json")
	return cmd
}

// check judges the claims of one study.
func (p *project) check(cmd *cobra.Command, args []string, write bool, format string) error {
	st, err := p.study(args[0])
	if err != nil {
		return err
	}
	dir := filepath.Join(p.root, filepath.FromSlash(st.Trials()))
	from := dir
	if len(args) > 1 {
		from = args[1]
	}
	data, err := p.judged(st, from)
	if errors.Is(err, fs.ErrNotExist) && len(args) == 1 {
		return usagef("no trials in %s: run it (dyno run %s), and give the run: dyno check %s runs/…", st.Trials(), st.Slug, st.Slug)
	}
	if err != nil {
		return err
	}
	if write {
		if err := st.Whole(data.Run); err != nil {
			return usagef("--write: %w", err)
		}
		var page bytes.Buffer
		if err := report.Readme(&page, data); err != nil {
			return err
		}
		return p.save(cmd, st.Trials()+"/"+study.ReadmeFile, page.Bytes())
	}
	out := cmd.OutOrStdout()
	data.Color = isTerminal(out) && os.Getenv("NO_COLOR") == ""
	data.Width = width(out)
	forms := map[string]report.Writer{"text": report.ClaimsText, "markdown": report.Readme, "json": report.ClaimsJSON}
	form, ok := forms[format]
	if !ok {
		return usagef("--format %q%s", format, suggest(format, []string{"json", "markdown", "text"}, "dyno check --help"))
	}
	if err := form(out, data); err != nil {
		return err
	}
	if slices.ContainsFunc(data.Claims.Outcomes, func(o claim.Outcome) bool { return o.Verdict == claim.Contradicted }) {
		return exit(exitFailed)
	}
	return nil
}

// judged is a stored run with the outcomes of the study's claims.
func (p *project) judged(st *study.Study, from string) (*report.Data, error) {
	run, err := result.Open(from)
	if err != nil {
		return nil, err
	}
	if err := checks.Assert(run); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	data := study.Judge(run)
	name := from
	if rel, err := filepath.Rel(p.root, from); err == nil && !strings.HasPrefix(rel, "..") {
		name = filepath.ToSlash(rel)
	}
	if name == st.Trials() {
		if data.Classic, err = classicOf(st, from); err != nil {
			return nil, err
		}
	}
	data.Claims, err = st.Judge(data, name)
	return data, err
}

// classicOf is the study's record of long loads; nil if it has none.
func classicOf(st *study.Study, dir string) (*report.Data, error) {
	file := filepath.Join(dir, report.ClassicFile)
	run, err := result.Open(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case run.Plan.Study != st.Slug || plan.Of(&run.Plan).Traits().Kind != checks.Classic:
		return nil, fmt.Errorf("%s is a %s of %q; want a classic run of %q (dyno run %s --protocol classic)", file, run.Plan.Protocol, run.Plan.Study, st.Slug, st.Slug)
	}
	if err := checks.Assert(run); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return study.Judge(run), nil
}

// checkAll reads every study.
func (p *project) checkAll(cmd *cobra.Command) error {
	slugs, err := study.Slugs(p.fsys)
	if err != nil {
		return err
	}
	for _, slug := range slugs {
		st, err := study.Read(p.fsys, slug)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: levels %d, claims %d, published figures %d\n", slug, len(st.Levels), len(st.Claims), len(st.Figures))
	}
	return nil
}

// writeFindings collects the outcomes of all studies that have trials.
func (p *project) writeFindings(cmd *cobra.Command) error {
	slugs, err := study.Slugs(p.fsys)
	if err != nil {
		return err
	}
	var all []*report.Data
	for _, slug := range slugs {
		st, err := study.Read(p.fsys, slug)
		if err != nil {
			return err
		}
		data, err := p.judged(st, filepath.Join(p.root, filepath.FromSlash(st.Trials())))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(cmd.ErrOrStderr(), "%s has no trials yet\n", slug)
		case err != nil:
			return err
		case len(data.Claims.Outcomes) > 0:
			all = append(all, data)
		}
	}
	var page bytes.Buffer
	if err := report.FindingsPage(&page, all); err != nil {
		return err
	}
	return p.save(cmd, findingsFile, page.Bytes())
}

// save writes a page of the project and says so.
func (p *project) save(cmd *cobra.Command, name string, page []byte) error {
	if err := os.WriteFile(filepath.Join(p.root, filepath.FromSlash(name)), page, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "written:", name)
	return nil
}

// asked is the study that a plan is of, if its claims are those that the plan was made with; an error where they are others.
func (p *project) asked(of *result.Plan) (*study.Study, error) {
	st, err := p.study(of.Study)
	if err == nil && claim.Hash(st.Claims) != of.ClaimsHash {
		err = fmt.Errorf("those of %s have changed since this run", of.Study)
	}
	return st, err
}

// claims adds to a judged run what it says of its study's claims, if they are those that it was planned with. A run can be shown without.
func claims(cmd *cobra.Command, data *report.Data, file string) {
	pr, err := openProject()
	if err != nil || data.Run.Plan.ClaimsHash == "" {
		return // a run may be shown anywhere
	}
	st, err := pr.asked(&data.Run.Plan)
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "the claims are not judged: %v; dyno check %s %s judges by those of today\n", err, data.Run.Plan.Study, file)
		return
	}
	if data.Claims, err = st.Judge(data, file); err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), err)
	}
}
