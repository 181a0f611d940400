package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	manual "dyno"
)

// helps calls f for every visible command, with its help.
func helps(t *testing.T, f func(cmd *cobra.Command, text string)) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.InitDefaultHelpFlag()
		help(cmd, nil)
		f(cmd, out.String())
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				visit(c)
			}
		}
	}
	visit(rootCommand())
}

// metavariableForm matches the word for a flag's value.
var metavariableForm = regexp.MustCompile(`^([A-Z][A-Z0-9:]*(,…)?)?$`)

func TestHelp(t *testing.T) {
	helps(t, func(cmd *cobra.Command, text string) {
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), n, line)
			}
			if strings.Contains(line, "(default [])") || strings.Contains(line, `(default "")`) {
				t.Errorf("%s --help: an empty default: %s", cmd.CommandPath(), line)
			}
		}
		if n := strings.Count(cmd.Example, "  dyno ") + strings.Count(cmd.Example, "| dyno "); n < 3 &&
			cmd.HasAvailableLocalFlags() &&
			!cmd.HasAvailableSubCommands() && cmd.Name() != "version" {
			t.Errorf("%s --help: %d examples, want three", cmd.CommandPath(), n)
		}
		flags, without := 0, []string{}
		eachFlag(cmd.Flags(), func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			if word := metavariable(cmd, f); !metavariableForm.MatchString(word) || (word == "") != (f.Value.Type() == "bool") {
				t.Errorf("%s --help: --%s %s: want a word in capitals that says what the value is", cmd.CommandPath(),
					f.Name, word)
			}
			if flags++; f.Annotations[flagHeading] == nil {
				without = append(without, f.Name)
			}
		})
		if flags > 8 && len(without) > 0 {
			t.Errorf("%s --help: flags without a heading: %v", cmd.CommandPath(), without)
		}
	})
}

// TestExamplesOfHelp: all examples use flags of their commands.
func TestExamplesOfHelp(t *testing.T) {
	helps(t, func(cmd *cobra.Command, _ string) {
		for line := range strings.Lines(cmd.Example) {
			_, call, found := strings.Cut(line, "dyno ")
			call, _, _ = strings.Cut(call, " # ")
			words := strings.Fields(call)
			c, _, err := rootCommand().Find(words)
			if !found || err != nil {
				t.Errorf("%s: example %q names no command", cmd.CommandPath(), line)
				continue
			}
			for _, w := range words {
				name, _, _ := strings.Cut(strings.Trim(w, "'"), "=")
				if name, long := strings.CutPrefix(name, "--"); long && c.Flags().Lookup(name) == nil {
					t.Errorf("%s: example %q: %s has no --%s", cmd.CommandPath(), line, c.CommandPath(), name)
				}
			}
		}
	})
}

func glossary(t *testing.T) string {
	page, err := manual.Manuals.ReadFile("doc/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestTerms: dyno help terms has every term in the glossary with its meaning, except the code's.
func TestTerms(t *testing.T) {
	all := terms()
	text := termsTopic().Long
	for _, x := range all {
		line := strings.Fields(x.name + " " + x.meaning)
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(line, " ")) {
			t.Errorf("dyno help terms lacks %q: %s", x.name, x.meaning)
		}
	}
	if rows := strings.Count(glossary(t), "\n| "); len(all) < 40 || len(all) > rows || strings.Contains(text, "|") {
		t.Errorf("%d terms of %d rows\n%s", len(all), rows, text)
	}
}

func TestReflowed(t *testing.T) {
	got := reflowed("one two\nthree four\n\n  kept   as it is\nfive", 9)
	if want := "one two\nthree\nfour\n\n  kept   as it is\nfive"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnknownCommand: an unknown command or flag ends with a usage error that names the nearest
// one, also after dyno help, or dyno's counterpart.
func TestUnknownCommand(t *testing.T) {
	for call, want := range map[string]string{
		"lod":               `unknown command "lod" for "dyno"; did you mean load? (dyno --help shows all)`,
		"help term":         `unknown command "term" for "dyno"; did you mean terms? (dyno --help shows all)`,
		"help nonsense":     `unknown command "nonsense" for "dyno"; see dyno --help`,
		"help refserver-of": `unknown command "refserver-of" for "dyno"; see dyno --help`,
		"k6 run x.js": `dyno has no command "k6"; to load one server: dyno load URL, whose help names what the flags ` +
			`of other tools are here`,
		"wrk -c 10 URL": `dyno has no command "wrk"; to load one server: dyno load URL, whose help names what the flags ` +
			`of other tools are here`,
		"compare -d 30s a b": `unknown flag -d: the servers are loaded in turns, in short loads, for the time of ` +
			`--budget`,
		"compare --threads 2 a b": `unknown flag --threads: the event loops of the load generator follow from the CPUs; ` +
			`dyno load has --threads`,
		"run -c 10":      `unknown flag -c; use --connections`,
		"run -z":         `unknown flag -z; dyno run --help shows all`,
		"load --vus 3 a": `unknown flag --vus; in dyno use --connections`,
		"compare a":      `a alone cannot be compared: pass 2 sides or more; to load one server: dyno load URL`,
		"help load x":    `unknown command "x" for "dyno load"; see dyno load --help`,
	} {
		var stdout, stderr bytes.Buffer
		code := dyno(strings.Fields(call), &stdout, &stderr)
		if got := stderr.String(); code != exitUsage || got != "dyno: "+want+"\n" || stdout.Len() > 0 {
			t.Errorf("dyno %s: exit %d, %q, and on stdout %q; want %s", call, code, got, stdout.String(), want)
		}
	}
	for call, want := range map[string]string{"help": "Usage:\n  dyno COMMAND", "help load": "dyno load",
		"help terms": "output and manuals", "help method": "## Statistics", "help check": "Usage:\n  dyno check"} {
		var stdout, stderr bytes.Buffer
		if code := dyno(strings.Fields(call), &stdout, &stderr); code != exitDone ||
			!strings.Contains(stdout.String(), want) || stderr.Len() > 0 {
			t.Errorf("dyno %s: exit %d, %s%s", call, code, &stdout, &stderr)
		}
	}
}

// TestAskingFlagsAreTogether: dyno compare --help lists all request flags under one heading.
func TestAskingFlagsAreTogether(t *testing.T) {
	fl := compareCommand().Flags()
	for _, name := range append([]string{"expect-status", "differ"}, askingNames...) {
		if at := fl.Lookup(name).Annotations[flagHeading]; len(at) != 1 || at[0] != "What is asked" {
			t.Errorf("dyno compare --help: --%s stands under %v", name, at)
		}
	}
}

// TestFewFlags: the commands with the most flags keep within their limits.
func TestFewFlags(t *testing.T) {
	for name, most := range map[string]int{"load": 45, "run": 36, "compare": 36} {
		cmd, _, err := rootCommand().Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		eachFlag(cmd.Flags(), func(*pflag.Flag) { n++ })
		if n > most {
			t.Errorf("dyno %s has %d flags; at most %d", name, n, most)
		}
	}
}
