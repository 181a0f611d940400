package contestant

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// CountLines returns the number of code lines in a contestant's sources: physical lines that contain more
// than white space and comments. The rule is the same for all languages; a line inside a multi-line text
// counts unless it is blank. fsys is the project, or the manifest's Root.
func (m *Manifest) CountLines(fsys fs.FS) (int, error) {
	var files []string
	for _, pattern := range m.Sources {
		found, err := fs.Glob(fsys, path.Join(m.Path, pattern))
		if err != nil {
			return 0, fmt.Errorf("count the lines of %s: %q: %w", m.Name, pattern, err)
		}
		for _, f := range found {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	n := 0
	for _, f := range files {
		text, err := fs.ReadFile(fsys, f)
		if err != nil {
			return 0, fmt.Errorf("count the lines of %s: %w", m.Name, err)
		}
		n += linesOfCode(path.Ext(f), string(text))
	}
	return n, nil
}

// syntax describes a language's comments, and its string literals, which could contain comment marks.
type syntax struct {
	line   string      // begins a comment up to the end of the line
	blocks [][2]string // pairs of marks, from and to
	texts  []string    // quotes, longest first
}

var (
	braces = syntax{line: "//", blocks: [][2]string{{"/*", "*/"}}, texts: []string{`"""`, `"`, "`", "'"}}
	markup = syntax{blocks: [][2]string{{"<!--", "-->"}, {"@*", "*@"}, {"{{/*", "*/}}"}}}
	hashes = syntax{line: "#", texts: []string{`"""`, "'''", `"`, "'"}}
)

// syntaxes are by file extension; other files have the syntax of languages with braces.
var syntaxes = map[string]syntax{
	".html": markup, ".cshtml": markup, ".tmpl": markup, ".py": hashes, ".rb": hashes, ".sh": hashes,
}

// linesOfCode counts the code lines in one file.
func linesOfCode(ext, text string) int {
	s, ok := syntaxes[ext]
	if !ok {
		s = braces
	}
	var code strings.Builder // the file without comments, but with their line ends
	for rest := strings.TrimPrefix(text, "\ufeff"); rest != ""; {
		n, comment := s.next(rest)
		if comment {
			code.WriteString(strings.Repeat("\n", strings.Count(rest[:n], "\n")))
		} else {
			code.WriteString(rest[:n])
		}
		rest = rest[n:]
	}
	lines := 0
	for line := range strings.Lines(code.String()) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	return lines
}

// next returns the length of the first element in rest: a comment, a string literal, or one byte.
func (s *syntax) next(rest string) (n int, comment bool) {
	if s.line != "" && strings.HasPrefix(rest, s.line) {
		return upTo(rest, 0, "\n"), true
	}
	for _, b := range s.blocks {
		if strings.HasPrefix(rest, b[0]) {
			return min(len(rest), upTo(rest, len(b[0]), b[1])+len(b[1])), true
		}
	}
	if strings.HasPrefix(rest, `@"`) { // C# verbatim: no escapes, quotes are doubled, may span lines
		return min(len(rest), upTo(strings.ReplaceAll(rest, `""`, "  "), 2, `"`)+1), false
	}
	for _, t := range s.texts {
		if strings.HasPrefix(rest, t) {
			return textLength(rest, t), false
		}
	}
	return 1, false
}

// textLength returns the length of a text that begins and ends with quote. A text with a single quote
// character ends at the latest with its line, and a backslash in it escapes the next character.
func textLength(rest, quote string) int {
	short := quote == `"` || quote == "'"
	for i := len(quote); i < len(rest); i++ {
		switch {
		case short && rest[i] == '\n':
			return i
		case short && rest[i] == '\\':
			i++
		case strings.HasPrefix(rest[i:], quote):
			return i + len(quote)
		}
	}
	return len(rest)
}

// upTo returns the index of end in s from a position on, or the length of s.
func upTo(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i
	}
	return len(s)
}
