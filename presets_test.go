package dyno_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dyno/internal/plan"
)

// TestPresetsArePlansOwn: plan.New alone reads the name of a preset. No other package that reads
// plans has an identifier of that name, and none at all compares with it, switches over it or has
// it as a constant.
func TestPresetsArePlansOwn(t *testing.T) {
	found := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		dir := path.Dir(file)
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
			!strings.HasPrefix(dir, "internal/") && !strings.HasPrefix(dir, "cmd/") && dir != "validation" {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range presetNames(f) {
			if dir == "internal/plan" {
				found++
				continue
			}
			t.Errorf("%s:%d has the name of a preset: read the plan", file, set.Position(at).Line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("internal/plan has no presets: this test sees none")
	}
}

// presetNames returns where a file has the name of a preset: as an identifier, if it reads plans, or as a constant on
// which it branches.
func presetNames(f *ast.File) (at []token.Pos) {
	reads := slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		path := strings.Trim(i.Path.Value, `"`)
		return path == ours+"/internal/plan" || path == ours+"/internal/record"
	}) || f.Name.Name == "plan" || f.Name.Name == "record"
	named := func(name string) bool {
		return slices.Contains(plan.Names(), strings.ToLower(name))
	}
	constant := func(e ast.Expr) bool {
		l, ok := e.(*ast.BasicLit)
		if !ok {
			return false
		}
		value, err := strconv.Unquote(l.Value)
		return err == nil && named(value)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		var asked []ast.Expr
		switch x := n.(type) {
		case *ast.Ident:
			if reads && named(x.Name) {
				at = append(at, x.Pos())
			}
		case *ast.BinaryExpr:
			if x.Op == token.EQL || x.Op == token.NEQ {
				asked = []ast.Expr{x.X, x.Y}
			}
		case *ast.CaseClause:
			asked = x.List
		case *ast.IndexExpr:
			asked = []ast.Expr{x.Index}
		case *ast.ValueSpec:
			asked = x.Values
		}
		if slices.ContainsFunc(asked, constant) {
			at = append(at, n.Pos())
		}
		return true
	})
	return at
}
