package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
)

// The build of a release sets these: the version in CHANGELOG.md, and its commit and the time of it
// (RFC 3339), which go build records by itself where it finds the repository.
var (
	release     = "0.1.0-dev"
	commit      string
	committedAt string
)

// setting returns what the build of a release has set, else what go build recorded under the key, ""
// if neither did.
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

// version is the release and, where the build recorded it, the commit.
func version() string {
	if c := setting("vcs.revision", commit); c != "" {
		return release + "+" + c[:min(12, len(c))]
	}
	return release
}

// builtAt is the time of the commit that was built; the zero time where the build did not record it.
func builtAt() time.Time {
	t, _ := time.Parse(time.RFC3339, setting("vcs.time", committedAt))
	return t
}

// versionLine is what dyno version prints: release and commit, date of the commit, compiler and system.
func versionLine() string {
	date := ""
	if t := builtAt(); !t.IsZero() {
		date = t.Format(time.DateOnly) + ", "
	}
	return fmt.Sprintf("dyno %s (%s%s %s/%s)", version(), date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}
