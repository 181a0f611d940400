package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// documentedFile lists each command that the manuals show: kept or gone, how it is tested, the command.
//
//	prints   TestDocs compares the output with the manual
//	runs     it runs, and exits with 0
//	reads    the command, its flags and the number of its arguments are read, nothing is started
//	gone     the command is refused, and no manual shows it; the reason stands before it
const documentedFile = "testdata/documented.txt"

var (
	commandInBlock = regexp.MustCompile(`(?:^| |/bin/|\./cmd/)dyno( [a-z].*)`)
	commandInText  = regexp.MustCompile("`(?:[a-z]+ -[^`]*)?dyno( [a-z][^`\n]*)`")
	documentedRow  = regexp.MustCompile(`^(?:(kept) +(prints|runs|reads)|(gone), ([^:]+):) +dyno( .+)$`)
	shellWord      = regexp.MustCompile(`(?:'[^']*'|[^\s'])+`)
)

// commandsIn returns the dyno commands that a manual shows, in its blocks and in inline code.
func commandsIn(page string) (commands []string) {
	fenced := false
	for line := range strings.Lines(strings.ReplaceAll(page, "\\\n", " ")) {
		before, _, _ := strings.Cut(line, " # ")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced && !strings.HasPrefix(line, "    ") {
			for _, m := range commandInText.FindAllStringSubmatch(line, -1) {
				commands = append(commands, strings.Join(shellWords(m[1]), " "))
			}
		} else if m := commandInBlock.FindStringSubmatch(before); m != nil && !strings.Contains(line, "go test ") &&
			!strings.Contains(line, ": dyno") {
			commands = append(commands, strings.Join(shellWords(m[1]), " "))
		}
	}
	return commands
}

// shellWords splits a command line, with its quotes, up to a comment, a pipe or a redirection.
func shellWords(line string) (list []string) {
	for _, w := range shellWord.FindAllString(line, -1) {
		if strings.ContainsAny(w[:1], "#|>") {
			break
		}
		list = append(list, strings.TrimSuffix(w, `\`))
	}
	return list
}

// readCommand reads a command line like dyno, without starting anything.
func readCommand(command string) error {
	args := shellWords(command)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "'", "")
	}
	root := rootCommand()
	root.InitDefaultHelpCmd()
	cmd, args, err := root.Find(args)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	var bare *pflag.ValueRequiredError // prose names a flag without a value
	if err := cmd.ParseFlags(args); errors.Is(err, pflag.ErrHelp) || errors.As(err, &bare) {
		return nil
	} else if err != nil {
		return err
	}
	if args = cmd.Flags().Args(); len(args) == 0 || cmd.Args == nil { // prose names a command without its arguments
		return nil
	}
	return cmd.ValidateArgs(args)
}

// TestDocumented: the manuals show the commands that documentedFile keeps, no others, and each is
// tested.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile(documentedFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	shown, printed := map[string]string{}, map[string]bool{}
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "doc/*.md", "validation/*.md", "studies/*.md",
		"contestants/*.md", "examples/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range commandsIn(string(page)) {
				shown[c] = file
			}
			for _, e := range examples(file, string(page)) {
				printed[strings.TrimPrefix(e.command, "dyno ")] = true
			}
		}
	}
	var listed []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		m := documentedRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			t.Errorf("%s: %q", documentedFile, line)
			continue
		}
		how, reason, command := m[2], m[4], strings.TrimSpace(m[5])
		listed = append(listed, command)
		err := readCommand(command)
		switch page := shown[command]; {
		case reason != "" && (page != "" || err == nil):
			t.Errorf("dyno %s: listed as gone; it is shown by %q, and refused with %v", command, page, err)
		case reason == "" && page == "":
			t.Errorf("dyno %s: listed as kept, and no manual shows it", command)
		case reason == "" && err != nil:
			t.Errorf("%s: dyno %s: %v", page, command, err)
		case printed[command] != (how == "prints"):
			t.Errorf("%s: dyno %s: its output is compared: %t; listed as %q", page, command, printed[command], how)
		case how == "runs":
			var stdout, stderr bytes.Buffer
			if code := dyno(strings.Fields(command), &stdout, &stderr); code != exitDone || stdout.Len() == 0 {
				t.Errorf("%s: dyno %s: exit %d, %s", page, command, code, &stderr)
			}
		}
	}
	for command, page := range shown {
		if !slices.Contains(listed, command) {
			t.Errorf("%s: dyno %s is not listed in %s", page, command, documentedFile)
		}
	}
}

func TestCommandsIn(t *testing.T) {
	page := "Use `dyno load` or `taskset -c 1 dyno check X`; dyno run is no code.\n\n    cd x && dyno compare 'a b' \\\n" +
		"        c # d\n    dyno agent x | y\n\n```\n$ dyno report runs\n  dyno: no\n```\n"
	want := []string{"load", "check X", "compare 'a b' c", "agent x", "report runs"}
	if got := commandsIn(page); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for command, refused := range map[string]bool{"compare 'a b' c --budget 5s": false, "compare --bugdet 5s": true,
		"comparison": true, "version x": true, "load --connections 'a b' http://x": true} {
		if err := readCommand(command); (err != nil) != refused {
			t.Errorf("dyno %s: %v", command, err)
		}
	}
}
