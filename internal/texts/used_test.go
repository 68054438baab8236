package texts

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var built = []string{"language", "unreadable.", "page.tool.", "state.", "busy.", "model.", "hint.", "when.", "reason.", "role.", "budget.", "thing.", "weekday.", "month.", "weekday_short.", "month_short.", "nth.", "ordinal.", "outcome.", "decision.answer.", "decision.verdict.", "time.every.", "time.every_n.", "failure.", ".about", ".words", ".example"}

// TestUsed proves that every text that errand's code and its pages say is there, that code gives
// it just the placeholders that it has, and that no text is left over.
func TestUsed(t *testing.T) {
	c := catalog(t, nil)
	used := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "data" || strings.HasPrefix(name, ".") && name != "..") {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); !d.IsDir() && (ext == ".ts" || ext == ".tsx" || ext == ".js" || ext == ".html") && strings.Contains(filepath.ToSlash(path), "web/static/") {
			return checkPage(t, c, path, used)
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				checkCall(t, c, path, n)
			case *ast.BasicLit:
				key, _ := literal(n)
				used[key] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range c.Keys() {
		put := slices.ContainsFunc(built, func(b string) bool {
			return key == b || strings.HasSuffix(b, ".") && strings.HasPrefix(key, b) || strings.HasPrefix(b, ".") && strings.HasSuffix(key, b)
		})
		if !used[key] && !put {
			t.Errorf("nobody says %s", key)
		}
	}
}

var (
	pageKey = regexp.MustCompile(`(?:"|\{\{)([a-z]+(?:\.[a-z0-9_]+)+)(?:"|\}\})`)
	said    = regexp.MustCompile(`\bsay(?:With)?\((?:[^"{}$]*\? *)?"([^"]*)"(?: : "([^"]*)")?`)
)

// checkPage notes the keys in a source of the pages, and reports those of say that are not there.
func checkPage(t *testing.T, c *Catalog, path string, used map[string]bool) error {
	source, err := os.ReadFile(path)
	for _, m := range pageKey.FindAllSubmatch(source, -1) {
		used[string(m[1])] = true
		if strings.HasPrefix(string(m[1]), "page.") && !c.Has(string(m[1])) {
			t.Errorf("%s says %q, which is not there", path, m[1])
		}
	}
	for _, m := range said.FindAllSubmatch(source, -1) {
		for _, key := range m[1:] {
			if len(key) > 0 && !bytes.HasPrefix(key, []byte("page.")) && !c.Has(string(key)) {
				t.Errorf("%s says %q, which is not there", path, key)
			}
		}
	}
	return err
}

// renderers are what says a text, and what makes an error of one.
var renderers = []string{"Localize", "Fill", "Sentence", "Refuse", "Invalid", "Forbidden", "conflict", "Spoken", "noCode", "unauthorized"}

// checkCall looks at a call of one of renderers: the key, and then names and values in
// turn.
func checkCall(t *testing.T, c *Catalog, path string, call *ast.CallExpr) {
	t.Helper()
	var name string
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	if !slices.Contains(renderers, name) || len(call.Args) == 0 {
		return
	}
	at := slices.IndexFunc(call.Args, func(e ast.Expr) bool { key, _ := literal(e); return c.Has(key) && key != "language" })
	if at < 0 {
		if key, ok := literal(call.Args[0]); ok && name == "Localize" {
			t.Errorf("%s says %q, which is not there", path, key)
		}
		return
	}
	if call.Ellipsis.IsValid() {
		return // what is filled in is made elsewhere
	}
	key, _ := literal(call.Args[at])
	var names []string
	for i := at + 1; i < len(call.Args); i += 2 {
		name, _ := literal(call.Args[i])
		names = append(names, name)
	}
	slices.Sort(names)
	if want := c.Placeholders(key); (len(call.Args)-at)%2 == 0 || !slices.Equal(names, want) {
		t.Errorf("%s says %q with %v, it has %v", path, key, names, want)
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
