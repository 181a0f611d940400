package contestant

import (
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno/internal/machine"
	"dyno/internal/scenario"
)

// Built is a contestant ready to launch.
type Built struct {
	Manifest *Manifest
	Argv     []string
	Dir      string            // working directory; empty means the contestant's home
	Env      map[string]string // environment, in addition to the allow-listed variables and dyno's
	Out      string            // folder with the built files
	Hash     string            // SHA-256 of the program, set by Identify
	Sources  string            // SHA-256 of what makes the program; empty if dyno did not build it
	Kept     bool              // a revision that an earlier run built
	tc       Toolchain
	service  *scenario.Service // nil for a contestant
	data     string            // folder in the cache with the service's data; "": it starts without
	bytes    int64             // size of data
	nobody   bool              // the service runs as the user nobody
	engine   *engine           // engine that runs an image; else nil
	ports    string            // names the ports on which the image listens
	contents contents          // files in Out after the build; of a command, by path, when it was identified
}

// BuildOptions configures Build.
type BuildOptions struct {
	Root  string // the project's folder
	Cache string // dyno's cache; empty means the user's
	Log   string // file for the builder's output
	Note  func(string)
	// Layout plus the manifest's Relink is the seed with which the Go linker reorders the functions; 0: the
	// linker's default order.
	Layout int
}

// Build builds m with tc into dyno's cache, in a folder named by a hash of all inputs; an unchanged
// contestant is not rebuilt. It builds in a temporary folder and renames it, so that concurrent builds do not
// conflict and an interrupted build leaves nothing. A build whose files have changed is repeated. The error
// is a *Failed, an *Unavailable if packages cannot be downloaded, or ctx's.
func Build(ctx context.Context, m *Manifest, tc Toolchain, o BuildOptions) (*Built, error) {
	if m.Revision != nil {
		return buildRevision(ctx, m, tc, o)
	}
	if m.Command != nil { // a service that dyno knows
		b := Commanded(m)
		b.tc, b.Env["PATH"] = tc, filepath.Dir(tc.Program)+string(os.PathListSeparator)+b.Env["PATH"]
		return b, nil
	}
	fail := func(err error) (*Built, error) { return nil, &Failed{Stage: "build", Err: err} }
	src := m.Dir(o.Root)
	shared, err := m.sharedFolders(o.Root)
	if err != nil {
		return nil, &Failed{Stage: "build", Err: err, Hint: "copy it there"}
	}
	sources, err := m.fingerprint(src, shared)
	if err != nil {
		return fail(err)
	}
	if o.Cache == "" {
		if o.Cache, err = Cache(); err != nil {
			return fail(err)
		}
	}
	out := filepath.Join(o.Cache, "built", m.Name+"-"+tc.key(sources)[:16])
	if seed := m.Relink + o.Layout; seed > 0 {
		out += fmt.Sprintf("-layout%d", seed)
	}
	b := &Built{Manifest: m, Out: out, Argv: fill(m.Run, out), Env: runtimeEnv(m, tc), Sources: sources, tc: tc}
	if b.Argv[0] == tc.Name { // use the program that was found; its version is recorded
		b.Argv[0] = tc.Program
	}
	var broken error // the compiler's error
	err = Keep(out, o.Note, func(partial string) error {
		machine.MarkTemp(partial + "-source")
		defer machine.RemoveTemp(partial + "-source")
		if slices.ContainsFunc(shared, func(f sharedFolder) bool { return !f.near }) {
			own, err := m.Copy(o.Root, partial+"-source")
			if err != nil {
				return err
			}
			src = own.Dir("")
		}
		broken = compile(ctx, m, tc, src, partial, &o)
		return broken
	})
	if err == nil {
		b.contents, err = marked(out)
	}
	switch {
	case broken != nil:
		return nil, broken
	case err != nil:
		return fail(err)
	}
	return b, nil
}

// Layouts reports whether the toolchain can reorder b's functions.
func (b *Built) Layouts() bool { return b.tc.Name == "go" && b.command() == nil }

