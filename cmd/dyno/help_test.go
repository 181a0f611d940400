package main

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/importer"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/wire"
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
			if word := rowOf(cmd, f.Name).Value; !metavariableForm.MatchString(word) ||
				(word == "") != (f.Value.Type() == "bool") {
				t.Errorf("%s --help: --%s %s: want a word in capitals that says what the value is", cmd.CommandPath(),
					f.Name, word)
			}
			if flags++; rowOf(cmd, f.Name).heading == "Flags" {
				without = append(without, f.Name)
			}
		})
		if flags > fewFlags && len(without) > 0 {
			t.Errorf("%s --help: flags without a heading: %v", cmd.CommandPath(), without)
		}
	})
}

// TestExamplesOfHelp: all examples use flags of their commands.
func TestExamplesOfHelp(t *testing.T) {
	helps(t, func(cmd *cobra.Command, _ string) {
		for line := range strings.Lines(strings.ReplaceAll(cmd.Example, " && dyno ", "\ndyno ")) {
			_, call, found := strings.Cut(line, "dyno ")
			call, _, _ = strings.Cut(call, " # ")
			words := shellWords(call)
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

// TestUnknownCommand: an unknown command or flag ends with a usage error that names the nearest
// one, also after dyno help, or dyno's counterpart.
func TestUnknownCommand(t *testing.T) {
	for call, want := range map[string]string{
		"lod":               `unknown command "lod" for "dyno"; did you mean load? (dyno --help shows all)`,
		"help glosary":      `unknown command "glosary" for "dyno"; did you mean glossary? (dyno --help shows all)`,
		"help nonsense":     `unknown command "nonsense" for "dyno"; see dyno --help`,
		"help refserver-of": `unknown command "refserver-of" for "dyno"; see dyno --help`,
		"k6 run x.js": `dyno has no command "k6"; to load one server: dyno load URL, whose help has the counterparts ` +
			`of other tools' flags`,
		"wrk -c 10 URL": `dyno has no command "wrk"; to load one server: dyno load URL, whose help has the counterparts ` +
			`of other tools' flags`,
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
		"help glossary": "under comparison", "help method": "## Statistics", "help check": "Usage:\n  dyno check"} {
		var stdout, stderr bytes.Buffer
		if code := dyno(strings.Fields(call), &stdout, &stderr); code != exitDone ||
			!strings.Contains(stdout.String(), want) || stderr.Len() > 0 {
			t.Errorf("dyno %s: exit %d, %s%s", call, code, &stdout, &stderr)
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

// TestTable: each row of commands.toml is of use, and what it says about names is so.
func TestTable(t *testing.T) {
	root := rootCommand()
	for _, h := range commands().Heading {
		for _, f := range h.Flag {
			for _, path := range f.In {
				cmd, _, err := root.Find(strings.Fields(path))
				if err != nil || cmd.Flags().Lookup(f.Name) == nil {
					t.Errorf("--%s: no command %q has it: %v", f.Name, path, err)
				}
			}
			if f.Read != "" && f.Read != "one" && readers[f.Read] == nil {
				t.Errorf("--%s: nothing reads %q", f.Name, f.Read)
			}
		}
	}
	compare, _, _ := root.Find([]string{"compare"})
	for _, name := range conditionMetrics(true) {
		if !strings.Contains(rowOf(compare, "fail-if").Help, name) {
			t.Errorf("dyno compare --help does not name the metric %s of --fail-if", name)
		}
	}
	for command, all := range map[string][]string{"run": append(plan.Names(), wire.ProtocolNames(), defaultStudy),
		"audit": importer.Formats, "report": slices.Sorted(maps.Keys(report.Formats)),
		"compare": {wire.ProtocolNames(), defaultCondition, compareFileName}} {
		cmd, _, _ := root.Find([]string{command})
		text := strings.Join(strings.Fields(helpText(cmd)), " ")
		for _, name := range all {
			if !strings.Contains(text, name) {
				t.Errorf("dyno %s --help does not name %s", command, name)
			}
		}
	}
}

// TestConflicts: flags that exclude or need one another are refused together.
func TestConflicts(t *testing.T) {
	values := map[string]string{"duration": "1s", "rate": "1", "requests": "1", "stages": "1s@1", "find": "p99<1s",
		"slo": "p99<1s", "arrivals": "poisson", "warmup": "1s", "ramp-up": "1s",
		"format": "json", "http": "h2"}
	call := func(in string, names ...string) string {
		args := strings.Fields(in)
		cmd, _, _ := rootCommand().Find(args)
		for _, name := range names {
			if f := cmd.Flags().Lookup(name); f.NoOptDefVal != "" {
				args = append(args, "--"+name)
			} else {
				args = append(args, "--"+name, cmp.Or(values[name], "1"))
			}
		}
		args = append(args, map[string][]string{"report": {"a"}, "compare": {"a", "b"}}[in]...)
		var out, errs bytes.Buffer
		if code := dyno(args, &out, &errs); code != exitUsage {
			t.Errorf("dyno %s: exit %d", strings.Join(args, " "), code)
		}
		return errs.String()
	}
	for _, c := range commands().Conflict {
		want := "dyno: " + strings.ReplaceAll(c.Why, "\n", " ") + "\n"
		for _, other := range c.With {
			if got := call(c.In, c.Flag, other); got != want {
				t.Errorf("dyno %s --%s --%s: %q, want %q", c.In, c.Flag, other, got, want)
			}
		}
		if c.Needs != nil {
			if got := call(c.In, c.Flag); got != want {
				t.Errorf("dyno %s --%s: %q, want %q", c.In, c.Flag, got, want)
			}
		}
	}
}
