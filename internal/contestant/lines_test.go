package contestant

import (
	"testing"
	"testing/fstest"
)

func TestLinesOfCode(t *testing.T) {
	for _, c := range []struct {
		name, ext, text string
		want            int
	}{
		{"empty", ".go", "", 0},
		{"blank and comment", ".go", "\n \t\n// a\n/* b\n\nc */\n", 0},
		{"no end of line", ".go", "package main", 1},
		{"carriage returns", ".cs", "int a;\r\n\r\n// b\r\nint c;\r\n", 2},
		{"code beside comments", ".go", "a() // b\n/* e\nf\n*/\ng(\"*/*\")\n", 2},
		{"a comment without end", ".go", "a()\n/* b\nc()", 1},
		{"markup", ".cshtml", "\ufeff@* a *@\n<p>\n<!-- b\n-->\n</p>\n", 2},
		{"hashes", ".py", "# a\nb = '#'\n", 1},
	} {
		if got := linesOfCode(c.ext, c.text); got != c.want {
			t.Errorf("%s: %d lines, want %d", c.name, got, c.want)
		}
	}
}

func TestCountLines(t *testing.T) {
	m := &Manifest{Name: "a", Path: "contestants/go/a", Sources: []string{"*.go", "main.go", "views/*.html"}}
	fsys := fstest.MapFS{
		"contestants/go/a/main.go":      {Data: []byte("package main\n\n// main\nfunc main() {}\n")},
		"contestants/go/a/views/a.html": {Data: []byte("<p>\n")},
		"contestants/go/a/x.txt":        {Data: []byte("no\n")},
	}
	if n, err := m.CountLines(fsys); n != 3 || err != nil {
		t.Errorf("%d lines, %v; want 3", n, err)
	}
}
