package contestant

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/machine"
)

// Revision is a state of a git repository: a commit, or the working tree, with all files that are not ignored.
type Revision struct {
	Commit string // full hash; the working tree's last commit, "" if there is none
	Tree   string // hash of all files; set by snapshot for the working tree
	Build  string // build command for the shell; "": nothing is built. Unused if the folder is a contestant's
	Start  string // start command for the shell

	repo    string // top of the working tree
	path    string // the side's folder in repo
	working bool   // the working tree
	objects string // folder with the working tree's objects
	guessed *guess // source of Build or Start; nil if both were given
}

var (
	// ErrNoRevision means that the repository has no such commit.
	ErrNoRevision = errors.New("no such revision")
	// errNoRepository means that a folder is in no git repository, or that git is not installed.
	errNoRepository = errors.New("it is in no git repository")
)

// findRepository returns the last commit of the repository that holds the folder dir.
func findRepository(ctx context.Context, dir string) (*Revision, error) {
	places, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel", "--show-prefix")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && (errors.Is(err, exec.ErrNotFound) || strings.HasPrefix(err.Error(), "not a git repository")) {
		return nil, errNoRepository
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	top, path, _ := strings.Cut(places, "\n")
	r := &Revision{repo: top, path: strings.TrimSuffix(path, "/")}
	r.Commit, _ = git(ctx, top, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return r, ctx.Err()
}

// FindRevision finds a commit by any name that git accepts, in the repository that holds the folder dir. The
// error is ErrNoRevision if there is none, and another if dir is in no repository, or did not exist at that
// commit.
func FindRevision(ctx context.Context, dir, name string) (*Revision, error) {
	r, err := findRepository(ctx, dir)
	if err != nil {
		return nil, err
	}
	if r.Commit, err = git(ctx, r.repo, nil, "rev-parse", "--verify", "--quiet", "--end-of-options",
		name+"^{commit}"); err == nil {
		r.Tree, err = git(ctx, r.repo, nil, "rev-parse", r.Commit+"^{tree}")
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, ErrNoRevision
	}
	if kind, _ := git(ctx, r.repo, nil, "cat-file", "-t", r.Tree+":"+r.path); kind != "tree" {
		return nil, fmt.Errorf("revision %s has no folder %s", r.Short(), r.path)
	}
	return r, nil
}

// nearRevision returns the branch or tag in the repository of dir that was probably meant by name, or "".
func nearRevision(ctx context.Context, dir, name string) string {
	names, _ := git(ctx, dir, nil, "for-each-ref", "--format=%(refname:short)")
	return conf.Nearest(name, strings.Fields(names))
}

// Short returns the beginning of the commit hash.
func (r *Revision) Short() string { return r.Commit[:min(7, len(r.Commit))] }

// snapshot writes the working tree's files as objects into the new folder dir. The repository stays as it is.
func (r *Revision) snapshot(ctx context.Context, dir string) error {
	index, err := r.gitPath(ctx, "index")
	if err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil {
		return err
	}
	if text, err := os.ReadFile(index); err == nil { // it knows which files are unchanged
		if err := os.WriteFile(dir+".index", text, 0o600); err != nil {
			return err
		}
	}
	own, err := r.gitPath(ctx, "objects")
	if err != nil {
		return err
	}
	vars := []string{"GIT_INDEX_FILE=" + dir + ".index", "GIT_OBJECT_DIRECTORY=" + dir,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + own}
	if _, err = git(ctx, r.repo, vars, "-c", "core.fsmonitor=false", "add", "--all"); err == nil {
		r.Tree, err = git(ctx, r.repo, vars, "write-tree")
	}
	r.objects = dir
	return err
}

// gitPath returns the path of a file or folder of the repository's own.
func (r *Revision) gitPath(ctx context.Context, name string) (string, error) {
	path, err := git(ctx, r.repo, nil, "rev-parse", "--git-path", name)
	return under(r.repo, path), err
}

// CheckOut writes the files into dir, an empty or new folder, and returns the side's folder in it. The repository
// stays as it is, and its hooks do not run. Programs that ask git in dir get this commit and all tags: dir is a
// repository of its own, which borrows the other one's objects.
func (r *Revision) CheckOut(ctx context.Context, dir string) (string, error) {
	if err := r.checkOut(ctx, dir); err != nil {
		return "", fmt.Errorf("check out %s: %w", r.Short(), err)
	}
	return filepath.Join(dir, filepath.FromSlash(r.path)), nil
}

func (r *Revision) checkOut(ctx context.Context, dir string) error {
	own, err := r.gitPath(ctx, "objects")
	if err != nil {
		return err
	}
	if _, err = git(ctx, r.repo, nil, "clone", "--quiet", "--shared", "--no-checkout", "--template=", r.repo,
		dir); err != nil {
		return err
	}
	if r.Commit != "" { // it may be on no branch
		if _, err := git(ctx, dir, []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + own}, "update-ref", "--no-deref", "HEAD",
			r.Commit); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"objects/info/alternates": own + "\n" + r.objects, "info/exclude": ".dyno/"} {
		file := filepath.Join(dir, ".git", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(strings.TrimSpace(text)+"\n"), 0o644); err != nil {
			return err
		}
	}
	// By the repository's configuration, which may have filters.
	vars := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, ".git", "index")}
	if r.objects != "" {
		vars = append(vars, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+r.objects)
	}
	_, err = git(ctx, r.repo, vars, "-c", "core.hooksPath="+os.DevNull, "-c", "core.sparseCheckout=false",
		"-c", "core.fsmonitor=false", "--work-tree", dir, "read-tree", "--reset", "-u", r.Tree)
	if err != nil {
		return err
	}
	list, err := git(ctx, dir, nil, "ls-files", "--stage", "-z")
	if _, entry, found := strings.Cut("\x00"+list, "\x00160000 "); found {
		_, name, _ := strings.Cut(strings.Split(entry, "\x00")[0], "\t")
		return fmt.Errorf("%s is a submodule, and dyno checks out none; pass the command that starts the server where it "+
			"is built, such as 'cd %s && ./server'", name, r.repo)
	}
	return err
}

// repositoryVariables make git use another repository than the given folder's. Git sets them for hooks.
var repositoryVariables = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES",
}

// git runs git in dir, with further variables, and returns the output without the final newline. The error
// contains git's message, in English.
func git(ctx context.Context, dir string, vars []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		key, _, _ := strings.Cut(v, "=")
		return slices.Contains(repositoryVariables, key)
	}), append(vars, "LC_ALL=C")...)
	out, err := machine.Output(cmd)
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &failed) && len(failed.Stderr) > 0:
		return "", errors.New(strings.TrimPrefix(strings.TrimSpace(string(failed.Stderr)), "fatal: "))
	}
	return strings.TrimSuffix(string(out), "\n"), err
}
