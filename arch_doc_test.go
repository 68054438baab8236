package errand_test

import (
	"flag"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of ARCHITECTURE.md")

const (
	tablesBegin = "<!-- packages: begin; written by go test . -run TestArchitecture -update -->\n"
	tablesEnd   = "<!-- packages: end -->\n"
)

// TestArchitecture proves that the tables of packages and of libraries in
// ARCHITECTURE.md are those of arch_test.go and of the package comments. -update
// writes them.
func TestArchitecture(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), tablesBegin)
	_, after, ends := strings.Cut(rest, tablesEnd)
	if !begins || !ends {
		t.Fatalf("ARCHITECTURE.md: no place for the tables; it begins with %q and ends with %q", tablesBegin, tablesEnd)
	}
	want := before + tablesBegin + tables(t) + tablesEnd + after
	if want == string(page) {
		return
	}
	if !*update {
		t.Fatal("the tables of ARCHITECTURE.md are not those of arch_test.go and of the package comments:\ngo test . -run TestArchitecture -update\nwrites them")
	}
	if err := os.WriteFile("ARCHITECTURE.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tables(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "\n**%s**\n\n| package | what it is | imports, of errand's own |\n|---|---|---|\n", g.title)
		for _, r := range g.rules {
			_, what := packageComment(t, r.path)
			imports := "–"
			switch {
			case slices.Contains(r.imports, "*"):
				imports = "all"
			case len(r.imports) > 0:
				imports = codes(r.imports)
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", codes([]string{r.path}), what, imports)
		}
	}
	b.WriteString("\n**Libraries of others that only some packages import**\n\n| library | imported by |\n|---|---|\n")
	for _, library := range slices.Sorted(maps.Keys(homes)) {
		by := "none"
		if len(homes[library]) > 0 {
			by = codes(homes[library])
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", library, by)
	}
	return b.String() + "\n"
}

func codes(paths []string) string {
	shown := make([]string, len(paths))
	for i, path := range paths {
		if path == "" {
			path = "."
		}
		shown[i] = "`" + path + "`"
	}
	return strings.Join(shown, ", ")
}

var hollow = []string{"whoever", "tells people", "told to", "look after", "looks after", "what is more", "stuff", "helper", "util", "various", "things on", "rooms"}

// TestPackageComments proves that the comment of each package says in one plain
// sentence what the package is.
func TestPackageComments(t *testing.T) {
	for path := range allowed {
		sentence, what := packageComment(t, path)
		switch {
		case what == "":
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

// packageComment is the first sentence of a package's comment, and the same without
// "Package NAME is"; the latter is empty where the sentence begins in another way.
func packageComment(t *testing.T, path string) (sentence, what string) {
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
		if file.Doc == nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		comments = append(comments, name)
		sentence = new(doc.Package).Synopsis(file.Doc.Text())
		kind, title := "Package", file.Name.Name
		if title == "main" {
			kind, title = "Command", filepath.Base(filepath.Dir(name))
		}
		if says, ok := strings.CutPrefix(sentence, kind+" "+title+" "); ok {
			what = strings.TrimSuffix(strings.TrimPrefix(says, "is "), ".")
		}
	}
	if len(comments) != 1 {
		t.Errorf("%q: %d files have its comment, not one: %v", path, len(comments), comments)
	}
	// In a comment [Name] is a link.
	return sentence, strings.NewReplacer("|", `\|`, "[", "", "]", "").Replace(what)
}
