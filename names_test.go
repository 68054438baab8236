package errand_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestMethodsDifferByMoreThanCase proves that no type has two methods whose names
// differ by case only: Allow and allow say the same, so that the reader has to look up
// what the second leaves out. The simulators keep the names of the platforms they
// stand for.
func TestMethodsDifferByMoreThanCase(t *testing.T) {
	type method struct{ dir, pkg, receiver, name string }
	found, fset := map[method]*ast.Ident{}, token.NewFileSet()
	for _, path := range goFiles(t) {
		if strings.HasPrefix(filepath.ToSlash(path), "internal/test/sim/") {
			continue
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			key := method{filepath.Dir(path), file.Name.Name, receiverOf(fn.Recv.List[0].Type), strings.ToLower(fn.Name.Name)}
			// The same name twice is one method per build tag.
			if other := found[key]; other != nil && other.Name != fn.Name.Name {
				t.Errorf("%s: %s.%s differs from %s by case only (%s): name it by what it does differently",
					fset.Position(fn.Pos()), key.receiver, fn.Name.Name, other.Name, fset.Position(other.Pos()))
			}
			found[key] = fn.Name
		}
	}
	if len(found) < 500 {
		t.Errorf("only %d methods were looked at", len(found))
	}
}

func receiverOf(expr ast.Expr) string {
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}
