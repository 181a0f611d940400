package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"dyno/internal/audit"
	"dyno/internal/document"
	"dyno/internal/importer"
)

// shownTroubles is the number of unreadable rows per file that are named.
const shownTroubles = 10

func auditCommand() *cobra.Command {
	var f struct {
		Input, Format string
		All           bool
	}
	return command("audit", func(cmd *cobra.Command, args []string) error {
		if f.Input != "" && !slices.Contains(importer.Formats, f.Input) {
			return usagef("--input %q%s", f.Input, suggest(f.Input, importer.Formats, "dyno audit --help"))
		}
		var docs []*importer.Document
		for _, name := range args {
			doc, err := readPublished(cmd.InOrStdin(), name, f.Input)
			if err != nil {
				return usage(err) // 1 says that something is impossible
			}
			printTroubles(cmd.ErrOrStderr(), doc)
			docs = append(docs, doc)
		}
		judgement := audit.Examine(docs)
		out := cmd.OutOrStdout()
		var err error
		if f.Format == "json" {
			err = audit.JSON(out, judgement, f.All)
		} else {
			err = audit.Text(out, judgement, width(out), f.All)
		}
		if err != nil {
			return err
		}
		if judgement.Figures[audit.Impossible] > 0 {
			return exit(exitFailed)
		}
		return nil
	}, &f)
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
			fmt.Fprintf(w, "dyno: %s: %d more cannot be read (--format json lists "+
				"all)\n", document.Clean(doc.Name), len(doc.Troubles)-i)
			return
		}
		fmt.Fprintf(w, "dyno: %s\n", document.Clean(fmt.Sprint(t)))
	}
}