// compile runs the manifest's build command with a private home, and ends all processes that it started,
// because .NET leaves build servers behind.
func compile(ctx context.Context, m *Manifest, tc Toolchain, src, out string, o *BuildOptions) error {
	fail := func(err error) error {
		return &Failed{Stage: "build", Err: err, Log: o.Log, Hint: "the whole log is " + o.Log}
	}
	home := filepath.Join(o.Cache, "build-home")
	for _, dir := range []string{filepath.Join(home, "tmp"), filepath.Dir(o.Log)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fail(err)
		}
	}
	if o.Note != nil {
		what := "building with " + tc.Name + " " + tc.Version
		if m.Revision != nil {
			what = m.Revision.Build
		}
		o.Note(what)
	}
	env := map[string]string{"PATH": filepath.Dir(tc.Program) + string(os.PathListSeparator) + os.Getenv("PATH")}
	maps.Copy(env, tc.Env)
	maps.Copy(env, m.BuildEnv)
	if m.Revision != nil {
		env = m.Revision.environment(m, tc)
	} else if tc.Name == "go" { // else every commit gives a different program
		env["GOFLAGS"] = strings.TrimSpace(env["GOFLAGS"] + " -buildvcs=false")
		if seed := m.Relink + o.Layout; seed > 0 {
			env["GOFLAGS"] += fmt.Sprintf(" -ldflags=-randlayout=%d", seed)
		}
	}
	if tc.Name == "dotnet" && m.Revision == nil { // else the program contains the build folder's path
		env["PathMap"] = src + "=" + mappedSource + "," + out + "=" + mappedOut
	}
	var logged int64 // length of the log by earlier builds
	if st, err := os.Stat(o.Log); err == nil {
		logged = st.Size()
	}
	p, err := machine.Start(machine.Command{
		Argv: fill(m.Build, out), Dir: src, Env: machine.Environment(home, filepath.Join(home, "tmp"), 0, env), Log: o.Log,
	})
	if err != nil {
		return fail(err)
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
	}
	stopped := p.Stop(0)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case p.Err() != nil:
		what := strings.Join(m.Build[:min(2, len(m.Build))], " ")
		if m.Revision != nil {
			what = m.Revision.String() + ": " + m.Revision.Build
		}
		err := fmt.Errorf("%s: %w", what, p.Err())
		return withoutPackages(fail(err), o.Log, logged)
	case stopped != nil:
		return fail(stopped)
	}
	return nil
}

// mappedSource and mappedOut are the paths that .NET programs contain in place of the source and
// output folders.
const mappedSource, mappedOut = "/source", "/out"

// fill replaces {out} by the output folder.
func fill(argv []string, out string) []string {
	filled := slices.Clone(argv)
	for i := range filled {
		filled[i] = strings.ReplaceAll(filled[i], "{out}", out)
	}
	return filled
}

// runtimeEnv returns additional variables that the program needs: the manifest's, and the runtime's folder.
func runtimeEnv(m *Manifest, tc Toolchain) map[string]string {
	env := map[string]string{}
	for _, key := range []string{"DOTNET_ROOT", "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"} {
		if v := tc.Env[key]; v != "" {
			env[key] = v
		}
	}
	maps.Copy(env, m.Env)
	return env
}

