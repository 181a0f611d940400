package dyno_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// narrowed are retired words that plain English needs too, each with the pattern of its retired use.
var narrowed = map[string]string{
	"look":   `(?:a|the|each|every|any|last|next|first|second|final|planned|interim|one|two|three|no|by|of|its|those) looks?|after \d+ looks|looks (?:of|that|in|left|taken|there)`,
	"stands": `(?:trials?|rounds?|verdicts?|none|nothing) (?:of (?:it|them) |that )?stands?`,
	"told":   `told(?:[,;.)]| (?:with|as|by|in|of|here|beside)\b)`,
	"room":   `(?:package|lower|upper|own|next) rooms?`,
	"floor":  `(?:package|lower|upper|next) floors?`,
	"door":   `(?:front|back|package) doors?`,
}

// exception is a file in which a retired word, or any where word is "", is right.
type exception struct{ file, word, reason string }

var excepted = []exception{
	{"CHANGELOG.md", "", "says what had which name when"},
	{"doc/glossary.md", "", "its tables list the words"},
	{"doc/method.md", "tie", "ties of ranks are called so in the literature"},
	{"doc/method.md", "proof", "in the title of a paper"},
	{"internal/stats/describe.go", "tie", "ties of ranks"},
	{"internal/stats/foils.go", "tie", "ties of ranks"},
	{"internal/stats/signedrank.go", "tie", "ties of ranks"},
	{"internal/study/shift.go", "tie", "ties of ranks"},
	{"doc/compare.md", "driver", "podman calls a flag so"},
	{"internal/study/claim.go", "tie", "the word in the hashes of committed runs"},
	{"internal/report/csv.go", "", "names of columns and states in the CSV form"},
}

var (
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	link       = regexp.MustCompile(`\]\([^)]*\)`)
)

// retired are the words of the glossary's last column, as patterns.
func retired(t *testing.T, glossary string) map[string]*regexp.Regexp {
	words := map[string]*regexp.Regexp{}
	for line := range strings.Lines(glossary) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || !strings.HasPrefix(line, "|") {
			continue
		}
		for word := range strings.SplitSeq(cells[2], ",") {
			word = strings.TrimSpace(word)
			if word == "" || word == "not" || strings.Trim(word, "-") == "" {
				continue
			}
			pattern := narrowed[word]
			if pattern == "" {
				pattern = strings.ReplaceAll(word, " ", `\s+`) + "s?"
			}
			words[word] = regexp.MustCompile(`(?i)\b` + pattern + `\b`)
		}
	}
	if len(words) < 20 {
		t.Fatalf("the glossary lists %d retired words only", len(words))
	}
	return words
}

// violation is a retired word in a text that a person reads.
type violation struct{ at, word, text string }

// inText finds retired words in a text that begins at a line of a file.
func inText(words map[string]*regexp.Regexp, file string, line int, text string) (found []violation) {
	text = link.ReplaceAllString(inlineCode.ReplaceAllString(text, "``"), "]")
	for word, pattern := range words {
		if slices.ContainsFunc(excepted, func(e exception) bool {
			return e.file == file && (e.word == "" || e.word == word)
		}) {
			continue
		}
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			n := line + strings.Count(text[:at[0]], "\n")
			found = append(found, violation{fmt.Sprintf("%s:%d", file, n), word,
				strings.TrimSpace(text[max(0, at[0]-30):min(len(text), at[1]+30)])})
		}
	}
	return found
}

// inGo finds retired words in the comments of a Go file, and in those of its strings that have
// several words: others are names and keys.
func inGo(words map[string]*regexp.Regexp, file string, src []byte) (found []violation, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, c := range f.Comments {
		found = append(found, inText(words, file, set.Position(c.Pos()).Line, c.Text())...)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil {
			field.Tag = nil
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(strings.TrimSpace(text), " ") {
				found = append(found, inText(words, file, set.Position(lit.Pos()).Line, text)...)
			}
		}
		return true
	})
	return found, nil
}

