package errand_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// obscure are phrases that readers have to read twice. CONTRIBUTING.md says how to write instead.
var obscure = regexp.MustCompile(`(?i)\b(whoever|whomever|whom|what is more|so few as|so many as|but for|nobody's|somebody's|of one's|who shows|as of a|what becomes of|is none|are told of|is told of)\b`)

// worded are the packages whose texts people, models and programs read in English.
var worded = []string{"api", "internal/prompt", "internal/tools", "internal/core", "internal/cli", "internal/doors"}

// TestPlainEnglish proves that comments, documents, and texts for people and models have no obscure
// phrase. Tests are left out.
func TestPlainEnglish(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, append(decisions(t), "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "internal/texts/languages/en.json")...) {
		for n, line := range strings.Split(read(t, page), "\n") {
			if found := obscure.FindString(line); found != "" {
				t.Errorf("%s:%d: %q", page, n+1, found)
			}
		}
	}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (path == "internal/test" || d.Name() == "testdata" || d.Name() == ".git") {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			checkPhrases(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkPhrases(t *testing.T, path string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	check := func(n ast.Node, text string) {
		if found := obscure.FindString(text); found != "" {
			t.Errorf("%s: %q", set.Position(n.Pos()), found)
		}
	}
	for _, group := range file.Comments {
		check(group, group.Text())
	}
	if !slices.ContainsFunc(worded, func(dir string) bool { return strings.HasPrefix(path, dir+"/") }) {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			check(l, l.Value)
		}
		return true
	})
}