// fingerprint hashes what makes a program: the files in the contestant's folder src and in the shared folders, and
// how the manifest builds and starts it. What else the manifest says does not matter, nor do the folders' paths:
// checking out the same revision again does not cause a rebuild.
func (m *Manifest) fingerprint(src string, shared []sharedFolder) (string, error) {
	h := sha256.New()
	how, err := json.Marshal([]any{m.Build, m.BuildEnv, m.Run, m.Env})
	fmt.Fprintf(h, "%s\n", how)
	walk := func(base, as string) error {
		names, err := SourceFiles(os.DirFS(base))
		for _, name := range names {
			if as == "" && (name == "contestant.toml" || name == "service.toml") {
				continue
			}
			b, readErr := os.ReadFile(filepath.Join(base, filepath.FromSlash(name)))
			fmt.Fprintf(h, "%s %d\n%s\n", filepath.Join(as, filepath.FromSlash(name)), len(b), b)
			err = cmp.Or(err, readErr)
		}
		return err
	}
	err = cmp.Or(err, walk(src, ""))
	for _, f := range shared {
		err = cmp.Or(err, walk(f.dir, filepath.Join("..", "..", "shared", f.name)))
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// key hashes a program's sources and the toolchain that builds it.
func (tc *Toolchain) key(sources string) string {
	text := strings.Join([]string{sources, tc.Name, tc.Version, tc.Dir, mappedSource, mappedOut}, "\n")
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// SourceFiles returns the regular files in fsys, in lexical order, without the folders bin, obj and .git.
func SourceFiles(fsys fs.FS) (names []string, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"bin", "obj", ".git"}, d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// Identify reads the version from the built program, or from its toolchain or manifest if the program does
// not contain it, and hashes the program. It returns an error if the manifest requires another version.
// Launch then starts only this program.
func (b *Built) Identify() (framework, version string, err error) {
	m := b.Manifest
	if m.Command != nil {
		version, err := b.identifyCommand()
		return m.Framework, version, err
	}
	fail := func(err error) (string, string, error) {
		return "", "", &Failed{Stage: "build", Err: err,
			Hint: "update version in " + m.Path + "/contestant.toml, or the version that is built"}
	}
	identify := toolchains[b.tc.Name].identify
	if identify == nil {
		identify = (*Built).identifyInstalled
	}
	if version, err = identify(b); err != nil {
		return fail(err)
	}
	floor := strings.HasPrefix(m.Version, ">=")
	if floor && !atLeast(version, m.Version) || !floor && version != m.Version {
		return fail(fmt.Errorf("built with %s %s; contestant.toml says %s", m.Framework, version, m.Version))
	}
	return m.Framework, version, nil
}

func (b *Built) identifyGo() (string, error) {
	info, err := buildinfo.ReadFile(b.Argv[0])
	if err != nil {
		return "", fmt.Errorf("read build information: %w", err)
	}
	if b.Hash, err = sha256File(b.Argv[0]); err != nil {
		return "", err
	}
	if !strings.Contains(b.Manifest.Framework, ".") { // a framework without a domain, such as net/http, comes with Go
		return info.GoVersion, nil
	}
	for _, d := range info.Deps {
		if d.Path == b.Manifest.Framework {
			if d.Replace != nil {
				return "", fmt.Errorf("the module %s is replaced by %s, so the program is not built with the "+
					"framework itself", d.Path, d.Replace.Path)
			}
			return d.Version, nil
		}
	}
	return "", fmt.Errorf("%s is not among the modules of the built program", b.Manifest.Framework)
}

// identifyDotnet returns the version of the shared framework that the host will use: the newest installed
// patch of the required minor release (https://learn.microsoft.com/dotnet/core/versions/selection).
func (b *Built) identifyDotnet() (string, error) {
	app := b.Argv[0]
	raw, err := os.ReadFile(app + ".runtimeconfig.json")
	if err != nil {
		return "", fmt.Errorf("read the runtime's configuration: %w", err)
	}
	var conf struct {
		Options struct {
			Framework  *wanted  `json:"framework"`
			Frameworks []wanted `json:"frameworks"`
		} `json:"runtimeOptions"`
	}
	if err := json.Unmarshal(raw, &conf); err != nil {
		return "", fmt.Errorf("read the runtime's configuration: %w", err)
	}
	if conf.Options.Framework != nil {
		conf.Options.Frameworks = append(conf.Options.Frameworks, *conf.Options.Framework)
	}
	if b.Hash, err = sha256File(app + ".dll"); err != nil {
		return "", err
	}
	for _, f := range conf.Options.Frameworks {
		if f.Name != b.Manifest.Framework {
			continue
		}
		dirs, _ := filepath.Glob(filepath.Join(b.tc.Dir, "shared", f.Name, "*"))
		best := ""
		for _, d := range dirs {
			v := filepath.Base(d)
			x, y := numbers(v), numbers(f.Version)
			sameMinor := len(x) > 1 && len(y) > 1 && x[0] == y[0] && x[1] == y[1]
			if sameMinor && atLeast(v, ">="+f.Version) && (best == "" || atLeast(v, ">="+best)) {
				best = v
			}
		}
		if best == "" {
			return "", fmt.Errorf("%s %s is not installed in %s", f.Name, f.Version, b.tc.Dir)
		}
		return best, nil
	}
	return "", fmt.Errorf("%s is not a framework of the built program", b.Manifest.Framework)
}

type wanted struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Time limits after SIGTERM: Stop kills the contestant after stopGrace, End after endGrace, and End then
// returns an error. The contract allows one second.
const (
	stopGrace = 2 * time.Second
	endGrace  = 5 * time.Second
)
