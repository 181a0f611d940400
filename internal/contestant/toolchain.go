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

// Toolchain is an installed toolchain.
type Toolchain struct {
	Name    string // for example "go" or "dotnet"
	Version string // for example "1.26.8"
	Dir     string // root folder; empty if only the program is known
	Program string // absolute path of the program
	Origin  string // where it was found: DYNO_DOTNET, PATH, DOTNET_ROOT, cache, an archive, download
	Env     map[string]string
}

// Unavailable is the error for a toolchain, or packages, that are not available.
type Unavailable struct {
	Toolchain string // name with the minimum version; or "packages"
	Reason    string
	Hint      string
}

func (u *Unavailable) Error() string { return fmt.Sprintf("needs %s: %s", u.Toolchain, u.Reason) }

// FindOptions configures Find.
type FindOptions struct {
	Cache   string // dyno's cache; empty means the user's
	Offline bool   // download nothing
	Look    bool   // download nothing, and unpack no archive but one that DYNO_<NAME> names
	Vendor  string // base address of the vendor's downloads; empty means the official one
	Note    func(string)
	Known   map[string]Toolchain // found before, by name and floor; nil: each is looked for
}

// kind describes a kind of toolchain.
type kind struct {
	title    string
	variable string // name of the variable, DYNO_…
	home     string // the language's own variable
	program  string
	version  func(ctx context.Context, program string) (string, error)
	env      func(dir, cache string) map[string]string
	fetch    func(ctx context.Context, floor, cache string, o *FindOptions) (dir string, err error)
	hint     string
	folders  string // glob of further folders with the program
	shims    bool   // the program on PATH may link to a launcher that depends on its argv[0]
	// identify reads the framework's version from what was built; nil: from the file that the glob installed
	// finds there, by the group of the pattern states.
	identify          func(*Built) (string, error)
	installed, states string
}

var toolchains = map[string]kind{
	"go": {title: "Go", variable: "DYNO_GO", home: "GOROOT", program: "go", version: goVersion, env: goEnv,
		identify: (*Built).identifyGo,
		hint:     "install Go from https://go.dev/dl and put it on PATH"},
	"dotnet": {title: "the .NET SDK", variable: "DYNO_DOTNET", home: "DOTNET_ROOT",
		program: "dotnet", version: dotnetVersion, env: dotnetEnv, identify: (*Built).identifyDotnet,
		fetch: fetchDotnet,
		hint: "install the .NET SDK from https://dotnet.microsoft.com/download, or set DYNO_DOTNET to its folder or " +
			"archive"},
	"postgres": {title: "PostgreSQL", variable: "DYNO_POSTGRES", program: "postgres", version: programVersion,
		env: otherEnv, folders: "/usr/lib/postgresql/*/bin", fetch: fetchPostgres,
		hint: "apt-get install postgresql, or set DYNO_POSTGRES to the folder with its bin"},
	"redis": {title: "Redis", variable: "DYNO_REDIS", program: "redis-server", version: programVersion, env: otherEnv,
		shims: true, hint: "apt-get install redis-server, or set DYNO_REDIS to the folder with redis-server"},
	"valkey": {title: "Valkey", variable: "DYNO_VALKEY", program: "valkey-server", version: programVersion, env: otherEnv,
		shims: true, hint: "apt-get install valkey-server, or set DYNO_VALKEY to the folder with valkey-server"},
	"node": {title: "Node.js", variable: "DYNO_NODE", program: "node", version: programVersion,
		env: clientEnv("npm_config_", "node_extra_ca_certs"), shims: true, hint: nodeHint,
		installed: "node_modules/{name}/package.json", states: `"version"\s*:\s*"([^"]+)"`},
	"python3": {title: "Python", variable: "DYNO_PYTHON", program: "python3", version: programVersion,
		env: clientEnv("pip_"), shims: true, hint: pythonHint,
		installed: "venv/lib/python*/site-packages/{module}-*.dist-info/METADATA", states: `(?m)^Version: (\S+)`},
	"cargo": {title: "cargo", variable: "DYNO_CARGO", program: "cargo", version: programVersion,
		env: clientEnv("cargo_home", "cargo_http_", "cargo_net_", "rustup_"), shims: true, hint: cargoHint,
		installed: "Cargo.lock", states: `(?m)^name = "{name}"\nversion = "([^"]+)"`},
}

