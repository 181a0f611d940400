package contestant

import (
	"cmp"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/conf"
)

// validName matches contestants' names, which appear as folders, in tables and on command lines.
var validName = conf.Regexp(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CheckName returns an error for an invalid name of a contestant or a language's folder.
func CheckName(name string) error {
	if len(name) > 40 || !validName().MatchString(name) {
		return fmt.Errorf("%q: want at most 40 lower-case letters, digits and single hyphens, such as my-server", name)
	}
	return nil
}

// Languages returns the language folders below base that contain a contestant.
func Languages(base string) []string {
	files, _ := filepath.Glob(filepath.Join(base, "*", "*", "contestant.toml"))
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(filepath.Dir(filepath.Dir(file))))
	}
	return slices.Compact(names)
}

// Copy copies the contestant from to base/<language>/<name>, under the new name, and returns this folder.
// root is the project's folder. Copy replaces the old name in the manifest, the Go module and the .csproj. It
// also copies files that the build needs from outside, such as base/shared/<folder>, if base lacks them. The
// error is fs.ErrExist if the folder exists; then nothing is written.
func Copy(from *Manifest, root, base, language, name string) (string, error) {
	dir := filepath.Join(base, language, name)
	if _, err := os.Lstat(dir); err == nil {
		return dir, fmt.Errorf("%s: %w", dir, fs.ErrExist)
	}
	src := from.Dir(root)
	names, err := namesIn(src, from, name)
	if err != nil {
		return "", err
	}
	shared, err := from.sharedFolders(root)
	if err != nil {
		return "", err
	}
	partial := dir + ".partial"
	defer os.RemoveAll(partial)
	if err := copyTree(src, partial, names.rename); err != nil {
		return "", err
	}
	if err := copyOutside(src, shared, filepath.Dir(dir), filepath.Join(base, "shared")); err != nil {
		return "", err
	}
	if err := os.Rename(partial, dir); err != nil {
		return "", err
	}
	_, err = ReadFolder(dir)
	return dir, err
}

// copyTree copies the regular files below src, except build output. change may modify the content and the
// base name.
func copyTree(src, dst string, change func(path string, b []byte) (string, []byte)) error {
	names, err := SourceFiles(os.DirFS(src), ".")
	for _, name := range names {
		name = filepath.FromSlash(name)
		err = cmp.Or(err, copyFile(filepath.Join(src, name), filepath.Join(dst, name), change))
	}
	return err
}

// copyFile copies a file and its execute permission. change may modify the content and the base name.
func copyFile(from, to string, change func(path string, b []byte) (string, []byte)) error {
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if change != nil {
		var base string
		base, b = change(from, b)
		to = filepath.Join(filepath.Dir(to), base)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644|st.Mode().Perm()&0o111)
}

// renaming lists the old names to replace and their new names.
type renaming struct {
	from, to       string // the name in contestant.toml
	module         string // Go module; empty without a go.mod
	project, given string // base names of the old and the new .csproj
}

// namesIn finds the names to replace in from's folder src.
func namesIn(src string, from *Manifest, name string) (*renaming, error) {
	r := &renaming{from: filepath.Base(filepath.FromSlash(from.Path)), to: name}
	switch b, err := os.ReadFile(filepath.Join(src, "go.mod")); {
	case err == nil:
		if m := moduleLine().FindSubmatch(b); m != nil {
			r.module = string(m[2])
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if projects, _ := filepath.Glob(filepath.Join(src, "*.csproj")); len(projects) == 1 {
		r.project = strings.TrimSuffix(filepath.Base(projects[0]), ".csproj")
		for _, word := range strings.Split(name, "-") {
			r.given += strings.ToUpper(word[:1]) + word[1:]
		}
		if r.given[0] <= '9' { // the name is also a namespace, which cannot begin with a digit
			r.given = "C" + r.given
		}
	}
	return r, nil
}

var (
	nameLine   = conf.Regexp(`(?m)^((?:name|title)[ \t]*=[ \t]*)("[^"\n]*"|'[^'\n]*')`)
	moduleLine = conf.Regexp(`(?m)^(module[ \t]+)"?([^\s"]+)"?`)
)

// rename returns a file's new base name and content.
func (r *renaming) rename(file string, b []byte) (string, []byte) {
	base := filepath.Base(file)
	switch {
	case base == "contestant.toml":
		b = nameLine().ReplaceAll(b, []byte(`${1}"`+r.to+`"`))
		if r.project != "" {
			given := strings.NewReplacer(r.project+".csproj", r.given+".csproj", "{out}/"+r.project, "{out}/"+r.given)
			b = []byte(given.Replace(string(b)))
		}
	case base == "go.mod" && r.module != "":
		if m := moduleLine().FindSubmatch(b); m != nil && string(m[2]) == r.module { // not a nested module
			b = moduleLine().ReplaceAll(b, []byte("${1}"+r.to))
		}
	case filepath.Ext(base) == ".go" && r.module != "":
		b = r.imports(file, b)
	case r.project != "" && base == r.project+".csproj":
		base = r.given + ".csproj"
	}
	return base, b
}

// imports replaces the module path in a Go file's imports, and the name at the start of the package comment.
func (r *renaming) imports(file string, b []byte) []byte {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, b, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return b // the build will report the error
	}
	var out []byte
	at := 0
	replace := func(pos token.Pos, length int, text string) {
		offset := set.Position(pos).Offset
		out = append(append(out, b[at:offset]...), text...)
		at = offset + length
	}
	if head := "// Command " + r.from + " "; f.Doc != nil && strings.HasPrefix(f.Doc.List[0].Text, head) {
		replace(f.Doc.Pos(), len(head), "// Command "+r.to+" ")
	}
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if rest, own := strings.CutPrefix(path, r.module); err == nil && own && (rest == "" || rest[0] == '/') {
			replace(spec.Path.Pos(), len(spec.Path.Value), strconv.Quote(r.to+rest))
		}
	}
	return append(out, b[at:]...)
}
