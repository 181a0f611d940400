package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// example is a block in a document that begins with "$ dyno": a command and its output.
type example struct {
	at, command string
	want        []string
}

// examples finds the blocks, fenced or indented by four spaces.
func examples(file, text string) []example {
	var list []example
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		indent := ""
		if strings.HasPrefix(lines[i], "    $ dyno ") {
			indent = "    "
		} else if !strings.HasPrefix(lines[i], "$ dyno ") {
			continue
		}
		e := example{at: file, command: strings.TrimPrefix(lines[i], indent+"$ ")}
		for i++; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
			if indent != "" && lines[i] != "" && !strings.HasPrefix(lines[i], indent) {
				break
			}
			e.want = append(e.want, strings.TrimPrefix(lines[i], indent))
		}
		for len(e.want) > 0 && strings.TrimSpace(e.want[len(e.want)-1]) == "" {
			e.want = e.want[:len(e.want)-1]
		}
		list = append(list, e)
	}
	return list
}

// matches compares line by line; "…" alone in a line of want stands for any lines.
func matches(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if strings.TrimSpace(want[0]) == "…" {
		for i := range len(got) + 1 {
			if matches(want[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && strings.TrimRight(want[0], " ") == strings.TrimRight(got[0], " ") && matches(want[1:], got[1:])
}

// TestDocs runs the examples in README.md and doc/ and compares their output with the text.
func TestDocs(t *testing.T) {
	t.Chdir("../..")
	files, err := filepath.Glob("doc/*.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string][2]string{} // by command: several pages show one
	for _, file := range append(files, "README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range examples(file, string(text)) {
			if _, ran := printed[e.command]; !ran {
				var stdout, stderr bytes.Buffer
				dyno(strings.Fields(e.command)[1:], &stdout, &stderr)
				printed[e.command] = [2]string{stdout.String(), stderr.String()}
			}
			got := printed[e.command]
			if !matches(e.want, strings.Split(strings.TrimRight(got[0], "\n"), "\n")) {
				t.Errorf("%s: $ %s prints\n%s\n%s", e.at, e.command, got[0], got[1])
			}
		}
	}
	if len(printed) == 0 {
		t.Error("no example was found")
	}
}

func TestExamples(t *testing.T) {
	got := examples("x", "a\n\n    $ dyno one\n    1\n\n    2\n\nb\n\n```\n$ dyno two\n3\n```\n    $ other\n")
	if len(got) != 2 || got[0].command != "dyno one" || len(got[0].want) != 3 || got[1].command != "dyno "+
		"two" || len(got[1].want) != 1 {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		want, got string
		same      bool
	}{{"a b", "a b", true}, {"a … d", "a b c d", true}, {"… d", "a b c", false}, {"a " +
		"…", "a", true}, {"a", "a b", false}} {
		if matches(strings.Fields(c.want), strings.Fields(c.got)) != c.same {
			t.Errorf("%q against %q", c.want, c.got)
		}
	}
}

// TestRunsAreIgnored: records made by README.md's examples stay out of git status, in any folder.
func TestRunsAreIgnored(t *testing.T) {
	t.Chdir("../..")
	if err := exec.Command("git", "rev-parse", "--git-dir").Run(); err != nil {
		t.Skipf("no git checkout: %v", err)
	}
	for _, folder := range []string{"runs", "examples/hello/runs", "examples/two-servers/runs"} {
		if err := exec.Command("git", "check-ignore", "-q", folder+"/20261123/trials.jsonl").Run(); err != nil {
			t.Errorf("git does not ignore %s: %v", folder, err)
		}
	}
}
