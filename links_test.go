package dyno_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	codeBlock  = regexp.MustCompile("(?ms)^```.*?^```|^ {4}.*?$")
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	manual     = regexp.MustCompile(`\bdoc/[a-z-]+\.md(?:#[a-z0-9-]+)?`) // as comments, errors and help name it
)

// anchors are the fragments of a page, made of its headings as GitHub does.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		slug := notInSlug.ReplaceAllString(strings.ToLower(m[1]), "")
		found[strings.ReplaceAll(slug, " ", "-")] = true
	}
	return found
}

// TestLinks: each relative link of a page leads to a file and a heading that exist, and so does each name of a manual
// in the code.
func TestLinks(t *testing.T) {
	check := func(from, file, fragment string) {
		text, err := os.ReadFile(file)
		if st, serr := os.Stat(file); serr == nil && st.IsDir() {
			return
		}
		if err != nil {
			t.Errorf("%s: no %s", from, file)
		} else if fragment != "" && !anchors(string(text))[fragment] {
			t.Errorf("%s: %s has no heading #%s", from, file, fragment)
		}
	}
	pages := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if base := d.Name(); base == "testdata" || base == "runs" || base == ".git" {
				return fs.SkipDir
			}
			return nil
		case name == "CHANGELOG.md", name == "internal/contestant/bundle.txtar": // former pages; copies
			return nil
		}
		page := path.Ext(name) == ".md"
		if !page && !strings.Contains(".go .toml .yml .py", path.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !page {
			for _, of := range manual.FindAllString(string(text), -1) {
				file, fragment, _ := strings.Cut(of, "#")
				check(name, file, fragment)
			}
			return nil
		}
		pages++
		for _, m := range linkTarget.FindAllStringSubmatch(inlineCode.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], ":") {
				continue // another site
			}
			file, fragment, _ := strings.Cut(m[1], "#")
			if file = path.Join(path.Dir(name), file); strings.HasPrefix(m[1], "#") {
				file = name
			}
			check(name, file, fragment)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 12 {
		t.Errorf("%d pages only", pages)
	}
}
