package commands_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestOverTheService proves that commands do everything over the service, which asks
// who may: none of them calls the store behind it.
func TestOverTheService(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.SelectorExpr); ok && (field.Sel.Name == "Store" || field.Sel.Name == "Dispatch") {
				t.Errorf("%s: %s of the service is not for commands", files.Position(field.Pos()), field.Sel.Name)
			}
			return true
		})
	}
}
