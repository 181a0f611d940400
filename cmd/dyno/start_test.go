package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"dyno/internal/machine"
)

// program finds this program under a name that TestMain gives it on PATH.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// build builds dyno as it is delivered: real duels measure that.
func build(t *testing.T, out string) {
	t.Helper()
	if b, err := exec.Command("go", "build", "-o", out, ".").CombinedOutput(); err != nil {
		t.Fatalf("build dyno: %v\n%s", err, b)
	}
}

// start runs a command in the checkout to its end and returns its exit code.
func start(t *testing.T, name string, stdout, stderr io.Writer, args ...string) int {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), machine.RuntimeVariable+"="+t.TempDir())
	cmd.Stdout, cmd.Stderr = stdout, stderr
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	default:
		t.Fatal(err)
		return -1
	}
}
