package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var englishOnly = map[string]string{
	"\nerrand is ending: running steps are finished or handed on": "the worker says it, whose banner and log are in English",
	"unknown command %q for %q: there are %s":                     "misuse.go rewords it",
	"this is far too long for a token":                            "it is said with Failf",
	"export %s=%s\n":                                              "a shell reads it",
	"event %s not understood: %w":                                 "it is for who mends errand",
	"Hello! What can you do for me?":                              "it is in the language of errand.yaml",
	"¡Hola! ¿Qué puedes hacer por mí?":                            "it is in the language of errand.yaml",
	"in use":                                                      "the system says it",
}

// forPrograms are the packages that speak with programs: what they say is a protocol's.
var forPrograms = []string{"acpagent", "mcpbridge"}

// TestNoLiteralSentencesInCommands proves that no sentence of the command line is printed in
// English to everybody: each goes through this package, or is a text of help, which a test of
// package cli holds against its own catalogue.
func TestNoLiteralSentencesInCommands(t *testing.T) {
	found := map[string]bool{}
	for file, set := range sources(t) {
		path := set.Position(file.Pos()).Filename
		if slices.Contains(forPrograms, filepath.Base(filepath.Dir(path))) {
			continue
		}
		for _, text := range sentences(file) {
			found[text] = true
			if englishOnly[text] == "" {
				t.Errorf("%s: %q is said in English to everybody: use Sayf or what goes through it", path, text)
			}
		}
	}
	for text := range englishOnly {
		assert.True(t, found[text], "nobody says %q any more", text)
	}
}

// TestSentencesAreFound proves what is taken for a sentence, and what is not.
func TestSentencesAreFound(t *testing.T) {
	for code, want := range map[string]int{
		`fmt.Fprintln(c.Out, "Done")`:                                     1,
		`fmt.Fprintf(c.Err, "%s is gone.\n", name)`:                       1,
		`fmt.Fprintf(in.Out, "%-10s %s\n", name, value)`:                  0,
		`fmt.Fprint(c.Out, "\x1b[2J")`:                                    0,
		`c.Printlnf("%s is gone.", name)`:                                 0,
		`text := "nobody is here"`:                                        1,
		`text := name + " is not here"`:                                   1,
		`text := c.Sayf("nobody is here") + "nobody again"`:               1,
		`c.Confirm(ctx, "Delete it for good?")`:                           1,
		`t := &console.Table{Head: []string{"ID", "HELD BY"}}`:            0,
		`cmd := &cobra.Command{Short: "List the things", Use: "list it"}`: 0,
		`cmd.Flags().StringVar(&x, "x", "", "only those of this agent")`:  0,
		`group("things", "See the things", newList(c))`:                   0,
		`x := regexp.MustCompile("^unknown flag")`:                        0,
		`panic("never to be seen")`:                                       0,
		`x := "errand tasks show"`:                                        0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() {\n"+code+"\n}", 0)
		require.NoError(t, err, code)
		assert.Len(t, sentences(file), want, code)
	}
}

var (
	twoWords = regexp.MustCompile(`[A-Za-z’']{2,} [a-z’']{2,}`)
	oneWord  = regexp.MustCompile(`[A-Za-z]{2,}`)
	noWord   = regexp.MustCompile(`%[-+0-9.*]*[a-zA-Z]|\x1b\[[0-9;]*[A-Za-z]`)
	// notSaid are functions whose texts are not read as they are.
	notSaid = regexp.MustCompile(`^(MustCompile|panic|group|newSwitch|newOutboxAct|newIdentity|WithHint|\w*VarP?|BoolFunc|Warn|Info|Error|SetVersionTemplate)$`)
	ofHelp  = []string{"Use", "Short", "Long", "Example", "Head"}
)

// sentences are those of a file that do not go through this package.
func sentences(file *ast.File) (found []string) {
	fine := map[ast.Node]bool{} // nodes whose texts are said, or not read
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || fine[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			fine[n.Tag] = true
		case *ast.KeyValueExpr:
			if name, ok := n.Key.(*ast.Ident); ok && slices.Contains(ofHelp, name.Name) {
				return false
			}
			if text, ok := literal(n.Value); ok && strings.HasPrefix(text, "errand ") { // an example
				return false
			}
		case *ast.ValueSpec:
			if n.Names[0].Name == "terms" {
				return false
			}
		case *ast.AssignStmt: // cmd.Long = …
			if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok && slices.Contains(ofHelp, to.Sel.Name) {
				return false
			}
		case *ast.CallExpr:
			name := called(n)
			switch {
			case printsRaw(n):
				for _, arg := range n.Args[1:] {
					if text, ok := literal(arg); ok && oneWord.MatchString(noWord.ReplaceAllString(text, "")) {
						found = append(found, text)
					}
					fine[arg] = isLiteral(arg)
				}
			case notSaid.MatchString(name):
				for _, arg := range n.Args {
					fine[arg] = !isCall(arg)
				}
			case name == "Say" || slices.Contains(formats, name) && !ofFmt(n) || slices.Contains(plain, name):
				fine[n.Args[0]] = true
			case name == "Plural":
				fine[n.Args[1]], fine[n.Args[2]] = true, true
			}
		case *ast.BasicLit:
			if text, ok := literal(n); ok && twoWords.MatchString(text) && !strings.HasPrefix(text, "errand ") && !isHelp(text) {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func ofFmt(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := f.X.(*ast.Ident)
	return ok && of.Name == "fmt"
}

// printsRaw reports whether a call prints to a terminal what it is given.
func printsRaw(call *ast.CallExpr) bool {
	if !ofFmt(call) || !strings.HasPrefix(called(call), "Fprint") {
		return false
	}
	to, ok := call.Args[0].(*ast.SelectorExpr)
	return ok && (to.Sel.Name == "Out" || to.Sel.Name == "Err")
}

func isLiteral(e ast.Expr) bool { _, ok := literal(e); return ok }
func isCall(e ast.Expr) bool    { _, ok := e.(*ast.CallExpr); return ok }

// isHelp reports whether a text is one of help, or a part of one.
func isHelp(text string) bool {
	for help := range spanishHelp() {
		if strings.Contains(help, text) {
			return true
		}
	}
	return false
}
