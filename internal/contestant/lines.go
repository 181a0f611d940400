package contestant

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// CountLines returns the number of code lines in a contestant's sources: physical lines that contain more
// than white space and comments. fsys is the project, or the manifest's Root.
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

// linesOfCode counts the code lines in one file. A comment is one of whole lines: code behind the end
// of a block does not count.
func linesOfCode(ext, text string) (n int) {
	short, from, to := "//", "/*", "*/"
	switch ext {
	case ".html", ".cshtml", ".tmpl":
		short, from, to = "@*", "<!--", "-->"
	case ".py", ".rb", ".sh":
		short, from = "#", "#"
	}
	block := false
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		switch {
		case block || strings.HasPrefix(line, from) && !strings.HasPrefix(line, short):
			block = !strings.Contains(line, to)
		case line != "" && !strings.HasPrefix(line, short):
			n++
		}
	}
	return n
}
