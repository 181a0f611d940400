package dyno_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dyno/internal/judge"
)

// ours is this module's path.
var ours = func() string {
	text, _ := os.ReadFile("go.mod")
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "module ")
}()

// layers are those of doc/design.md: an import of this module only points to a lower layer.
var layers = map[string]int{
	"cmd/dyno": 8, "validation": 8, // beside the program: nothing imports it

	"internal/fleet": 7,

	"internal/bench": 6,

	"internal/doctor": 5, "internal/loader": 5, "internal/study": 5, "internal/audit": 5,

	"internal/load/loadtest": 5, // tests alone

	"internal/alike": 4, "internal/contestant": 4, "internal/load/loop": 4,
	"internal/plan": 4, "internal/report": 4,

	"internal/load": 3, "internal/machine": 3, "internal/refserver": 3, "internal/judge": 3,

	"internal/record": 2, "internal/scenario": 2,

	"internal/wire": 1, "internal/importer": 1,

	"internal/conf": 0, "internal/document": 0, "internal/foreign": 0, "internal/stats": 0,
}

// makers touch the world; readers only read files. They meet in record, and neither imports the other; the packages
// of layers 5 and above that are in neither set use both.
var (
	makers = packages("alike", "contestant", "load", "load/loop", "machine",
		"refserver", "scenario")
	reader = packages("audit", "judge", "plan", "report", "study")
)

// permissions are the packages that may import an outside module, by prefix of its path.
var permissions = map[string][]string{
	"golang.org/x/sys":                {"internal/machine", "internal/refserver", "internal/load/loop", "internal/wire"},
	"github.com/pelletier/go-toml":    {"internal/conf"},
	"github.com/klauspost/compress":   {"internal/wire"},
	"github.com/andybalholm/brotli":   {"internal/wire"},
	"github.com/HdrHistogram":         {"internal/record"},
	"gonum.org":                       {"internal/stats"},
	"github.com/spf13/cobra":          {"cmd/dyno"},
	"github.com/spf13/pflag":          {"cmd/dyno"},
	"github.com/charmbracelet/x/term": {"cmd/dyno"},
	"github.com/charmbracelet/x/ansi": {"internal/machine", "internal/document"},
	"golang.org/x/net":                {"internal/wire"},
	"golang.org/x/tools/txtar":        {"internal/contestant"},
	"github.com/jackc/pgx":            {"internal/contestant"},
	"go.yaml.in/yaml":                 {"internal/contestant"},
	"github.com/nats-io":              {"internal/fleet"},
	"github.com/google/go-cmp":        nil, // tests only
	"github.com/rogpeppe/go-internal": nil,
}

func packages(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m["internal/"+n] = true
	}
	return m
}

func TestImportsGoDown(t *testing.T) {
	seen, used := map[string]bool{}, map[string]bool{} // packages; permissions
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") {
			return err
		}
		pkg := path.Dir(file)
		if _, ok := layers[pkg]; !ok && !strings.HasPrefix(pkg, "internal/") && !strings.HasPrefix(pkg, "cmd/") {
			return nil // contestants and the benchmark of load generators are programs of their own
		}
		layer, ok := layers[pkg]
		if !ok {
			t.Errorf("%s: the package %s is in no layer: add it to layers and to doc/design.md", file, pkg)
			return nil
		}
		seen[pkg] = true
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if other, own := strings.CutPrefix(imported, ours+"/"); own {
				checkLayer(t, file, pkg, layer, other)
			} else if imported != ours && strings.Contains(strings.Split(imported, "/")[0], ".") &&
				!strings.HasSuffix(file, "_test.go") {
				used[checkPermission(t, file, pkg, imported)+" by "+pkg] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range layers {
		if !seen[pkg] {
			t.Errorf("layers names the package %s, which does not exist", pkg)
		}
	}
	for module, allowed := range permissions {
		for _, pkg := range allowed {
			if !used[module+" by "+pkg] {
				t.Errorf("permissions allows %s to %s, which does not use it", module, pkg)
			}
		}
	}
}

func checkLayer(t *testing.T, file, pkg string, layer int, other string) {
	t.Helper()
	lower, ok := layers[other]
	test := strings.HasSuffix(file, "_test.go")
	switch {
	case !ok:
		t.Errorf("%s imports %s, which is in no layer", file, other)
	case other == pkg && test: // an external test of its own package
	case lower >= layer:
		t.Errorf("%s: %s (layer %d) imports %s (layer %d): imports only point down", file, pkg, layer, other, lower)
	case makers[pkg] && reader[other] && !test:
		t.Errorf("%s: the maker %s imports the reader %s", file, pkg, other)
	case reader[pkg] && makers[other] && !test:
		t.Errorf("%s: the reader %s imports the maker %s", file, pkg, other)
	}
}

// checkPermission returns the prefix in permissions that an outside module has.
func checkPermission(t *testing.T, file, pkg, imported string) string {
	t.Helper()
	for prefix, allowed := range permissions {
		if !strings.HasPrefix(imported, prefix) {
			continue
		}
		for _, a := range allowed {
			if a == pkg {
				return prefix
			}
		}
		t.Errorf("%s: %s may be imported by %v, not by %s", file, imported, allowed, pkg)
		return prefix
	}
	t.Errorf("%s: no package may import the module %s: give a reason and add it to permissions", file, imported)
	return ""
}

// TestOnlyChecksKnowIDs keeps the ids of checks in their table: whoever means one uses its name.
func TestOnlyChecksKnowIDs(t *testing.T) {
	id := regexp.MustCompile("[\"`]V[0-9][0-9][\"`]")
	for _, tree := range []string{"internal", "cmd", "validation"} {
		err := fs.WalkDir(os.DirFS("."), tree, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || path.Dir(file) == "internal/judge" {
				return err
			}
			text, err := os.ReadFile(file)
			for n, line := range strings.Split(string(text), "\n") {
				if id.MatchString(line) {
					t.Errorf("%s:%d: the id of a check; internal/judge has a name for it", file, n+1)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestOnlyTheTableKnowsMetrics keeps facts about metrics in their table: no map elsewhere has their
// names as keys. The importer's are the names that others use.
func TestOnlyTheTableKnowsMetrics(t *testing.T) {
	for _, tree := range []string{"internal", "cmd", "validation"} {
		err := fs.WalkDir(os.DirFS("."), tree, func(file string, d fs.DirEntry, err error) error {
			pkg := path.Dir(file)
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
				pkg == "internal/judge" || pkg == "internal/importer" {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				literal, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				if _, keyed := literal.Type.(*ast.MapType); keyed {
					if names := metricsAmong(literal.Elts); len(names) > 1 {
						t.Errorf("%s: a map by the names of metrics, %v; let it be a field of analysis.Metric", file,
							names)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// metricsAmong are the keys of a map that are names of metrics.
func metricsAmong(elements []ast.Expr) (names []string) {
	for _, e := range elements {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := pair.Key.(*ast.BasicLit); ok {
			name, _ := strconv.Unquote(key.Value)
			if _, known := judge.MetricNamed(name); known {
				names = append(names, name)
			}
		}
	}
	return names
}
