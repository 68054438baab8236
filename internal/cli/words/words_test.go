package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// TestCatalogue proves that every sentence that the terminal says is there in Spanish, is
// given just the placeholders that it has, and that none is left over.
func TestCatalogue(t *testing.T) {
	said := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "Say" {
				return true
			}
			key, ok := literal(call.Args[0])
			if !ok {
				t.Errorf("%s: what is said has to stand there", set.Position(call.Pos()))
				return true
			}
			said[key] = true
			var names []string
			for i := 1; i < len(call.Args); i += 2 {
				name, _ := literal(call.Args[i])
				names = append(names, "{"+name+"}")
			}
			assert.ElementsMatch(t, placeholders(key), names, "%s: %q", set.Position(call.Pos()), key)
			return true
		})
		return nil
	})
	require.NoError(t, err)
	for key := range said {
		assert.Contains(t, spanish(), key)
	}
	for _, key := range slices.Sorted(maps.Keys(spanish())) {
		assert.True(t, said[key], "nobody says %q", key)
		assert.Equal(t, placeholders(key), placeholders(spanish()[key]), "%q", key)
		assert.NotRegexp(t, `(?i)\b(usted|quienquiera|disparate)\b|[^.]\.\.([^.]|$)`, spanish()[key])
	}
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

func placeholders(text string) []string {
	list := placeholder.FindAllString(text, -1)
	slices.Sort(list)
	return slices.Compact(list)
}

func TestLanguages(t *testing.T) {
	for tag, want := range map[string]Language{"es": Spanish, "es_ES.UTF-8": Spanish, "es-MX": Spanish, "ES": Spanish, "es@euro": Spanish, "en_US.UTF-8": English, "C.UTF-8": English, "": English, "est": English} {
		got, ok := Of(tag)
		assert.Equal(t, want, got, "%q", tag)
		assert.Equal(t, tag != "" && tag != "C.UTF-8", ok, "%q", tag)
	}
	env := func(vars map[string]string) Language { return OfLocale(func(name string) string { return vars[name] }) }
	assert.Equal(t, Spanish, env(map[string]string{"LANG": "es_ES.UTF-8"}))
	assert.Equal(t, English, env(map[string]string{"LANG": "es_ES.UTF-8", "LC_ALL": "C"}))
	assert.Equal(t, Spanish, env(map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "es_AR"}))
	assert.Equal(t, "{a} y más", Spanish.Say("{n} more", "n", "{a} y", "a", "x")[:len("{a} y")]+" y más"[2:])
}
