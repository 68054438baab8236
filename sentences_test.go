package errand_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// talking are the packages that talk to people. What errand says there in its own
// words is in internal/texts, in every language. Workflows carry no words. The command
// line is in English.
var talking = []string{"activities", "internal/channels", "internal/channels/discord", "internal/channels/telegram", "internal/channels/whatsapp",
	"internal/commands", "internal/intake", "internal/llm/background", "internal/presence", "internal/service", "internal/tools", "internal/doors/web",
	"internal/when", "notifiers", "notifiers/discord", "internal/markup", "notifiers/telegram", "notifiers/whatsapp"}

// A reader is somebody else than the people whom errand serves: a sentence in code may
// be for them. It is known by what it is handed to, or by where it stands.
type reader struct {
	who   string
	calls []string // functions and methods
	names []string // fields, variables and constants
	types []string // of a literal
	files []string // whole ones, or all of a package
	marks []string // what the text itself begins with
}

var readers = []reader{
	{who: "whoever develops errand, or reads its log",
		calls: []string{"Info", "Warn", "Error", "Debug", "RecoverPanic", "New", "Errorf", "NewNonRetryableApplicationError"}, types: []string{"discord.Error"}},
	{who: "whoever runs the installation: what is wrong with an account or a delivery stands beside the log, and in Temporal's Web UI, in the log's words",
		calls: []string{"refused", "Refusedf", "NotSentf", "down", "turnAway", "TerminateSession", "cancelAll"},
		names: []string{"Detail", "detail", "Advice", "Refused", "reason", "why", "what", "Note"},
		files: []string{"internal/channels/discord/client.go", "internal/channels/discord/error.go", "internal/channels/discord/failure.go", "internal/channels/discord/setup.go", "internal/channels/telegram/client.go", "internal/channels/telegram/failure.go", "internal/channels/whatsapp/failure.go", "notifiers/failure.go"}},
	{who: "whoever writes a program: the API's document, and what of a request is not as that says",
		calls: []string{"badRequest", "badRule"}, names: []string{"apiAbout", "artifactAbout", "filesAbout", "fileAbout", "linkAbout"}, files: []string{"internal/doors/web/api.go"}},
	{who: "a program: statements, and what a platform or a library says",
		calls: []string{"isRefused", "Set"}, names: []string{"cacheSeed", "loopEnds", "noHosts"},
		marks: []string{"\nCREATE TABLE", "SELECT ", "DELETE ", "INSERT ", "UPDATE "}},
	{who: "a model",
		calls: []string{"notTaken", "refuse"}, names: []string{"Description", "Result", "note", "unheardNote", "namingInstructions", "System", "Messages"},
		files: []string{"internal/tools"}, marks: []string{"error: ", "[attached"}},
	{who: "nobody: words that people type, which errand understands",
		names: []string{"agreeing", "declining"}, files: []string{"internal/when/clock.go", "internal/when/once.go", "internal/when/words.go"}},
}

var shown = []string{"Doing"}

// TestNoSentencesInCode finds what people would read in English whatever their
// language: words in code, outside package texts.
func TestNoSentencesInCode(t *testing.T) {
	for _, dir := range talking {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %v", dir, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range sentencesIn(path, file) {
				t.Errorf("%s: %s is a sentence for people: give it a key in internal/texts/languages, in every language", set.Position(found.Pos()), found.Value)
			}
		}
	}
}

// TestSentencesAreFound proves what is taken for a sentence to people, and what is not.
func TestSentencesAreFound(t *testing.T) {
	for code, want := range map[string]int{
		`x.reply("please try it again")`:                             1,
		`y := service.Error{Message: "there is no such thing"}`:      1,
		`y := "(failed)"`:                                            1,
		`return "the " + name + " has come already, and is over"`:    1,
		`notices = append(notices, fmt.Sprintf("%s is too big", n))`: 1,
		`Logger.Info("something happened here")`:                     0,
		`return errors.New("it cannot be read")`:                     0,
		`x.Detail = "nobody is connected there"`:                     0,
		`y := Tool{Description: "read it", Doing: "reading it"}`:     1,
		`y := Tool{Doing: "doing.file"}`:                             0,
		`y := Status{Advice: "do it once more"}`:                     0,
		`x.Localize("agents.none", "agent", "two words")`:            0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() {\n"+code+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(sentencesIn("internal/intake/x.go", file)); got != want {
			t.Errorf("%s has %d sentences, want %d", code, got, want)
		}
	}
}

// sentencesIn are the literals of a file that read like a sentence, and are for no
// reader but people.
func sentencesIn(path string, file *ast.File) []*ast.BasicLit {
	var found []*ast.BasicLit
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			if err == nil && (isShown(above) && strings.Contains(text, " ") || isSentence(text) && !isForOthers(path, text, above)) {
				found = append(found, l)
			}
		}
		above = append(above, n)
		return true
	})
	return found
}

// isShown reports whether what stands below some nodes is the value of a field in shown.
func isShown(above []ast.Node) bool {
	field, ok := above[len(above)-1].(*ast.KeyValueExpr)
	return ok && slices.Contains(shown, lastName(field.Key))
}

// isForOthers reports whether a text that stands below some nodes is for a reader.
func isForOthers(path, text string, above []ast.Node) bool {
	return slices.ContainsFunc(readers, func(r reader) bool {
		return slices.Contains(r.files, filepath.ToSlash(path)) || slices.Contains(r.files, filepath.ToSlash(filepath.Dir(path))) ||
			slices.ContainsFunc(r.marks, func(mark string) bool { return strings.HasPrefix(text, mark) }) ||
			slices.ContainsFunc(above, r.takes)
	})
}

// takes reports whether what stands below a node is for the reader.
func (r reader) takes(n ast.Node) bool {
	isName := func(e ast.Expr) bool { return slices.Contains(r.names, lastName(e)) }
	switch n := n.(type) {
	case *ast.Field: // its tag
		return true
	case *ast.FuncDecl: // an error's own words are for whoever develops errand
		return n.Recv != nil && n.Name.Name == "Error"
	case *ast.CallExpr:
		return slices.Contains(r.calls, lastName(n.Fun))
	case *ast.CompositeLit:
		t, ok := n.Type.(*ast.SelectorExpr)
		return ok && slices.Contains(r.types, lastName(t.X)+"."+t.Sel.Name)
	case *ast.KeyValueExpr:
		return isName(n.Key)
	case *ast.AssignStmt:
		return slices.ContainsFunc(n.Lhs, isName)
	case *ast.ValueSpec:
		return slices.ContainsFunc(n.Names, func(i *ast.Ident) bool { return isName(i) })
	}
	return false
}

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return lastName(e.X)
	}
	return ""
}

var (
	threeWords = regexp.MustCompile(`(?i)(^|[^a-z.])[a-z']+[,;:]? [a-z']+[,;:]? [a-z']+`)
	aRemark    = regexp.MustCompile(`^ ?\([a-z]+( [a-z]+)*\) ?$`)
)

// isSentence holds for three words in a row, and for a remark in brackets.
func isSentence(text string) bool { return threeWords.MatchString(text) || aRemark.MatchString(text) }