// Find looks for m's toolchain: DYNO_<NAME> (folder or archive), PATH, the language's own variable, dyno's
// cache, an archive next to the checkout, the vendor's download. It returns the first that satisfies the
// manifest's minimum version. The error is an *Unavailable, ctx's, or Cache's.
func Find(ctx context.Context, m *Manifest, o FindOptions) (Toolchain, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if o.Cache == "" {
		var err error
		if o.Cache, err = Cache(); err != nil && !o.Look {
			return Toolchain{}, err
		}
	}
	for name, floor := range m.Toolchain {
		s := search{name: name, kind: kindOf(name), floor: floor, o: &o}
		tc, known := o.Known[name+" "+floor]
		var err error
		if !known {
			tc, err = s.find(ctx)
		}
		if err == nil && o.Known != nil {
			o.Known[name+" "+floor] = tc
		}
		if err == nil {
			err = lacking(ctx, m, tc)
		}
		return tc, err
	}
	return Toolchain{}, errors.New("the manifest does not name a toolchain")
}

// search is a search for one toolchain, with the rejected candidates.
type search struct {
	name, floor string
	kind        kind
	o           *FindOptions
	rejected    []string
}

func (s *search) find(ctx context.Context) (Toolchain, error) {
	for _, place := range []func(context.Context) (Toolchain, bool){s.asked, s.onPath, s.home, s.installed, s.cached} {
		tc, ok := place(ctx)
		if err := ctx.Err(); err != nil {
			return tc, err
		}
		if ok {
			return tc, nil
		}
		if os.Getenv(s.kind.variable) != "" {
			break // use no other toolchain than the user's choice
		}
	}
	if s.kind.fetch == nil || os.Getenv(s.kind.variable) != "" {
		return Toolchain{}, s.unavailable("none was found")
	}
	if s.o.Look {
		return Toolchain{}, s.unavailable("not installed; dyno run downloads it")
	}
	if s.o.Offline {
		return Toolchain{}, s.unavailable("none was found, and --offline prevents downloading it")
	}
	s.o.Note("fetching " + s.kind.title)
	dir, err := s.kind.fetch(ctx, s.floor, s.o.Cache, s.o)
	if err != nil {
		if ctx.Err() != nil {
			return Toolchain{}, ctx.Err()
		}
		return Toolchain{}, s.unavailable(err.Error())
	}
	if tc, ok := s.try(ctx, dir, "download"); ok {
		return tc, nil
	}
	return Toolchain{}, s.unavailable("the downloaded toolchain does not meet the requirement")
}

func (s *search) unavailable(reason string) error {
	if len(s.rejected) > 0 {
		reason = strings.Join(s.rejected, "; ") + "; " + strings.Replace(reason, "none", "no other", 1)
	}
	return &Unavailable{Toolchain: s.kind.title + " " + s.floor, Reason: reason, Hint: s.kind.hint}
}

// asked returns the toolchain in DYNO_<NAME>, a folder or an archive.
func (s *search) asked(ctx context.Context) (Toolchain, bool) {
	path := os.Getenv(s.kind.variable)
	if path == "" {
		return Toolchain{}, false
	}
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return s.reject(s.kind.variable, err)
	case st.IsDir():
		return s.try(ctx, path, s.kind.variable)
	}
	return s.archive(ctx, path, s.kind.variable)
}

func (s *search) onPath(ctx context.Context) (Toolchain, bool) {
	program, err := exec.LookPath(s.kind.program)
	if err != nil {
		return Toolchain{}, false
	}
	if program, err = filepath.Abs(program); err != nil {
		return s.reject("PATH", err)
	}
	if !s.kind.shims {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real
		}
	}
	dir := filepath.Dir(program)
	if s.name == "go" {
		dir = filepath.Dir(dir) // bin/go
	}
	return s.accept(ctx, program, dir, "PATH")
}

func (s *search) home(ctx context.Context) (Toolchain, bool) {
	dir := os.Getenv(s.kind.home)
	if dir == "" {
		return Toolchain{}, false
	}
	return s.try(ctx, dir, s.kind.home)
}

// installed returns the newest toolchain in the system's own folders.
func (s *search) installed(ctx context.Context) (Toolchain, bool) {
	dirs, _ := filepath.Glob(s.kind.folders)
	for _, dir := range slices.Backward(dirs) {
		if tc, ok := s.try(ctx, dir, dir); ok {
			return tc, true
		}
	}
	return Toolchain{}, false
}

// cached returns the toolchain in dyno's cache, trying the newest first.
func (s *search) cached(ctx context.Context) (Toolchain, bool) {
	if s.o.Cache == "" {
		return Toolchain{}, false
	}
	dirs, _ := filepath.Glob(filepath.Join(s.o.Cache, s.name+"-*"))
	slices.SortFunc(dirs, func(a, b string) int { return compareVersions(b, a) })
	for _, dir := range dirs {
		if strings.Contains(filepath.Base(dir), ".partial") {
			continue
		}
		if tc, ok := s.try(ctx, dir, "cache"); ok {
			return tc, true
		}
	}
	return Toolchain{}, false
}

