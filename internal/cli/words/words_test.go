package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
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

var (
	placeholder = regexp.MustCompile(`\{[a-z]+\}`)
	verb        = regexp.MustCompile(`%(?:\[(\d)\])?[-+0-9.]*([a-zA-Z])`)
)

// The functions that say something in the language of who reads: those of a format of package
// fmt, and those of a word or of a sentence as it is.
var (
	formats = []string{"Sayf", "Printlnf", "printf", "Failf", "Misusef", "Errorf"}
	plain   = []string{"Field"}
)

// TestCatalogue proves that every sentence that the terminal says is there in Spanish, is
// given just what it has to be filled with, and that none is left over.
func TestCatalogue(t *testing.T) {
	said := map[string]bool{}
	for _, term := range terms {
		said[term] = true
	}
	for file, set := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				sayings(t, set, n, said)
			case *ast.KeyValueExpr:
				if name, ok := n.Key.(*ast.Ident); ok && name.Name == "Head" { // of a table
					for _, cell := range n.Value.(*ast.CompositeLit).Elts {
						key, _ := literal(cell)
						said[key] = true
					}
				}
			}
			return true
		})
	}
	delete(said, "")
	for key := range said {
		assert.NotEmpty(t, spanish()[key], "not there in Spanish: %q", key)
	}
	for _, key := range slices.Sorted(maps.Keys(spanish())) {
		assert.True(t, said[key], "nobody says %q", key)
		assert.Equal(t, placeholders(key), placeholders(spanish()[key]), "%q", key)
		assert.Equal(t, verbs(key), verbs(spanish()[key]), "%q", key)
		assert.NotRegexp(t, `(?i)\b(usted|quienquiera|disparate)\b|[^.]\.\.([^.]|$)`, spanish()[key])
	}
}

// sayings notes what a call says, if it says something.
func sayings(t *testing.T, set *token.FileSet, call *ast.CallExpr, said map[string]bool) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		if name, is := call.Fun.(*ast.Ident); is && name.Name == "append" {
			if to, is := call.Args[0].(*ast.SelectorExpr); is && to.Sel.Name == "Head" {
				key, _ := literal(call.Args[1])
				said[key] = true
			}
		}
		return
	}
	if of, is := f.X.(*ast.Ident); is && of.Name == "fmt" {
		return
	}
	first := func() (key string, ok bool) {
		if key, ok = literal(call.Args[0]); !ok && !passedOn(call.Args[0]) {
			t.Errorf("%s: what is said has to stand there", set.Position(call.Pos()))
		}
		said[key] = true
		return key, ok
	}
	switch {
	case f.Sel.Name == "Say":
		if key, ok := first(); ok {
			var names []string
			for i := 1; i < len(call.Args); i += 2 {
				name, _ := literal(call.Args[i])
				names = append(names, "{"+name+"}")
			}
			assert.ElementsMatch(t, placeholders(key), names, "%s: %q", set.Position(call.Pos()), key)
		}
	case slices.Contains(formats, f.Sel.Name):
		if key, ok := first(); ok {
			assert.Len(t, verbs(key), len(call.Args)-1, "%s: %q", set.Position(call.Pos()), key)
		}
	case slices.Contains(plain, f.Sel.Name):
		first()
	case f.Sel.Name == "Plural":
		for _, arg := range call.Args[1:] {
			key, ok := literal(arg)
			assert.True(t, ok, "%s: what is said has to stand there", set.Position(call.Pos()))
			said[key] = true
		}
	}
}

// passedOn reports whether e is what a function was given to say.
func passedOn(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && slices.Contains([]string{"format", "one", "many", "name"}, name.Name)
}

func sources(t *testing.T) iter.Seq2[*ast.File, *token.FileSet] {
	return func(yield func(*ast.File, *token.FileSet) bool) {
		set := token.NewFileSet()
		err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
			if d.IsDir() && d.Name() == "clitest" {
				return fs.SkipDir
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(set, path, nil, 0)
			if err == nil && !yield(file, set) {
				return fs.SkipAll
			}
			return err
		})
		require.NoError(t, err)
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

func verbs(format string) (list []string) {
	for i, m := range verb.FindAllStringSubmatch(strings.ReplaceAll(format, "%%", ""), -1) {
		if m[1] == "" {
			m[1] = strconv.Itoa(i + 1)
		}
		list = append(list, m[1]+m[2])
	}
	slices.Sort(list)
	return list
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
