package dyno_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestProtocolIsAType: no package but internal/plan compares the protocol of a run, switches over it or
// looks it up in a table; they read what plan.Of says of it.
func TestProtocolIsAType(t *testing.T) {
	found := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		dir := path.Dir(file)
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
			!strings.HasPrefix(dir, "internal/") && !strings.HasPrefix(dir, "cmd/") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range protocolBranches(f) {
			if dir == "internal/plan" {
				found++
				continue
			}
			t.Errorf("%s:%d branches on the protocol: read what plan.Of(…).Traits() says, or give Traits what is "+
				"missing",
				file, set.Position(at).Line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("internal/plan finds a protocol without a comparison: this test sees none")
	}
}

// protocolBranches are the places of a file that branch on a protocol.
func protocolBranches(f *ast.File) (at []token.Pos) {
	is := func(e ast.Expr) bool { // something called protocol, or one of plan's constants
		if call, ok := e.(*ast.CallExpr); ok {
			e = call.Fun
		}
		switch x := e.(type) {
		case *ast.Ident:
			return strings.EqualFold(x.Name, "protocol")
		case *ast.SelectorExpr:
			of, _ := x.X.(*ast.Ident)
			return strings.EqualFold(x.Sel.Name, "protocol") ||
				of != nil && of.Name == "plan" && slices.Contains([]string{"Paired", "Sweep", "Search", "Classic"},
					x.Sel.Name)
		}
		return false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		var asked []ast.Expr
		switch x := n.(type) {
		case *ast.BinaryExpr:
			if x.Op == token.EQL || x.Op == token.NEQ {
				asked = []ast.Expr{x.X, x.Y}
			}
		case *ast.SwitchStmt:
			asked = []ast.Expr{x.Tag}
		case *ast.CaseClause:
			asked = x.List
		case *ast.IndexExpr:
			asked = []ast.Expr{x.Index}
		case *ast.CallExpr:
			if s, ok := x.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Contains" {
				asked = x.Args
			}
		}
		if slices.ContainsFunc(asked, is) {
			at = append(at, n.Pos())
		}
		return true
	})
	return at
}
