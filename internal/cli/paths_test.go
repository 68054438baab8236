package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asksItself lists the files that make requests of their own, to paths that are no operations of
// package api.
var asksItself = []string{
	"doctor.go",           // /healthz and /readyz, which answer in a line of text
	"mcpbridge/bridge.go", // /mcp, which speaks MCP
}

// TestCommandsCallOperations proves that no command knows a path of the API: it calls the
// operations of package api.
func TestCommandsCallOperations(t *testing.T) {
	read := 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() || path == "console/worker.go" || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		read++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && isAPIPath(text) {
					t.Errorf("%s: %s is a path of the API; package api has an operation for it", files.Position(n.Pos()), n.Value)
				}
			case *ast.SelectorExpr:
				if strings.HasPrefix(n.Sel.Name, "NewRequest") && !slices.Contains(asksItself, filepath.ToSlash(path)) {
					t.Errorf("%s: a request of its own; package api has an operation for it", files.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, read, 50)
}

// isAPIPath reports whether text is, or has in it, where the API's document has an
// operation. A sentence may name one.
func isAPIPath(text string) bool {
	return strings.Contains(text, "/api/") || strings.HasPrefix(text, "/v1/") || strings.HasPrefix(text, "/trigger-bot")
}
