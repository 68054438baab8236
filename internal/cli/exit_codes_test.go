package cli

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExitCodesInDocs proves that docs/commands.md lists each exit code that there is, and no
// other.
func TestExitCodesInDocs(t *testing.T) {
	source, err := parser.ParseFile(gotoken.NewFileSet(), "console/failure.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	want := []string{"0"} // success has no name
	ast.Inspect(source, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			for i, name := range v.Names {
				if code, ok := v.Values[i].(*ast.BasicLit); ok && strings.HasPrefix(name.Name, "Exit") {
					want = append(want, code.Value)
				}
			}
		}
		return true
	})
	require.GreaterOrEqual(t, len(want), 5, "this test looks in the wrong place")

	page, err := os.ReadFile("../../docs/commands.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| exit code |")
	require.True(t, found, "docs/commands.md has no table of exit codes")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(table, -1) {
		listed = append(listed, row[1])
	}
	assert.Equal(t, want, listed)
}
