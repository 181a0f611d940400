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

	"dyno/internal/machine"
)

// Revision is a commit in the git repository that holds a contestant's folder.
type Revision struct {
	Commit string // full hash
	repo   string // top of the working tree
	path   string // the contestant's folder in repo
}

// ErrNoRevision means that the repository has no such commit.
var ErrNoRevision = errors.New("no such revision")

// FindRevision finds a commit by any name that git accepts, in the repository that holds the contestant's
// folder dir. The error is ErrNoRevision if there is none, and another if dir is in no repository, or had no
// contestant.toml at that commit.
func FindRevision(ctx context.Context, dir, name string) (*Revision, error) {
	places, err := git(ctx, dir, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("find the git repository of %s: %w", dir, err)
	}
	top, path, _ := strings.Cut(places, "\n")
	r := &Revision{repo: top, path: strings.TrimSuffix(path, "/")}
	r.Commit, err = git(ctx, top, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, ErrNoRevision
	}
	manifest := filepath.ToSlash(filepath.Join(r.path, "contestant.toml"))
	if _, err := git(ctx, top, "cat-file", "-e", r.Commit+":"+manifest); err != nil {
		return nil, fmt.Errorf("revision %s has no %s", r.Short(), manifest)
	}
	return r, nil
}

// Short returns the beginning of the commit hash.
func (r *Revision) Short() string { return r.Commit[:min(7, len(r.Commit))] }

// CheckOut writes the commit's files into the new folder dir and returns the contestant's folder in it. The
// repository stays as it is: the checkout has its own index.
func (r *Revision) CheckOut(ctx context.Context, dir string) (string, error) {
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		// The repository's hooks must not affect the measured program.
		_, err = gitWith(ctx, r.repo, "GIT_INDEX_FILE="+dir+".index", "-c", "core.hooksPath="+os.DevNull,
			"--work-tree", dir, "checkout", "--quiet", r.Commit, "--", ".")
	}
	if err != nil {
		return "", fmt.Errorf("check out %s: %w", r.Short(), err)
	}
	return filepath.Join(dir, filepath.FromSlash(r.path)), nil
}

// repository lists the variables that make git use another repository than the given folder's. Git sets them
// for hooks.
var repository = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
}

// git runs git in dir and returns the output without the final newline. The error contains git's message, in English.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	return gitWith(ctx, dir, "LC_ALL=C", args...)
}

// gitWith does the same as git, with one more environment variable.
func gitWith(ctx context.Context, dir, variable string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		key, _, _ := strings.Cut(v, "=")
		return slices.Contains(repository, key)
	}), variable)
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