// TestRetiredWords holds what people read to the glossary: strings and comments of the program,
// manuals and pages.
func TestRetiredWords(t *testing.T) {
	glossary, err := os.ReadFile("doc/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	words := retired(t, string(glossary))
	var found []violation
	err = fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "runs" || name != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case path.Ext(name) == ".md":
			text, err := os.ReadFile(name)
			found = append(found, inText(words, name, 1, string(text))...)
			return err
		case path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			src, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			in, err := inGo(words, name, src)
			found = append(found, in...)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Errorf("%s: retired word %q: …%s…", v.at, v.word, v.text)
	}
}

// misnamed finds doc comments of functions and types that do not begin with the declared name, as
// after a rename.
func misnamed(file string, src []byte) (found []violation, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	check := func(doc *ast.CommentGroup, name string) {
		if doc == nil || strings.TrimSpace(doc.Text()) == "" || name == "main" || name == "init" {
			return
		}
		words := strings.FieldsFunc(doc.Text(), func(r rune) bool {
			return !unicode.IsLetter(r) &&
				!unicode.IsDigit(r) && r != '_'
		})
		if !slices.Contains(words[:min(2, len(words))], name) {
			found = append(found, violation{fmt.Sprintf("%s:%d", file, set.Position(doc.Pos()).Line), name,
				strings.Join(words, " ")})
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			check(d.Doc, d.Name.Name)
		case *ast.GenDecl:
			if len(d.Specs) == 1 && !d.Lparen.IsValid() {
				if t, ok := d.Specs[0].(*ast.TypeSpec); ok {
					check(d.Doc, t.Name.Name)
				}
			}
		}
	}
	return found, nil
}

// TestCommentsNameTheirDeclaration: a doc comment begins with the name that its function or type has now.
func TestCommentsNameTheirDeclaration(t *testing.T) {
	for src, want := range map[string]int{
		"// F runs.\nfunc F() {}": 0, "// A T is one.\ntype T int": 0,
		"// G runs.\nfunc F() {}": 1, "// U is one.\ntype T int": 1,
	} {
		if found, err := misnamed("p.go", []byte("package p\n\n"+src+"\n")); err != nil || len(found) != want {
			t.Errorf("%q: %v, %v", src, found, err)
		}
	}
	for _, root := range []string{"internal", "cmd", "validation", "loadgen-benchmark"} {
		err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			name = path.Join(root, name)
			src, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			found, err := misnamed(name, src)
			for _, v := range found {
				t.Errorf("%s: the comment on %s begins otherwise: %.60s", v.at, v.word, v.text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlantedWords: each retired word is found in a comment, in a string and on a page, and not in
// code, in a name, or in an excepted file.
func TestPlantedWords(t *testing.T) {
	glossary, err := os.ReadFile("doc/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	words := retired(t, string(glossary))
	planted := map[string]string{"look": "the first look", "stands": "no trial of it stands", "told": "wrk's " +
		"figure, as told by it",
		"room": "a lower room", "floor": "the lower floor", "door": "a back door"}
	for word := range words {
		text := cmp.Or(planted[word], "a "+word+" of it")
		for where, src := range map[string]string{
			"comment": "package p\n\n// F is " + text + ".\nfunc F() {}\n",
			"string":  "package p\n\nvar s = \"it is " + text + "\"\n",
		} {
			found, err := inGo(words, "p.go", []byte(src))
			if err != nil || !slices.ContainsFunc(found, func(v violation) bool { return v.word == word && v.at == "p.go:3" }) {
				t.Errorf("%q in a %s: %v, %v", text, where, found, err)
			}
		}
		if found := inText(words, "p.md", 1, "\n"+strings.ToUpper(text)); len(found) == 0 || found[0].at != "p.md:2" {
			t.Errorf("%q on a page: %v", text, found)
		}
		if found := inText(words, "p.md", 1, "see `"+text+"` and [it]("+text+")"); len(found) > 0 {
			t.Errorf("%q as code: %v", text, found)
		}
		if found := inText(words, "CHANGELOG.md", 1, text); len(found) > 0 {
			t.Errorf("%q in an excepted file: %v", text, found)
		}
	}
	if found, err := inGo(words, "p.go", []byte("package p\n\ntype T struct {\n\tX int `json:\"a "+
		"duel\"`\n}\n\nvar s = \"duel\"\n")); err != nil || len(found) > 0 {
		t.Errorf("a tag and a key: %v, %v", found, err)
	}
}
