package contestant

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"dyno/internal/conf"

	"dyno/internal/wire"
)

// SideOptions configures FindSides.
type SideOptions struct {
	Contestant string   // the contestant for revisions and programs: a name, or a folder; "": none
	Names      []string // names for the first sides; the rest get derived names
	TLS        wire.TLS // for https:// URLs
	Taken      func(name string) bool
	// Folder returns a contestant's folder in the project; ok is false if there is none. suggestion,
	// which may be empty, follows the words "no contestant NAME".
	Folder func(name string) (dir, suggestion string, ok bool)
}

// FindSides interprets each text as the first of these that applies: a URL, an image, a folder with
// a contestant.toml, a file, a command (a text with spaces), with SideOptions.Contestant a
// revision, else a contestant's name or a program on PATH. Errors are usage errors.
func FindSides(ctx context.Context, texts []string, o SideOptions) ([]*Side, error) {
	if len(texts) < FewestSides || len(texts) > most {
		return nil, conf.Usagef(
			"%d sides: want %d to %d; put a command in quotes: dyno compare 'node a.js' 'node b.js'",
			len(texts), FewestSides, most)
	}
	dir := ""
	if o.Contestant != "" {
		var err error
		if dir, err = o.contestant(); err != nil {
			return nil, err
		}
	}
	var sides []*Side
	for _, text := range texts {
		s, err := o.find(ctx, text, dir)
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
	return sides, o.name(sides)
}

// contestant returns the folder for --of.
func (o *SideOptions) contestant() (string, error) {
	if IsFolder(o.Contestant) {
		return o.Contestant, nil
	}
	dir, suggestion, ok := o.Folder(o.Contestant)
	switch {
	case ok:
		return dir, nil
	case isDir(o.Contestant):
		return "", conf.Usagef("--of: no contestant.toml in %s", o.Contestant)
	}
	return "", conf.Usagef("--of: no contestant %q%s", o.Contestant, suggestion)
}

// imagePrefix marks an image.
const imagePrefix = "image:"

// find interprets one text. dir is the folder for --of, or empty.
func (o *SideOptions) find(ctx context.Context, text, dir string) (*Side, error) {
	s := &Side{Text: text, Again: text}
	st, statErr := os.Stat(text)
	switch {
	case strings.TrimSpace(text) == "":
		return nil, conf.Usagef(
			"a side is empty: want a URL, a command, a folder, a contestant's name, a revision or a program")
	case isURL(text):
		return s, s.takeURL(ctx, o.TLS)
	case strings.HasPrefix(text, imagePrefix):
		s.Kind, s.command.Image = Image, strings.TrimPrefix(text, imagePrefix)
		if s.command.Image == "" || strings.ContainsAny(s.command.Image, " \t") {
			return nil, conf.Usagef(
				"%q: want the name of an image after %s, such as image:docker.io/library/nginx:1.29",
				text, imagePrefix)
		}
		return s, nil
	case text == "." && dir != "" && !IsFolder(text):
		s.Kind, s.folder, s.label = FolderSide, dir, workingTree
		return s, nil
	case IsFolder(text):
		s.Kind, s.folder = FolderSide, text
		return s, nil
	case statErr == nil && st.Mode().IsRegular():
		return s, s.takeFile(dir, st)
	case len(strings.Fields(text)) > 1:
		s.Kind, s.command.Line = CommandSide, text
		return s, nil
	case dir != "":
		return s, s.takeRevision(ctx, dir)
	}
	folder, suggestion, ok := o.Folder(text)
	switch {
	case ok:
		s.Kind, s.folder = Contestant, folder
		return s, nil
	case statErr == nil:
		return nil, conf.Usagef("%s has no contestant.toml; to compare a revision, add --of CONTESTANT; to start a "+
			"server there, pass a command: 'cd %s && ./server'", text, text)
	case onPath(text):
		s.Kind, s.command.Line = CommandSide, text
		return s, nil
	}
	return nil, conf.Usagef("%s not found: it is not a folder with a contestant.toml, a file, a program on PATH or "+
		"a contestant%s; put a command in quotes; to compare a revision, add --of CONTESTANT", text, suggestion)
}

// takeFile takes an executable file: as a replacement for the build of the contestant in dir, or as a
// command.
func (s *Side) takeFile(dir string, st os.FileInfo) (err error) {
	switch {
	case runtime.GOOS != "windows" && st.Mode().Perm()&0o111 == 0:
		return conf.Usagef("%s is not executable; pass the command that starts it, in quotes, such as 'node %s'",
			s.Text, s.Text)
	case dir == "":
		s.Kind, s.command.Line = CommandSide, quoted(s.Text)
		return nil
	}
	s.Kind, s.folder, s.label = Program, dir, "from "+shortened(s.Text, "")
	s.program, err = filepath.Abs(s.Text)
	return err
}

// quoted returns a file's path as a word for the shell, which would look for a bare name on PATH.
func quoted(path string) string {
	if !strings.ContainsRune(filepath.ToSlash(path), '/') {
		path = "./" + path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// takeRevision takes a commit from the repository that holds dir.
func (s *Side) takeRevision(ctx context.Context, dir string) error {
	r, err := FindRevision(ctx, dir, s.Text)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrNoRevision):
		return conf.Usagef("%q is not a contestant's folder, a program, or a revision of the git repository of %s",
			s.Text, dir)
	case err != nil:
		return conf.Usagef("%s: %w", s.Text, err)
	}
	s.Kind, s.revision, s.Again, s.label = RevisionSide, r, r.Commit, "@ "+r.Short()
	return nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

func onPath(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
