package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/audit"
	"dyno/internal/document"
	"dyno/internal/importer"
)

// shownTroubles is how many unreadable rows per file are named.
const shownTroubles = 10

func auditCommand() *cobra.Command {
	var format string
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "audit FILE...",
		Short: "Check published figures by arithmetic, without running anything",
		Long: "audit reads published figures and checks them by arithmetic: rate against requests ÷ time, Little's " +
			"law,\n" +
			"the handler's delay, bytes per request, rank order, repeated values. It reads " +
			strings.Join(importer.Formats, ", ") +
			"; - is stdin.\n\n" +
			"It exits with 1 if something is impossible. dyno help studies has the rules, their tolerances and the keys " +
			"of --json.",
		Example: "  dyno audit examples/published-figures.csv\n" +
			"  wrk -c 400 -d 30s http://127.0.0.1:8080/ | dyno audit -\n" +
			"  dyno audit --all --json README.md",
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "" && !slices.Contains(importer.Formats, format) {
				return usagef("--format %q%s", format, suggest(format, importer.Formats, "dyno audit --help"))
			}
			var docs []*importer.Document
			for _, name := range args {
				doc, err := readPublished(cmd.InOrStdin(), name, format)
				if err != nil {
					return usage(err) // 1 says that something is impossible
				}
				printTroubles(cmd.ErrOrStderr(), doc)
				docs = append(docs, doc)
			}
			judgement := audit.Examine(docs)
			out := cmd.OutOrStdout()
			var err error
			if asJSON {
				err = audit.JSON(out, judgement, all)
			} else {
				err = audit.Text(out, judgement, width(out), all)
			}
			if err != nil {
				return err
			}
			if judgement.Figures[audit.Impossible]+judgement.Prose[audit.Impossible] > 0 {
				return exit(exitFailed)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "",
		"format of the files (default: detected from their content): "+strings.Join(importer.Formats, ", "))
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.Flags().BoolVar(&all, "all", false, "show every check, including those that passed")
	return cmd
}

func readPublished(stdin io.Reader, name, format string) (*importer.Document, error) {
	if name == "-" {
		data, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("read stdin: %w", err)
		}
		return importer.Read("stdin", data, format)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return importer.Read(name, data, format)
}

// printTroubles lists the parts of files that could not be read.
func printTroubles(w io.Writer, doc *importer.Document) {
	for i, t := range doc.Troubles {
		if i == shownTroubles {
			fmt.Fprintf(w, "dyno: %s: %d more cannot be read (--json lists all)\n", document.Clean(doc.Name), len(doc.Troubles)-i)
			return
		}
		fmt.Fprintf(w, "dyno: %s\n", document.Clean(fmt.Sprint(t)))
	}
}
