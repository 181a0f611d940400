package contestant

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"
)

// manifest returns a manifest for the revision's folder, checked out in dir. It guesses Build and Start if they are
// empty and there is one obvious way.
func (r *Revision) manifest(ctx context.Context, name, dir string) (*Manifest, error) {
	var g *guess
	var why error
	if r.Build == "" || r.Start == "" {
		g, why = guessIn(ctx, dir)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var missing []string
	switch {
	case r.Start == "" && g != nil && (r.Build == "" || g.apart):
		r.Start, r.guessed = g.start, g
	case r.Start == "":
		missing = append(missing, "--start './server --port {port}'")
	}
	switch {
	case r.Build == "" && g != nil:
		r.Build, r.guessed = g.build, g
	case r.Build == "" && r.Start == "":
		missing = append([]string{"--build 'make'"}, missing...)
	}
	if len(missing) > 0 {
		how := "build and start"
		if r.Build != "" {
			how = "start"
		}
		return nil, conf.Usagef("dyno cannot tell how to %s %s: %w. Pass, for example: %s", how, r,
			cmp.Or(why, errors.New("--build alone does not say it")), strings.Join(missing, " "))
	}
	c := &Command{Line: r.Start, Dir: dir}
	m := &Manifest{Name: name, Title: name, Language: c.Language(), Framework: c.Program(), Version: r.Short(),
		Command: c, Revision: r, Build: []string{"/bin/sh", "-c", r.Build}}
	for _, g := range guesses { // also if the build was given
		if tool, _, _ := strings.Cut(g.build, " "); strings.HasPrefix(r.Build, tool+" ") {
			m.Toolchain = map[string]string{g.tool: g.floor}
		}
	}
	return m, nil
}

// Guessed returns the flags that stand for what was guessed, and the file that it was guessed from; "" if nothing
// was.
func (s *Side) Guessed() (build, start, file string) {
	if s.revision == nil || s.revision.guessed == nil {
		return "", "", ""
	}
	g := s.revision.guessed
	if s.revision.Build == g.build {
		build = g.build
	}
	if s.revision.Start == g.start {
		start = g.start
	}
	return build, start, g.file
}

// String returns the revision for messages.
func (r *Revision) String() string {
	if r.working {
		return "the working tree " + filepath.Join(r.repo, filepath.FromSlash(r.path))
	}
	return strings.TrimSuffix("commit "+r.Short()+" in "+r.path, " in ")
}

// buildRevision checks a revision out into a folder of dyno's cache, which is named by a hash of all that the build
// depends on, and builds it there. The server is started in this folder.
func buildRevision(ctx context.Context, m *Manifest, tc Toolchain, o BuildOptions) (*Built, error) {
	r := m.Revision
	fail := func(err error) (*Built, error) { return nil, &Failed{Stage: "build", Err: err} }
	if o.Cache == "" {
		var err error
		if o.Cache, err = Cache(); err != nil {
			return fail(err)
		}
	}
	out, kept := filepath.Join(o.Cache, "built", "revision-"+r.key(tc)[:16]), true
	var broken error // the build's
	err := keepInPlace(ctx, out, o.Note, func() error {
		kept = false
		dir, err := r.CheckOut(ctx, out)
		if err == nil && r.Build != "" {
			broken = compile(ctx, m, tc, dir, out, &o)
		}
		return cmp.Or(err, broken, os.RemoveAll(filepath.Join(out, ".git")))
	})
	switch {
	case broken != nil:
		return nil, broken
	case err != nil:
		return fail(err)
	case kept && o.Note != nil:
		o.Note("kept from an earlier build of the same files")
	}
	own, command := *m, *m.Command
	command.Dir = filepath.Join(out, filepath.FromSlash(r.path))
	own.Command = &command
	b := Commanded(&own)
	maps.Copy(b.Env, runtimeEnv(m, tc))
	b.Sources, b.Kept, b.tc = r.key(tc), kept, tc
	return b, nil
}

// compilers are the beginnings of the names of environment variables that change what a build makes.
var compilers = []string{"GO", "CGO_", "CC", "CXX", "CPP", "CFLAGS", "LDFLAGS", "RUST", "CARGO", "NODE", "npm_",
	"PYTHON", "PIP", "JAVA", "MAVEN", "DOTNET", "NUGET"}

// key returns a hash of what the build depends on: the files, the command, the programs that the build names, and
// the environment of compilers.
func (r *Revision) key(tc Toolchain) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q\n", r.Tree, r.path, r.Build, []string{tc.Name, tc.Version, tc.Dir})
	for _, words := range commands(r.Build) {
		program, err := exec.LookPath(words[program(words)])
		if err != nil {
			continue // in the folder, or the shell's
		}
		if program, err = filepath.EvalSymlinks(program); err == nil {
			if st, err := os.Stat(program); err == nil {
				fmt.Fprintf(h, "%q %d %d\n", program, st.Size(), st.ModTime().UnixNano())
			}
		}
	}
	for _, set := range slices.Sorted(slices.Values(os.Environ())) {
		if slices.ContainsFunc(compilers, func(c string) bool { return strings.HasPrefix(set, c) }) {
			fmt.Fprintf(h, "%q\n", set)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// environment returns the variables of a build: the user's, without those that lead git elsewhere.
func (r *Revision) environment(m *Manifest, tc Toolchain) map[string]string {
	env := Commanded(m).Env
	for _, name := range repositoryVariables {
		delete(env, name)
	}
	if cache, err := os.UserCacheDir(); err == nil { // shared with the user's own builds
		env["XDG_CACHE_HOME"] = cache
	}
	if tc.Program != "" {
		env["PATH"] = filepath.Dir(tc.Program) + string(os.PathListSeparator) + env["PATH"]
	}
	maps.Copy(env, runtimeEnv(m, tc))
	return env
}
