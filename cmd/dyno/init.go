package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

// initText is the dyno.toml that dyno init writes. Its sides are examples.
//
//go:embed init.toml
var initText string

func initCommand() *cobra.Command {
	return command("init", func(cmd *cobra.Command, _ []string) error {
		f, err := os.OpenFile(compareFileName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf(
				"%s already exists here; edit it, or remove it and run dyno init again", compareFileName)
		}
		if err != nil {
			return err
		}
		_, err = f.WriteString(initText)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("write %s: %w", compareFileName, err)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n", compareFileName)
		fmt.Fprintf(cmd.ErrOrStderr(), "Enter there what to compare, then run: dyno compare\n")
		return nil
	})
}
