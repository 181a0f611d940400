package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/contestant"
	"dyno/internal/refserver"
)

func newCommand() *cobra.Command {
	var f struct {
		From    string
		Folders []string
	}
	cmd := command("new", func(*cobra.Command, []string) error {
		return usagef("say what to make: dyno new contestant LANGUAGE/NAME")
	})
	cmd.AddCommand(command("new contestant", func(cmd *cobra.Command, args []string) error {
		if len(f.Folders) > 1 {
			return usagef("--folder: a new contestant lies in one folder; %d are given", len(f.Folders))
		}
		pr, err := openProject()
		if err != nil {
			return err
		}
		return newContestant(cmd, pr, args[0], f.From, append(f.Folders, "")[0])
	}, &f))
	return cmd
}

// newContestant makes a contestant in folder, or in the project. It prints its path on stdout and
// the next step on stderr.
func newContestant(cmd *cobra.Command, pr *project, text, from, folder string) error {
	language, name, ok := strings.Cut(text, "/")
	if !ok {
		return usagef("%q: want LANGUAGE/NAME, such as go/%s", text, text)
	}
	for _, n := range []string{language, name} {
		if err := contestant.CheckName(n); err != nil {
			return usage(err)
		}
	}
	if _, control, err := refserver.ParseControl(name); control || err != nil {
		return usagef("the name %q is reserved by dyno; choose another", name)
	}
	if folder == "" && pr.found.Carried {
		folder = contestant.Folder
	}
	base := filepath.Join(pr.root, contestant.Folder)
	if folder != "" {
		base = folder
		if contestant.IsFolder(folder) {
			return usagef("--folder: %s is a contestant's folder; pass the folder above its language's folder", folder)
		}
		if len(contestant.Languages(folder)) > 0 {
			if _, err := pr.knowOnly([]string{folder}); err != nil {
				return err
			}
		}
	}
	source := pr.manifest(from)
	if source == nil {
		return usagef("--from: no contestant %q%s", from, suggest(from, pr.names(), "dyno list"))
	}
	if m := pr.manifest(name); m != nil {
		return usagef("the name %q is already used by %s; choose another", name, m.Dir(pr.root))
	}
	if of := filepath.Base(filepath.Dir(source.Dir(pr.root))); of != language {
		return usagef("%s is written in %s; pass %s/%s, or another --from (for a language without a contestant, "+
			"see Another language in dyno help run)", from, of, of, name)
	}
	dir, err := contestant.Copy(source, pr.root, base, language, name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return usagef("%s already exists; choose another name", dir)
	case err != nil:
		return fmt.Errorf("make %s from %s: %w", text, from, err)
	}
	again := ""
	if folder != "" {
		again = " --folder " + quoted(asFolder(folder))
	}
	fmt.Fprintln(cmd.OutOrStdout(), dir)
	fmt.Fprintf(cmd.ErrOrStderr(), "copied %s to %s. Next:\n"+
		"  dyno verify %s%s\n", from, name, name,
		again)
	return nil
}

// asFolder returns a folder's path in a form that cannot be mistaken for a name.
func asFolder(folder string) string {
	if strings.ContainsAny(folder, `/\`) || folder == "." || folder == ".." {
		return folder
	}
	return "." + string(filepath.Separator) + folder
}

// know adds the contestants in the folders among values to the project, and returns the values with
// each folder replaced by its contestants' names. A value is a folder if it contains a slash, or if
// it names no contestant and such a folder exists.
func (p *project) know(values []string) (names []string, err error) {
	known := p.names()
	for _, v := range values {
		if asFolder(v) != v && (slices.Contains(known, v) || !isDir(v)) {
			names = append(names, v)
			continue
		}
		if !isDir(v) {
			return nil, usagef("no folder %s; name a contestant of the project without a slash", v)
		}
		found, err := contestant.ListFolder(v)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if err := p.add(m); err != nil {
				return nil, err
			}
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names, nil
}

// knowOnly does the same as know for a flag that accepts only folders.
func (p *project) knowOnly(folders []string) ([]string, error) {
	for _, f := range folders {
		if !isDir(f) {
			return nil, usagef("--folder: no folder %s", f)
		}
	}
	values := make([]string, len(folders))
	for i, f := range folders {
		values[i] = asFolder(f)
	}
	return p.know(values)
}

// add adds a contestant, unless its folder is already known.
func (p *project) add(m *contestant.Manifest) error {
	old := p.manifest(m.Name)
	switch {
	case old == nil:
		p.manifests = append(p.manifests, m)
		slices.SortFunc(p.manifests, func(a, b *contestant.Manifest) int { return strings.Compare(a.Name, b.Name) })
	case !sameFolder(old.Dir(p.root), m.Dir(p.root)):
		return usagef(
			"%s: the name %q is already used by %s; rename one of them", m.Dir(p.root), m.Name, old.Dir(p.root))
	}
	return nil
}

func sameFolder(a, b string) bool {
	x, err := filepath.EvalSymlinks(a)
	if err != nil {
		return false
	}
	y, err := filepath.EvalSymlinks(b)
	return err == nil && x == y
}