// archive unpacks file into the cache, once.
func (s *search) archive(ctx context.Context, file, origin string) (Toolchain, bool) {
	version := archiveVersion(file)
	dir := filepath.Join(s.o.Cache, s.name+"-"+version)
	if tc, ok := s.try(ctx, dir, origin); ok {
		return tc, true
	}
	s.o.Note("unpacking " + filepath.Base(file))
	if err := unpack(ctx, file, dir, s.kind.program); err != nil {
		return s.reject(origin, err)
	}
	if tc, ok := s.try(ctx, dir, origin); ok {
		return tc, true
	}
	return s.reject(origin, fmt.Errorf("the toolchain unpacked from %s into %s does not run", filepath.Base(file), dir))
}

// try returns the toolchain in dir, if it runs and satisfies the minimum version.
func (s *search) try(ctx context.Context, dir, origin string) (Toolchain, bool) {
	for _, program := range []string{filepath.Join(dir, s.kind.program), filepath.Join(dir, "bin", s.kind.program)} {
		if isFile(program) {
			return s.accept(ctx, program, dir, origin)
		}
	}
	if origin == s.kind.variable || origin == s.kind.home {
		return s.reject(origin, fmt.Errorf("no %s in %s", s.kind.program, dir))
	}
	return Toolchain{}, false
}

func (s *search) accept(ctx context.Context, program, dir, origin string) (Toolchain, bool) {
	version, err := s.kind.version(ctx, program)
	if err != nil {
		return s.reject(origin, err)
	}
	if !atLeast(version, s.floor) {
		return s.reject(origin, fmt.Errorf("version %s", version))
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return s.reject(origin, err)
	}
	env := s.kind.env(dir, s.o.Cache)
	return Toolchain{Name: s.name, Version: version, Dir: dir, Program: program, Origin: origin, Env: env}, true
}

func (s *search) reject(origin string, err error) (Toolchain, bool) {
	s.rejected = append(s.rejected, origin+": "+err.Error())
	return Toolchain{}, false
}

// archiveVersion returns the version in an archive's name: dotnet-sdk-10.0.401-linux-x64.tar.gz.
func archiveVersion(file string) string {
	for _, part := range strings.Split(filepath.Base(file), "-") {
		if isVersion().MatchString(part) {
			return part
		}
	}
	return "unknown"
}

func compareVersions(a, b string) int {
	x, y := numbers(archiveVersion(a)), numbers(archiveVersion(b))
	return slices.Compare(x, y)
}

func goVersion(ctx context.Context, program string) (string, error) {
	out, err := machine.Output(exec.CommandContext(ctx, program, "env", "GOVERSION"))
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "go"), nil
}

func goEnv(dir, cache string) map[string]string {
	env := map[string]string{"GOWORK": "off"}
	// The builder's home is private; caches and proxy are the user's.
	keys := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOSUMDB", "GOTOOLCHAIN"}
	out, _ := machine.Output(exec.Command(filepath.Join(dir, "bin", "go"), append([]string{"env"}, keys...)...))
	for i, line := range strings.Split(string(out), "\n") {
		if i < len(keys) && line != "" {
			env[keys[i]] = line
		}
	}
	return env
}

func dotnetVersion(ctx context.Context, program string) (string, error) {
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.Dir = os.TempDir() // no user's global.json
	cmd.Env = append(os.Environ(), "DOTNET_ROOT="+filepath.Dir(program),
		"DOTNET_CLI_TELEMETRY_OPTOUT=1", "DOTNET_NOLOGO=1", "DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1")
	out, err := machine.Output(cmd)
	if err != nil {
		return "", fmt.Errorf("dotnet --version: %w (is it the SDK, or only a runtime?)", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func dotnetEnv(dir, cache string) map[string]string {
	env := map[string]string{
		"DOTNET_ROOT": dir, "DOTNET_CLI_HOME": filepath.Join(cache, "dotnet-home"),
		"NUGET_PACKAGES": filepath.Join(cache, "nuget"), "MSBUILDDISABLENODEREUSE": "1",
		"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
	}
	if !hasICU() {
		env["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"] = "1"
	}
	return env
}

// hasICU reports whether libicu is installed, without which .NET starts only in invariant mode.
func hasICU() bool {
	return slices.ContainsFunc([]string{"/usr/lib*", "/usr/lib*/*", "/lib/*"}, func(folders string) bool {
		found, _ := filepath.Glob(folders + "/libicuuc.so*")
		return len(found) > 0
	})
}
