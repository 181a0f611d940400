package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// A release build sets these: the version in CHANGELOG.md, its commit, and the commit's time (RFC
// 3339). Without them, go build records commit and time if it finds the repository.
var (
	release     = "0.1.0-dev"
	commit      string
	committedAt string
)

// setting returns the value that a release build has set, else the value that go build recorded
// under the key, else "".
func setting(key, set string) string {
	if set != "" {
		return set
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}

// version returns the release and, if the build recorded it, the commit. go install PATH@VERSION records the version
// alone.
func version() string {
	if c := setting("vcs.revision", commit); c != "" {
		return release + "+" + c[:min(12, len(c))]
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version[1:]
	}
	return release
}

// builtAt returns the built commit's time, or the zero time if the build did not record it.
func builtAt() time.Time {
	t, _ := time.Parse(time.RFC3339, setting("vcs.time", committedAt))
	return t
}

// versionLine returns the output of dyno version: release and commit, the commit's date, compiler
// and system.
func versionLine() string {
	date := ""
	if t := builtAt(); !t.IsZero() {
		date = t.Format(time.DateOnly) + ", "
	}
	return fmt.Sprintf("dyno %s (%s%s %s/%s)", version(), date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func versionCommand() *cobra.Command {
	return command("version", func(cmd *cobra.Command, _ []string) error {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
		return err
	})
}
