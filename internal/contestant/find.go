package contestant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"

	"dyno/internal/wire"
)

// SideOptions configures FindSides.
type SideOptions struct {
	Dir          string   // folder for revisions; "": the working directory
	Build, Start string   // how revisions are built and started; "": by contestant.toml, or guessed
	Names        []string // names for the first sides; the rest get derived names
	TLS          wire.TLS // encryption, for https:// URLs
	Taken        func(name string) bool
	// Folder returns a contestant's folder in the project; ok is false if there is none. suggestion,
	// which may be empty, follows the words "no contestant NAME".
	Folder func(name string) (dir, suggestion string, ok bool)
}

// FindSides interprets each text as a URL, an image, a folder, a file, a command (a text with spaces), a
// revision, a contestant's name, or a program on PATH. Errors are usage errors.
func FindSides(ctx context.Context, texts []string, o SideOptions) ([]*Side, error) {
	if len(texts) < FewestSides || len(texts) > most {
		return nil, conf.Usagef(
			"%d sides: want %d to %d; put a command in quotes: dyno compare 'node a.js' 'node b.js'",
			len(texts), FewestSides, most)
	}
	if o.Dir != "" && !IsDir(o.Dir) {
		return nil, conf.Usagef("--dir: there is no folder %s", o.Dir)
	}
	var sides []*Side
	for _, text := range texts {
		s, err := o.find(ctx, text)
		if err != nil {
			return nil, err
		}
		sides = append(sides, s)
	}
	encrypted := func(s *Side) bool { return s.target != nil && s.target.TLS != nil }
	if o.TLS.Any() && !slices.ContainsFunc(sides, encrypted) {
		return nil, conf.Usagef("no side is an https:// URL, so --ca, --insecure and the other TLS flags have no " +
			"effect; omit them")
	}
	if o.Dir+o.Build+o.Start != "" && !slices.ContainsFunc(sides, func(s *Side) bool {
		return s.revision != nil || s.Text == "."
	}) {
		return nil, conf.Usagef("no side is a revision, so --dir, --build and --start have no effect; omit them")
	}
	return sides, o.name(sides)
}

// imagePrefix marks an image.
const imagePrefix = "image:"

// find interprets one text.
func (o *SideOptions) find(ctx context.Context, text string) (*Side, error) {
	s := &Side{Text: text}
	st, statErr := os.Stat(text)
	switch {
	case strings.TrimSpace(text) == "":
		return nil, conf.Usagef(
			"a side is empty: want a URL, a command, a folder, a contestant's name, a revision or a program")
	case isURL(text):
		return s, s.takeURL(ctx, o.TLS)
	case strings.HasPrefix(text, imagePrefix):
		s.Kind, s.command.Container = Image, &Container{Image: strings.TrimPrefix(text, imagePrefix), Apart: true}
		return s, s.command.Container.check()
	case strings.HasPrefix(text, composePrefix):
		s.Kind = Image
		c, err := composed(ctx, strings.TrimPrefix(text, composePrefix))
		s.command.Container = c
		return s, err
	case text == ".":
		s.label = workingTree
		return s, s.takeFolder(ctx, cmp.Or(o.Dir, text), o)
	case statErr != nil && len(strings.Fields(text)) > 1:
		s.Kind, s.command.Line = CommandSide, text
		return s, nil
	}
	folder, suggestion, known := o.Folder(text)
	r, noRevision := o.revision(ctx, text)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	other := "" // what else the word stands for, beside a revision
	switch {
	case IsFolder(text) || statErr == nil && st.Mode().IsRegular():
		other = "./" + text
	case known:
		other = folder
	}
	switch { // a revision comes before a program on PATH: some systems have one named HEAD
	case r != nil && other != "":
		name, _ := git(ctx, r.repo, nil, "rev-parse", "--symbolic-full-name", "--end-of-options", text)
		name = strings.TrimSpace(strings.TrimPrefix(name, "--end-of-options")) // "" for HEAD~1
		return nil, conf.Usagef("%s is a revision, and also %s; pass %s for the revision, or %s", text, other,
			cmp.Or(name, r.Commit), other)
	case r != nil:
		s.Kind, s.revision, s.label = RevisionSide, r, "@ "+r.Short()
		return s, nil
	case statErr == nil && st.Mode().IsRegular():
		return s, s.takeFile(st)
	case statErr == nil && st.IsDir() && (!known || IsFolder(text)):
		return s, s.takeFolder(ctx, text, o)
	case known:
		s.Kind, s.folder = Contestant, folder
		return s, nil
	case !errors.Is(noRevision, errNoRepository) && !errors.Is(noRevision, ErrNoRevision):
		return nil, conf.Usagef("%s: %w", text, noRevision)
	case onPath(text):
		s.Kind, s.command.Line = CommandSide, text
		return s, nil
	case errors.Is(noRevision, errNoRepository):
		noRevision = fmt.Errorf("%s is in no git repository; --dir names a folder in one", cmp.Or(o.Dir, "this folder"))
	default:
		noRevision = fmt.Errorf("of the git repository of %s", cmp.Or(o.Dir, "this folder"))
		if near := nearRevision(ctx, cmp.Or(o.Dir, "."), text); near != "" {
			suggestion = fmt.Sprintf("; did you mean %q?", near)
		}
	}
	return nil, conf.Usagef("%s not found: it is not a folder, a file, a program on PATH, a contestant or a revision "+
		"(%w)%s; put a command in quotes", text, noRevision, suggestion)
}

// revision returns the revision of that name in the repository of --dir. A text that is plainly a path is none.
func (o *SideOptions) revision(ctx context.Context, text string) (*Revision, error) {
	if filepath.IsAbs(text) || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || text == ".." {
		return nil, ErrNoRevision
	}
	r, err := FindRevision(ctx, cmp.Or(o.Dir, "."), text)
	if r != nil {
		r.Build, r.Start = o.Build, o.Start
	}
	return r, err
}

// takeFolder takes a folder's contestant, or else the working tree of its git repository.
func (s *Side) takeFolder(ctx context.Context, dir string, o *SideOptions) (err error) {
	s.Kind, s.folder = FolderSide, dir
	if IsFolder(dir) && o.Build+o.Start == "" {
		if dir == s.Text { // not that of --dir
			s.label = ""
		}
		return nil
	}
	if s.revision, err = findRepository(ctx, dir); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return conf.Usagef("%s: there is no contestant.toml, and %w; to start a server there, pass a command: "+
			"'cd %[1]s && ./server'", dir, err)
	}
	s.revision.working, s.revision.Build, s.revision.Start = true, o.Build, o.Start
	return nil
}

// takeFile takes an executable file as a command.
func (s *Side) takeFile(st os.FileInfo) error {
	if st.Mode().Perm()&0o111 == 0 {
		return conf.Usagef("%s is not executable; pass the command that starts it, in quotes, such as 'node %s'",
			s.Text, s.Text)
	}
	path := s.Text
	if !strings.ContainsRune(filepath.ToSlash(path), '/') { // the shell would look for a bare name on PATH
		path = "./" + path
	}
	s.Kind, s.command.Line = CommandSide, ShellWord(path)
	return nil
}

// IsDir reports whether there is a folder at path.
func IsDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

func onPath(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
