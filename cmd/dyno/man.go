package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes all commands' manual pages, which are part of releases.
func manCommand() *cobra.Command {
	return command("man", func(cmd *cobra.Command, args []string) error {
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		cmd.Root().DisableAutoGenTag = true
		date := builtAt()
		return doc.GenManTree(cmd.Root(), &doc.GenManHeader{Section: "1", Source: "dyno " + release, Date: &date}, args[0])
	})
}
