package main

import (
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

// under puts commands into a group in dyno --help.
func under(group string, commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		c.GroupID = group
	}
	return commands
}

// flagHeading is the annotation for a flag's heading in its command's help.
const flagHeading = "dyno_heading"

// heading puts flags under a heading in the help: those named, or all that have none yet.
func heading(fl *pflag.FlagSet, text string, names ...string) {
	fl.SortFlags = false
	fl.VisitAll(func(f *pflag.Flag) {
		if slices.Contains(names, f.Name) || len(names) == 0 && f.Annotations[flagHeading] == nil {
			fl.SetAnnotation(f.Name, flagHeading, []string{text})
		}
	})
}

// help prints a command's help.
func help(cmd *cobra.Command, _ []string) { io.WriteString(cmd.OutOrStdout(), helpText(cmd)) }

// helpCommand prints a manual, or the help of a command or a topic.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [MANUAL | COMMAND...]",
		Short:   "Print a manual, a command's help, or the words of the output",
		Example: "  dyno help\n  dyno help load\n  dyno help terms",
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
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			of, _, _ := cmd.Root().Find(args)
			return slices.DeleteFunc(below(of), func(name string) bool { return !strings.HasPrefix(name, begun) }),
				cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// below returns the names of the commands and topics below cmd; at the root of the manuals, too.
func below(cmd *cobra.Command) (names []string) {
	if !cmd.HasParent() {
		names = manuals()
	}
	for _, c := range cmd.Commands() {
		if (c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()) && !slices.Contains(names, c.Name()) {
			names = append(names, c.Name())
		}
	}
	return names
}

// tools are load generators that dyno has no command for.
var tools = map[string]bool{"k6": true, "wrk": true, "wrk2": true, "ab": true, "bombardier": true, "hey": true,
	"oha": true, "vegeta": true, "h2load": true, "autocannon": true, "plow": true, "rewrk": true, "fortio": true, "siege": true, "curl": true}

// unknownCommand is the error for a word that names no command or topic below cmd.
func unknownCommand(cmd *cobra.Command, word string) error {
	path := cmd.CommandPath()
	advice := fmt.Sprintf("; see %s --help", path)
	if !cmd.HasParent() && tools[word] {
		return usagef("dyno has no command %q; to load one server: dyno load URL, whose help names what the flags of "+
			"other tools are here", word)
	}
	if near := conf.Nearest(word, below(cmd)); near != "" {
		advice = fmt.Sprintf("; did you mean %s? (%s --help shows all)", near, path)
	}
	return usagef("unknown command %q for %q%s", word, path, advice)
}

// helpText says what a command is for, its usage, examples, commands and flags. For a topic it
// returns the text alone.
func helpText(cmd *cobra.Command) string {
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	b.WriteString(strings.TrimSpace(reflowed(text, helpWidth)) + "\n")
	if cmd.IsAdditionalHelpTopicCommand() {
		return b.String()
	}
	b.WriteString("\nUsage:\n")
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
			b.WriteString("\ndyno help NAME prints a manual: " + strings.Join(manuals(), ", ") + ";\n" +
				"dyno help terms the words of the output.")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// reflowed wraps a text's paragraphs. Lines that begin with a space stay as they are.
func reflowed(text string, columns int) string {
	var lines []string
	joined := false // whether the next line continues the paragraph
	for line := range strings.SplitSeq(text, "\n") {
		flows := line != "" && line[0] != ' '
		if flows && joined {
			lines[len(lines)-1] += " " + line
		} else {
			lines = append(lines, line)
		}
		joined = flows
	}
	for i, line := range lines {
		if line != "" && line[0] != ' ' {
			lines[i] = wrapped(line, columns)
		}
	}
	return strings.Join(lines, "\n")
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

// writeFlags lists a command's flags by heading, in the order of their definition. Flags without a
// heading, such as --help, come last.
func writeFlags(b *strings.Builder, cmd *cobra.Command) {
	const rest = "Flags"
	var headings []string
	under := map[string][]*pflag.Flag{}
	wide := 0
	eachFlag(cmd.Flags(), func(f *pflag.Flag) {
		at := append(f.Annotations[flagHeading], rest)[0]
		if under[at] == nil && at != rest {
			headings = append(headings, at)
		}
		under[at] = append(under[at], f)
		wide = max(wide, utf8.RuneCountInString(typedAs(cmd, f)))
	})
	indent := "\n" + strings.Repeat(" ", wide+2)
	for _, h := range append(headings, rest) {
		if under[h] == nil {
			continue
		}
		fmt.Fprintf(b, "\n%s:\n", h)
		for _, f := range under[h] {
			text := wrapped(f.Usage+shownDefault(f), helpWidth-wide-2)
			fmt.Fprintf(b, "%-*s  %s\n", wide, typedAs(cmd, f), strings.ReplaceAll(text, "\n", indent))
		}
	}
}

// eachFlag calls do for every visible flag.
func eachFlag(fl *pflag.FlagSet, do func(*pflag.Flag)) {
	fl.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			do(f)
		}
	})
}

