package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var functionsTaken = map[string]string{
	"Options.Now":           "the clock, below the store",
	"Options.Local":         "the clock of this machine, which tests set apart from the database's",
	"Options.NewTaskID":     "draws an id, below the store",
	"Options.Notification":  "called between transactions, as storetest proves",
	"Options.Trace":         "notes statements for tests; nobody above it is asked",
	"Options.TraceTx":       "likewise",
	"Options.OnTaskEnd":     "called after the commit",
	"Scrub.between":         "called between transactions",
	"DeleteSession.between": "called between transactions",
	"DeleteTask.between":    "called between transactions",
}

// TestTransactionsGetData proves that nobody gives the store a function to call while
// everybody waits for its transaction: what transactions need is data, and what they
// cannot know they ask for by an error.
func TestTransactionsGetData(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	note := func(of string, list *ast.FieldList) {
		for _, field := range list.List {
			if !takesFunction(field.Type) {
				continue
			}
			for _, name := range append(field.Names, embedded(field)...) {
				found = append(found, of+"."+name.Name)
			}
		}
	}
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.IsExported() {
				note(n.Name.Name, n.Type.Params)
			}
			return false
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok && n.Name.IsExported() {
				exported := &ast.FieldList{}
				for _, f := range s.Fields.List {
					if len(f.Names) == 0 || f.Names[0].IsExported() {
						exported.List = append(exported.List, f)
					}
				}
				note(n.Name.Name, exported)
			}
		}
		return true
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, inspect)
	}
	for _, name := range found {
		if functionsTaken[name] == "" {
			t.Errorf("%s is given a function: give it data, or let it fail with an error that asks for data", name)
		}
	}
	for name := range functionsTaken {
		if !slices.Contains(found, name) {
			t.Errorf("%s is no function any more: take it off the list", name)
		}
	}
}

// embedded names a field without a name by its type.
func embedded(f *ast.Field) []*ast.Ident {
	if len(f.Names) > 0 {
		return nil
	}
	return []*ast.Ident{{Name: "embedded"}}
}

// takesFunction reports whether a type is a function, or holds some.
func takesFunction(e ast.Expr) (is bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, f := n.(*ast.FuncType)
		is = is || f
		return !is
	})
	return is
}
