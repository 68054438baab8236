package errand_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	heading    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unlinkable = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	link       = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)\s]*)?\)`)
	quoted     = regexp.MustCompile("`([^`\n]+)`")
	file       = regexp.MustCompile(`^[\w./-]+/[\w.-]*$|^[\w-]+\.(go|md)$`)
	function   = regexp.MustCompile(`\.\w*[A-Z]|\.\w+\.`) // of a package
	hop        = regexp.MustCompile(`^([\w/]+)\.((?:[A-Za-z]\w*\.)?[A-Za-z]\w*)$`)
)

// TestDocsNameWhatIsThere proves that the files and the pages that a document names are
// there.
func TestDocsNameWhatIsThere(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
	links, files := 0, 0
	for _, page := range append(pages, append(decisions(t), "docs/adr/README.md")...) {
		text := read(t, page)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			links++
			to := filepath.Join(filepath.Dir(page), m[1])
			if m[1] == "" {
				to = page
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: the link leads nowhere: %v", page, err)
			} else if m[2] != "" && !slices.Contains(headings(read(t, to)), m[2]) {
				t.Errorf("%s: %s has no heading %s", page, to, m[2])
			}
		}
		if page != "ARCHITECTURE.md" && page != "CONTRIBUTING.md" {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			name := strings.TrimPrefix(m[1], "./")
			top, _, _ := strings.Cut(name, "/")
			if !file.MatchString(name) || function.MatchString(name) || !slices.Contains([]string{"activities", "cmd", "docs", "internal", "notifiers", "starter", "worker", "workflows"}, top) && !strings.HasSuffix(name, ".go") {
				continue
			}
			// A file alone is one of the packages that the sentence is about.
			found, err := filepath.Glob(name)
			if err == nil && !strings.Contains(name, "/") {
				found = namedPackages(t, name)
			}
			if files++; err != nil || len(found) == 0 {
				t.Errorf("%s: there is no %s", page, name)
			}
		}
	}
	if links < 60 || files < 60 {
		t.Errorf("only %d links and %d files were found: this test looks in the wrong place", links, files)
	}
}

// TestDependencies proves that go.mod says why errand needs each module that it
// requires directly.
func TestDependencies(t *testing.T) {
	direct := 0
	for line := range strings.Lines(read(t, "go.mod")) {
		module, why, _ := strings.Cut(strings.TrimSpace(line), "//")
		if fields := strings.Fields(module); len(fields) != 2 || !strings.HasPrefix(fields[1], "v") || strings.TrimSpace(why) == "indirect" {
			continue
		}
		if direct++; len(strings.Fields(why)) == 0 {
			t.Errorf("go.mod: %s has no comment that says what errand needs it for", module)
		}
	}
	if direct < 20 {
		t.Errorf("go.mod requires only %d modules", direct)
	}
}

// TestCallPaths proves that each function in the call paths of ARCHITECTURE.md is there.
func TestCallPaths(t *testing.T) {
	_, paths, ok := strings.Cut(read(t, "ARCHITECTURE.md"), "\n## Five call paths\n")
	if !ok {
		t.Fatal("ARCHITECTURE.md has no call paths")
	}
	paths, _, _ = strings.Cut(paths, "\n## ")
	there, hops := functions(t), 0
	for _, m := range quoted.FindAllStringSubmatch(paths, -1) {
		parts := hop.FindStringSubmatch(m[1])
		if parts == nil {
			continue
		}
		hops++
		if !slices.ContainsFunc(there[parts[2]], func(path string) bool { return path == parts[1] || strings.HasSuffix(path, "/"+parts[1]) }) {
			t.Errorf("there is no %s", m[1])
		}
	}
	if hops < 50 {
		t.Errorf("only %d hops were found", hops)
	}
}

func headings(page string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		words := strings.ToLower(strings.Trim(m[1], " "))
		words = unlinkable.ReplaceAllString(words, "")
		list = append(list, "#"+strings.ReplaceAll(words, " ", "-"))
	}
	return list
}

// functions are the packages that have a function, or a method ("Type.Method").
func functions(t *testing.T) map[string][]string {
	t.Helper()
	there := map[string][]string{}
	for path := range allowed {
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(path), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				title := f.Name.Name
				if f.Recv != nil {
					title = receiver(f.Recv.List[0].Type) + "." + title
				}
				there[title] = append(there[title], path)
			}
		}
	}
	return there
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func namedPackages(t *testing.T, name string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if err == nil && d.Name() == name {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDecisions proves that each decision has at most 200 words and is in the list.
func TestDecisions(t *testing.T) {
	list := read(t, "docs/adr/README.md")
	for _, page := range decisions(t) {
		words := 0
		for _, field := range strings.Fields(read(t, page)) {
			if strings.ContainsFunc(field, unicode.IsLetter) || strings.ContainsFunc(field, unicode.IsDigit) {
				words++
			}
		}
		if words < 50 || words > 200 {
			t.Errorf("%s has %d words; a decision has 50 to 200", page, words)
		}
		if !strings.Contains(list, "("+filepath.Base(page)+")") {
			t.Errorf("docs/adr/README.md does not list %s", page)
		}
	}
}

func decisions(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/adr/[0-9]*.md")
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d decisions: %v", len(pages), err)
	}
	return pages
}

var (
	decisionNumber = regexp.MustCompile(`ADRs? (\d+)`)
	decisionFile   = regexp.MustCompile(`adr/(\d{4}[\w-]*)`)
)

// TestNamedDecisions proves that every decision that code, documents and scripts name
// is there.
func TestNamedDecisions(t *testing.T) {
	kept := map[string]bool{}
	for _, page := range decisions(t) {
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		kept[name], kept[strings.TrimLeft(name[:4], "0")] = true, true
	}
	files, named := 0, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"testdata", "node_modules", "vendor", "data", ".git"}, d.Name()) {
			return filepath.SkipDir
		}
		written := []string{".go", ".md", ".sh", ".ts", ".tsx", ".css", ".html", ".sql", ".yml", ".yaml", ".mod"}
		if d.IsDir() || !slices.Contains(written, filepath.Ext(path)) && !strings.HasPrefix(path, ".ci") {
			return nil
		}
		files++
		text := read(t, path)
		for _, m := range slices.Concat(decisionNumber.FindAllStringSubmatch(text, -1), decisionFile.FindAllStringSubmatch(text, -1)) {
			if named++; !kept[m[1]] {
				t.Errorf("%s names the decision %s, which docs/adr does not have", path, m[1])
			}
		}
		return nil
	})
	if err != nil || files < 500 || named < 5 {
		t.Errorf("%d files name %d decisions: %v", files, named, err)
	}
}

var unclear = regexp.MustCompile(`(?i)\b(whoever|whomever|whom|what is more|so few as|so many as|but for|nobody's|somebody's|of one's|who shows|as of a|` +
	`what becomes of|is none|are told of|is told of)\b`)

// TestPlainDocuments proves that documents are free of phrases that readers stumble over.
func TestPlainDocuments(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	pages = append(pages, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
	for _, page := range append(pages, decisions(t)...) {
		for i, line := range strings.Split(read(t, page), "\n") {
			if phrase := unclear.FindString(line); phrase != "" {
				t.Errorf("%s:%d: write plain English instead of %q", page, i+1, phrase)
			}
		}
	}
}