// typedAs returns a flag's usage, with a word in capitals for its value.
func typedAs(cmd *cobra.Command, f *pflag.Flag) string {
	text := "      --" + f.Name
	if f.Shorthand == f.Name { // ab has no long flags
		text = "  -" + f.Name
	} else if f.Shorthand != "" {
		text = "  -" + f.Shorthand + ", --" + f.Name
	}
	switch word := metavariable(cmd, f); {
	case word == "":
	case f.NoOptDefVal != "":
		text += "[=" + word + "]"
	default:
		text += " " + word
	}
	return text
}

// shownDefault returns the help text about a flag's default; "" if it has none, or if its
// description states it.
func shownDefault(f *pflag.Flag) string {
	if strings.Contains(f.Usage, "(default") ||
		slices.Contains([]string{"", "0", "0s", "[]", "false"}, f.DefValue) {
		return ""
	}
	text := f.DefValue
	if f.Value.Type() == "duration" {
		text = strings.TrimSuffix(text, "0s")
	}
	return " (default " + text + ")"
}

// metavariables are the words for flags' values in the help, by flag or, if commands differ, by
// command and flag.
var metavariables = map[string]string{
	"against": "RUN", "body": "TEXT", "body-file": "FILE", "contestants": "NAME,…",
	"controls": "NAME,…", "csv": "FILE", "differ": "WHAT", "expect-body": "TEXT",
	"expect-status": "CODES",
	"external":      "TOOL,…", "classic": "NAME", "fail-if": "COND", "folder": "DIR,…", "format": "FORMAT", "from": "NAME",
	"header": "HEADER", "language": "NAME", "level": "NAME",
	"load scenario": "FILE", "name": "NAME", "of": "NAME", "out": "DIR",
	"path": "PATH", "primary": "METRIC", "profile": "NAME", "protocol": "NAME",
	"resolve": "HOST:PORT:ADDR", "resume": "DIR", "scenario": "NAME", "unix": "SOCKET",
	"targets": "FILE",
	"ca":      "FILE", "cert": "FILE", "key": "FILE",
	"verify seed": "TEXT",
}

// metavariablesOfTypes are the same words by the value's pflag type.
var metavariablesOfTypes = map[string]string{
	"bool": "", "int": "N", "uint64": "N", "intSlice": "N,…", "duration": "TIME", "durationSlice": "TIME,…",
}

// metavariable returns the word for a flag's value in the help; "" for a flag without a value.
func metavariable(cmd *cobra.Command, f *pflag.Flag) string {
	for _, of := range []map[string]string{metavariables, metavariablesOfTypes} {
		for _, key := range []string{cmd.Name() + " " + f.Name, f.Name, f.Value.Type()} {
			if word, ok := of[key]; ok {
				return word
			}
		}
	}
	return strings.ToUpper(f.Value.Type())
}
