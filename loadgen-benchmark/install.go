//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

var versionPattern = regexp.MustCompile(`\d+\.\d+[0-9a-z.+~-]*`)

// debian finds a program on PATH, or installs its Debian package; flag makes it print its version.
func debian(program, pkg, flag string) func(context.Context, *rig) (string, string, error) {
	return func(ctx context.Context, b *rig) (string, string, error) {
		path, err := exec.LookPath(program)
		if err != nil {
			apt, aptErr := exec.LookPath("apt-get")
			if aptErr != nil || os.Geteuid() != 0 {
				return "", "", fmt.Errorf("%s is not installed: install the package %s (apt-get install %s)", program, pkg, pkg)
			}
			if err := b.step(ctx, "", apt, "install", "-y", "-qq", "--no-install-recommends", pkg); err != nil {
				if err := b.step(ctx, "", apt, "update", "-qq"); err != nil {
					return "", "", err
				}
				if err := b.step(ctx, "", apt, "install", "-y", "-qq", "--no-install-recommends", pkg); err != nil {
					return "", "", err
				}
			}
			if path, err = exec.LookPath(program); err != nil {
				return "", "", fmt.Errorf("the package %s holds no %s: %w", pkg, program, err)
			}
		}
		out, _ := exec.CommandContext(ctx, path, flag).CombinedOutput() // wrk -v exits with 1
		return path, versionPattern.FindString(string(out)), nil
	}
}

// goModule builds the command of a Go module at a version, in a scratch module: `go install` refuses modules
// with replacements, and this checkout's go.mod must not change.
func goModule(module, version string) func(context.Context, *rig) (string, string, error) {
	return func(ctx context.Context, b *rig) (string, string, error) {
		name := filepath.Base(module)
		dir := filepath.Join(b.cache, name+"-"+version)
		program := filepath.Join(dir, name)
		if _, err := os.Stat(program); err == nil {
			return program, version, nil
		}
		if err := os.RemoveAll(dir); err != nil {
			return "", "", err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", "", err
		}
		for _, args := range [][]string{
			{"mod", "init", "scratch"}, {"get", module + "@" + version}, {"build", "-o", name, module},
		} {
			if err := b.step(ctx, dir, "go", args...); err != nil {
				return "", "", err
			}
		}
		return program, version, nil
	}
}

// crate builds a program from crates.io, with the dependencies in its lock file.
func crate(name, version string) func(context.Context, *rig) (string, string, error) {
	return func(ctx context.Context, b *rig) (string, string, error) {
		dir := filepath.Join(b.cache, name+"-"+version)
		program := filepath.Join(dir, "bin", name)
		if _, err := os.Stat(program); err == nil {
			return program, version, nil
		}
		cargo, err := exec.LookPath("cargo")
		if err != nil {
			return "", "", fmt.Errorf("%s needs cargo to be built: install Rust (https://rustup.rs)", name)
		}
		return program, version, b.step(ctx, "", "nice", "-n", "19",
			cargo, "install", name, "--version", version, "--locked", "--root", dir)
	}
}

// zigProgram builds a Zig program from its repository, with dependencies pinned by hash. zig is the compiler
// version.
func zigProgram(repository, version, zig string) func(context.Context, *rig) (string, string, error) {
	return func(ctx context.Context, b *rig) (string, string, error) {
		name := filepath.Base(repository)
		dir := filepath.Join(b.cache, name+"-"+version)
		program := filepath.Join(dir, "zig-out", "bin", name)
		if _, err := os.Stat(program); err == nil {
			return program, version, nil
		}
		compiler, err := exec.LookPath("zig")
		if err != nil {
			return "", "", fmt.Errorf("%s needs Zig %s to be built: install it (https://ziglang.org, or pip "+
				"install ziglang==%s)",
				name, zig, zig)
		}
		if err := os.RemoveAll(dir); err != nil {
			return "", "", err
		}
		if err := b.step(ctx, "", "git", "clone", "-q", "--depth", "1", "--branch", version, repository, dir); err != nil {
			return "", "", err
		}
		return program, version, b.step(ctx, dir, "nice", "-n", "19", compiler, "build", "-Doptimize=ReleaseFast")
	}
}

// layouts is the number of function orders in which the dynos for the rows "before" are linked. The linker's
// default order makes one program some per cent faster or slower than another from the same source.
const layouts = 20

// relink builds dyno from p's source in all layouts.
func (b *rig) relink(ctx context.Context, p peer) (programs []string, err error) {
	dir, err := p.source(ctx, b)
	if err != nil {
		return nil, err
	}
	for seed := range layouts {
		program := filepath.Join(b.temp, fmt.Sprintf("%s-layout%d", p.name, seed+1))
		if err := b.step(ctx, dir, "go", "build", "-buildvcs=false", "-trimpath",
			fmt.Sprintf("-ldflags=-randlayout=%d", seed+1), "-o", program, "./cmd/dyno"); err != nil {
			return nil, err
		}
		programs = append(programs, program)
	}
	return programs, nil
}

// cProgram compiles one file in this checkout.
func cProgram(source string) func(context.Context, *rig) (string, string, error) {
	return func(ctx context.Context, b *rig) (string, string, error) {
		program := filepath.Join(b.temp, filepath.Base(filepath.Dir(source)))
		if err := b.step(ctx, b.root, "gcc", "-O2", "-o", program, source); err != nil {
			return "", "", err
		}
		out, _ := exec.CommandContext(ctx, "gcc", "-dumpfullversion").Output()
		return program, "gcc " + strings.TrimSpace(string(out)), nil
	}
}

// step runs one installation command; the error contains the end of its output.
func (b *rig) step(ctx context.Context, dir, program string, args ...string) error {
	fmt.Fprintln(b.log, "  $", program, strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	if dir != "" && dir != b.root {
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), args[0], err, tail(out))
	}
	return nil
}

// tail returns the last 20 lines.
func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
