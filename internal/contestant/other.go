package contestant

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/machine"
)

// programName matches toolchains that are not in toolchains: programs on PATH.
var programName = conf.Regexp(`^[a-z][a-z0-9.+_-]*$`)

// kindOf returns a toolchain's entry in toolchains; other names stand for a program with a --version flag.
func kindOf(name string) kind {
	if k, ok := toolchains[name]; ok {
		return k
	}
	letters := func(r rune) rune {
		if strings.ContainsRune(".+-", r) {
			return '_'
		}
		return r
	}
	return kind{title: name, variable: "DYNO_" + strings.ToUpper(strings.Map(letters, name)), program: name,
		version: programVersion, env: otherEnv, shims: true, hint: "install " + name + ", and put it on PATH"}
}

// otherEnv passes a builder the user's home, where such tools keep their installation and downloads.
func otherEnv(string, string) map[string]string {
	home, err := os.UserHomeDir()
	if u, none := user.Current(); err != nil && none == nil { // as rustup does without HOME
		home, err = u.HomeDir, nil
	}
	if err != nil {
		return map[string]string{}
	}
	return map[string]string{"HOME": home}
}

var printedVersion = conf.Regexp(`[0-9]+(\.[0-9]+)+`)

// programVersion calls a program with the usual version flags, and returns the first output that looks like a
// version. The error has the first line that the program prints.
func programVersion(ctx context.Context, program string) (string, error) {
	var first error
	for _, ask := range []string{"--version", "version", "-version"} {
		out, err := machine.CombinedOutput(exec.CommandContext(ctx, program, ask))
		if v := printedVersion().Find(out); v != nil && err == nil {
			return string(v), nil
		}
		if said, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); err != nil && said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		first = cmp.Or(first, err, errors.New("it prints no version"))
	}
	return "", fmt.Errorf("%s --version: %w", program, first)
}

// identifyOther hashes all built files. They do not contain the framework's version: it returns the
// manifest's version if that is exact, and for a minimum version the version of the toolchain, which includes
// the framework.
func (b *Built) identifyOther() (version string, err error) {
	h := sha256.New()
	err = filepath.WalkDir(b.Out, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == "__pycache__" { // Python writes there while it runs
			return fs.SkipDir
		}
		if err != nil || !d.Type().IsRegular() || d.Name() == doneMark {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(b.Out, path)
		fmt.Fprintf(h, "%s %d\n%s\n", name, len(text), text)
		return err
	})
	if err != nil {
		return "", err
	}
	b.Hash = hex.EncodeToString(h.Sum(nil))
	if strings.HasPrefix(b.Manifest.Version, ">=") {
		return b.tc.Version, nil
	}
	return b.Manifest.Version, nil
}
