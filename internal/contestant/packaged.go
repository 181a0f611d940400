package contestant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	nodeHint = "install Node.js with npm, by the system's packages (nodejs and npm) or from " +
		"https://nodejs.org, and put it on PATH, or set DYNO_NODE to its folder"
	pythonHint = "install Python with venv, by the system's packages (apt-get install python3-venv), and put it on " +
		"PATH, or set DYNO_PYTHON to its folder"
	cargoHint = "install Rust from https://rustup.rs and a linker (apt-get install gcc libc6-dev), and put them on " +
		"PATH, or set DYNO_CARGO to the folder with cargo"
)

// clientEnv returns a function that passes a package client the user's home, with its settings and cache, and
// the variables with these prefixes, in lower case, or for reaching a registry.
func clientEnv(prefixes ...string) func(dir, cache string) map[string]string {
	return func(dir, cache string) map[string]string {
		env := otherEnv(dir, cache)
		for _, set := range os.Environ() {
			name, value, _ := strings.Cut(set, "=")
			lower := strings.ToLower(name)
			if slices.Contains([]string{"http_proxy", "https_proxy", "no_proxy"}, lower) ||
				slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(lower, p) }) {
				env[name] = value
			}
		}
		return env
	}
}

// lacking returns an *Unavailable if m's build needs what systems package apart from its toolchain, and that is
// not installed: npm, Python's module for virtual environments, the linker of Rust.
func lacking(ctx context.Context, m *Manifest, tc Toolchain) error {
	build := strings.Fields(strings.Join(m.Build, " "))
	installed := func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil || isFile(filepath.Join(filepath.Dir(tc.Program), program))
	}
	without := func(what, title, hint string) error {
		return &Unavailable{Toolchain: what, Reason: title + " " + tc.Version + " is here, " + what + " is not", Hint: hint}
	}
	switch {
	case tc.Name == "node" && slices.Contains(build, "npm") && !installed("npm"):
		return without("npm", "Node.js", nodeHint)
	case tc.Name == "python3" && strings.Contains(strings.Join(build, " "), "venv") &&
		exec.CommandContext(ctx, tc.Program, "-c", "import venv, ensurepip").Run() != nil:
		return without("venv", "Python", pythonHint)
	case tc.Name == "cargo" && !installed("cc"):
		return without("a linker", "cargo", cargoHint)
	}
	return nil
}

// identifyInstalled hashes all built files, and reads the framework's version from the file that its package
// manager has left; if there is none, the toolchain is the framework.
func (b *Built) identifyInstalled() (string, error) {
	own, err := b.identifyOther()
	if err != nil {
		return "", err
	}
	name, k, built := b.Manifest.Framework, toolchains[b.tc.Name], os.DirFS(b.Out)
	files, err := fs.Glob(built, strings.NewReplacer("{name}", name,
		"{module}", strings.ReplaceAll(strings.ToLower(name), "-", "_")).Replace(k.installed))
	if err != nil || len(files) == 0 {
		return own, err
	}
	text, err := fs.ReadFile(built, files[0])
	pattern := regexp.MustCompile(strings.ReplaceAll(k.states, "{name}", regexp.QuoteMeta(name)))
	if found := pattern.FindSubmatch(text); found != nil {
		return string(found[1]), nil
	}
	return "", fmt.Errorf("read the version of the installed package %s: %w", name,
		cmp.Or(err, errors.New("it is not among the packages")))
}
