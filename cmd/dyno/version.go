package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// release is the version in CHANGELOG.md.
const release = "0.1.0-dev"

// setting returns the value that go build recorded under a key: commit and time, if it found the repository.
func setting(key string) string {
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
	if c := setting("vcs.revision"); c != "" {
		return release + "+" + c[:min(12, len(c))]
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version[1:]
	}
	return release
}

// versionLine returns the output of dyno version: release and commit, the commit's date, compiler and system.
func versionLine() string {
	date := ""
	if t, err := time.Parse(time.RFC3339, setting("vcs.time")); err == nil {
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
