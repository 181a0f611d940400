package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// recipeFile is a line in doc/run.md above a file's content.
var recipeFile = regexp.MustCompile("^`~/bench/([^`]+)`:$")

// recipes returns the files printed on a page, by path.
func recipes(page string) map[string]string {
	files := map[string]string{}
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		m := recipeFile.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		var content []string
		for i++; i < len(lines) && (lines[i] == "" || strings.HasPrefix(lines[i], "    ")); i++ {
			content = append(content, strings.TrimPrefix(lines[i], "    "))
		}
		files[m[1]] = strings.TrimSpace(strings.Join(content, "\n")) + "\n"
		i--
	}
	return files
}

// TestRecipes: the contestants that doc/run.md prints pass dyno verify.
func TestRecipes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts contestants")
	}
	t.Parallel()
	page, err := os.ReadFile("../../doc/run.md")
	if err != nil {
		t.Fatal(err)
	}
	bench := t.TempDir()
	folders := map[string]string{} // of each, its program
	for path, content := range recipes(string(page)) {
		file := filepath.Join(bench, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		switch filepath.Ext(path) {
		case ".py":
			folders[filepath.Dir(file)] = "python3"
		case ".js":
			folders[filepath.Dir(file)] = "node"
		}
	}
	if len(folders) != 2 {
		t.Fatalf("recipes in %v; want one of Python and one of Node", folders)
	}
	for folder, program := range folders {
		t.Run(program, func(t *testing.T) {
			if _, err := exec.LookPath(program); err != nil {
				t.Skip(err)
			}
			var stdout, stderr bytes.Buffer
			if code := dyno([]string{"verify", folder}, &stdout, &stderr); code != 0 ||
				!strings.Contains(stdout.String(), " ok: ") {
				t.Errorf("exit %d\n%s%s", code, stdout.String(), stderr.String())
			}
		})
	}
}
