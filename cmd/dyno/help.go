package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/conf"
)

// helpWidth is the widest line in a help text.
const helpWidth = 100

// readGroup has the commands that only read.
const readGroup = "read"

// commandGroups are the headings under which dyno --help lists the commands.
var commandGroups = []*cobra.Group{
	{ID: "measure", Title: "Measure"},
	{ID: readGroup, Title: "Read"},
	{ID: "machine", Title: "Check the machine and dyno itself"},
	{ID: "fleet", Title: "Several machines"},
	{ID: "other", Title: "Other"},
}

// help prints a command's help.
func help(cmd *cobra.Command, _ []string) { io.WriteString(cmd.OutOrStdout(), helpText(cmd)) }

// helpCommand prints a manual, or the help of a command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [MANUAL | COMMAND...]",
		GroupID: "other",
		Short:   "Print a manual, or a command's help",
		Example: "  dyno help\n  dyno help load\n  dyno help glossary",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(manuals(), args[0]) {
				return showManual(cmd.OutOrStdout(), args[0])
			}
			of, rest, err := cmd.Root().Find(args)
			if err != nil { // the root has no such command
				rest = args
			}
			if len(rest) > 0 {
				return unknownCommand(of, rest[0])
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// below returns the names of the commands below cmd; at the root of the manuals, too.
func below(cmd *cobra.Command) (names []string) {
	if !cmd.HasParent() {
		names = manuals()
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !slices.Contains(names, c.Name()) {
			names = append(names, c.Name())
		}
	}
	return names
}

// tools are load generators that dyno has no command for.
var tools = map[string]bool{"k6": true, "wrk": true, "wrk2": true, "ab": true, "bombardier": true, "hey": true,
	"oha": true, "vegeta": true, "h2load": true, "autocannon": true, "plow": true, "rewrk": true, "fortio": true,
	"siege": true, "curl": true}

// unknownCommand is the error for a word that names no command below cmd.
func unknownCommand(cmd *cobra.Command, word string) error {
	path := cmd.CommandPath()
	advice := fmt.Sprintf("; see %s --help", path)
	if !cmd.HasParent() && tools[word] {
		return usagef("dyno has no command %q; to load one server: dyno load URL, whose help has the counterparts of "+
			"other tools' flags", word)
	}
	if near := conf.Nearest(word, below(cmd)); near != "" {
		advice = fmt.Sprintf("; did you mean %s? (%s --help shows all)", near, path)
	}
	return usagef("unknown command %q for %q%s", word, path, advice)
}

// helpText says what a command is for, its usage, examples, commands and flags.
func helpText(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)) + "\n\nUsage:\n")
	if cmd.Runnable() && !cmd.HasAvailableSubCommands() {
		b.WriteString("  " + wrapped(cmd.UseLine(), helpWidth-2) + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("  " + cmd.CommandPath() + " COMMAND\n")
	}
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	writeCommands(&b, cmd)
	writeFlags(&b, cmd)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help describes a command.", cmd.CommandPath())
		if !cmd.HasParent() {
			b.WriteString("\n" + wrapped("dyno help NAME prints a manual: "+strings.Join(manuals(), ", ")+".", helpWidth))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// wrapped breaks a text at spaces into lines with a maximum number of columns.
func wrapped(text string, columns int) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
		case at+1+n > columns:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// writeCommands lists cmd's commands, by group.
func writeCommands(b *strings.Builder, cmd *cobra.Command) {
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, g := range groups {
		title := "\n" + g.Title + ":\n"
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && c.IsAvailableCommand() {
				fmt.Fprintf(b, "%s  %-*s  %s\n", title, cmd.Commands()[0].NamePadding(), c.Name(), c.Short)
				title = ""
			}
		}
	}
}

// fewFlags is the number of flags up to which a command's help has them under one heading.
const fewFlags = 8

// writeFlags lists a command's flags by heading, in the order of the table.
func writeFlags(b *strings.Builder, cmd *cobra.Command) {
	wide, n := 0, 0
	eachFlag(cmd.Flags(), func(f *pflag.Flag) {
		n++
		wide = max(wide, utf8.RuneCountInString(typedAs(cmd, f)))
	})
	indent, last := "\n"+strings.Repeat(" ", wide+2), ""
	eachFlag(cmd.Flags(), func(f *pflag.Flag) {
		heading := rowOf(cmd, f.Name).heading
		if n <= fewFlags || heading == "" {
			heading = "Flags"
		}
		if heading != last {
			fmt.Fprintf(b, "\n%s:\n", heading)
			last = heading
		}
		text := wrapped(f.Usage+shownDefault(f), helpWidth-wide-2)
		fmt.Fprintf(b, "%-*s  %s\n", wide, typedAs(cmd, f), strings.ReplaceAll(text, "\n", indent))
	})
}

// eachFlag calls do for every visible flag.
func eachFlag(fl *pflag.FlagSet, do func(*pflag.Flag)) {
	fl.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			do(f)
		}
	})
}

// typedAs returns a flag's usage, with the word for its value.
func typedAs(cmd *cobra.Command, f *pflag.Flag) string {
	text := "      --" + f.Name
	if f.Shorthand != "" {
		text = "  -" + f.Shorthand + ", --" + f.Name
	}
	switch row := rowOf(cmd, f.Name); {
	case row.Value == "":
		return text
	case row.Bare != "":
		return text + "[=" + row.Value + "]"
	default:
		return text + " " + row.Value
	}
}

// shownDefault returns the help text about a flag's default; "" if it has none, or if its
// description states it.
func shownDefault(f *pflag.Flag) string {
	if strings.Contains(f.Usage, "(default") || slices.Contains([]string{"", "0", "[]", "false"}, f.DefValue) {
		return ""
	}
	return " (default " + strings.Trim(f.DefValue, "[]") + ")"
}
