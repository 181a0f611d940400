package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/load"
	"dyno/internal/loader"
	"dyno/internal/summary"
)

func mergeCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Merge what several generators measured of one load",
		Long: "merge reads what dyno load --share --json printed on each generator, and prints the results of the\n" +
			"whole load as dyno load does. Counts are added and histograms merged, without loss; percentiles are\n" +
			"read from the merged histograms. All shares of the load are needed. See doc/load.md.\n\n" +
			"Exit codes: as of dyno load.",
		Example: "  dyno load --share 1/2 --seed 7 --json http://server:8080/ >1.json   # on one machine\n" +
			"  dyno load --share 2/2 --seed 7 --json http://server:8080/ >2.json   # on another, at the same time\n" +
			"  dyno merge 1.json 2.json",
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var files []*loader.PartFile
			for _, name := range args {
				text, err := os.ReadFile(name)
				if err != nil {
					return usage(err)
				}
				f, err := loader.ReadPart(name, text)
				if err != nil {
					return usage(err)
				}
				files = append(files, f)
			}
			s, err := loader.MergeFiles(files, repeated(cmd, args))
			if err != nil {
				return usage(err)
			}
			out := cmd.OutOrStdout()
			s.Color = isTerminal(out) && os.Getenv("NO_COLOR") == ""
			write := summary.Text
			if asJSON {
				write = summary.JSON
			}
			if err := write(out, s); err != nil {
				return err
			}
			if files[0].Failed(s) {
				return exit(exitFailed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (doc/format.md)")
	return cmd
}

// splitFlags returns an error if the flags do not make all generators of a load send the same.
func (f *loadFlags) splitFlags() error {
	if f.Share.Whole() || f.cmd.Flags().Changed("seed") {
		return nil
	}
	return usagef("--share: pass the same --seed on every generator, such as --seed 7")
}

// parseShareOf reads "2/4".
func parseShareOf(s string) (share load.Share, err error) {
	i, of, ok := strings.Cut(s, "/")
	if ok {
		_, err = fmt.Sscanf(i+" "+of, "%d %d", &share.Index, &share.Of)
	}
	share.Index--
	if !ok || err != nil || share.Of < 1 || share.Check() != nil || share.String() != s {
		return share, fmt.Errorf("want the number of this generator and of all, such as 1/2 and 2/2")
	}
	return share, nil
}
