package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"errand/internal/core"
)

// TestWordsAreComplete proves that the functions that return all words of a type
// return every constant that the vocabulary has of it, in the order in which they
// are declared.
func TestWordsAreComplete(t *testing.T) {
	declared := declaredWords(t)
	for name, all := range map[string][]string{
		"Role":            core.Strings(core.Roles()),
		"Reason":          core.Strings(core.Reasons()),
		"ConnectionState": core.Strings(core.ConnectionStates()),
		"TaskState":       core.Strings(core.TaskStates()),
		"OutboxState":     core.Strings(core.OutboxStates()),
		"EventType":       core.Strings(core.EventTypes()),
		"Way":             core.Strings(core.Ways()),
	} {
		if want := declared[name]; len(want) == 0 || !slices.Equal(all, want) {
			t.Errorf("the words of %s are %q, and declared are %q", name, all, want)
		}
	}
}

// declaredWords returns the constants of the package that are not empty, by the
// name of their type.
func declaredWords(t *testing.T) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string][]string{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil {
				return true
			}
			kind, ok := spec.Type.(*ast.Ident)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if word, err := strconv.Unquote(literal.Value); err == nil && word != "" {
					words[kind.Name] = append(words[kind.Name], word)
				}
			}
			return true
		})
	}
	return words
}
