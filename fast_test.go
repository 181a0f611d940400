package dyno_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each test that .ci/fast leaves out exists: a name that is misspelt or of a former test leaves out
// nothing.
func TestFastNamesTests(t *testing.T) {
	script, err := os.ReadFile(".ci/fast")
	if err != nil {
		t.Fatal(err)
	}
	absent := map[string]bool{}
	for _, name := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(script), -1) {
		absent[name] = name != "TestFastNamesTests"
	}
	if len(absent) < 10 {
		t.Fatalf(".ci/fast names %d tests", len(absent))
	}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err = fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
			absent[found[1]] = false
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, missing := range absent {
		if missing {
			t.Errorf(".ci/fast leaves out %s, and there is no such test", name)
		}
	}
}
