package errand_test

import (
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

var hollow = []string{"whoever", "tells people", "told to", "look after", "looks after", "what is more", "stuff", "helper", "util", "various", "things on", "rooms"}

// TestPackageComments proves that the comment of each package says in one plain
// sentence what the package is.
func TestPackageComments(t *testing.T) {
	for path := range allowed {
		if path == "" {
			continue // only tests
		}
		sentence, named := packageComment(t, path)
		switch {
		case !named:
			t.Errorf("%q: its comment begins with %q; it has to begin with what the package is: %q", path, sentence, "Package NAME is …")
		case len(sentence) > 200:
			t.Errorf("%q: the first sentence of its comment has %d bytes, at most 200 are read at once: %s", path, len(sentence), sentence)
		}
		for _, word := range hollow {
			if strings.Contains(strings.ToLower(sentence), word) {
				t.Errorf("%q: %q in the first sentence of its comment says nothing to a newcomer: %s", path, word, sentence)
			}
		}
	}
}

// packageComment returns the first sentence of a package's comment, and whether it
// begins with "Package NAME is".
func packageComment(t *testing.T, path string) (sentence string, named bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(path), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var comments []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		// A package that has only tests has its comment in doc_test.go.
		if file.Doc == nil || strings.HasSuffix(name, "_test.go") && filepath.Base(name) != "doc_test.go" {
			continue
		}
		comments = append(comments, name)
		sentence = new(doc.Package).Synopsis(file.Doc.Text())
		kind, title := "Package", file.Name.Name
		if title == "main" {
			kind, title = "Command", filepath.Base(filepath.Dir(name))
		}
		named = strings.HasPrefix(sentence, kind+" "+title+" ")
	}
	if len(comments) != 1 {
		t.Errorf("%q: %d files have its comment, not one: %v", path, len(comments), comments)
	}
	return sentence, named
}
