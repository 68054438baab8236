package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

var (
	flagAlone = regexp.MustCompile(`^--([a-z][a-z-]*)`)
	inline    = regexp.MustCompile("`([^`\n]+)`")
	word      = regexp.MustCompile(`"[^"]*"|'[^']*'|[|;&<>()]+|[^\s|;&<>()]+`)
	prefix    = regexp.MustCompile(`^(\$|[A-Z_]+=\S*)$`) // of a command: a variable
)

// TestDocs proves that each command line in the documents is one that errand
// understands, and that each flag they mention is one of a command.
func TestDocs(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	pages = append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../ARCHITECTURE.md")
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, snippet := range snippets(string(text)) {
			for _, args := range commandLines(snippet) {
				found++
				if why := misread(args); why != "" {
					t.Errorf("%s: %q: %s", filepath.Base(page), snippet, why)
				}
			}
			if flag := flagAlone.FindStringSubmatch(snippet); flag != nil && filepath.Base(page) != "benchmarks.md" { // its flags are those of bench
				found++
				if !isFlag(tree(), flag[1]) {
					t.Errorf("%s: no command has the flag --%s", filepath.Base(page), flag[1])
				}
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d commands and flags were found: this test looks in the wrong place", found)
	}
}

// TestDocsHaveTheCommands proves that docs/ shows each command that --help lists.
func TestDocsHaveTheCommands(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	shown := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, snippet := range snippets(string(text)) {
			for _, args := range commandLines(snippet) {
				if command, _, err := tree().Find(args); err == nil {
					shown[command.CommandPath()] = true
				}
			}
		}
	}
	found := 0
	for _, path := range runnable(tree()) {
		if found++; !shown[path] {
			t.Errorf("no page of docs/ shows %q", path)
		}
	}
	require.Greater(t, found, 60)
}

// runnable are the paths of the visible commands that do something.
func runnable(c *cobra.Command) (paths []string) {
	if c.Runnable() && !c.HasSubCommands() {
		paths = append(paths, c.CommandPath())
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "completion" {
			paths = append(paths, runnable(sub)...)
		}
	}
	return paths
}

// snippets are the lines of a page's shell blocks, without comments, and what stands
// between backquotes.
func snippets(page string) (list []string) {
	block := ""
	for _, line := range strings.Split(page, "\n") {
		if language, ok := strings.CutPrefix(line, "```"); ok {
			if block == "" {
				block = language + "."
			} else {
				block = ""
			}
			continue
		}
		switch block {
		case "sh.":
			line, _, _ = strings.Cut(" "+line, " #")
			list = append(list, line)
		case "":
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				list = append(list, m[1])
			}
		}
	}
	return list
}

func commandLines(line string) (list [][]string) {
	var args []string
	calls := func() {
		if len(args) > 0 && prefix.MatchString(args[0]) {
			args = args[1:]
		}
		switch {
		case len(args) == 0:
		case args[0] == "errand" || args[0] == "./errand":
			list = append(list, args[1:])
		case len(args) > 2 && args[0] == "go" && args[1] == "run" && args[2] == "./starter":
			list = append(list, args[3:])
		case len(args) > 2 && args[0] == "go" && args[1] == "run" && args[2] == "./worker":
			list = append(list, append([]string{"serve"}, args[3:]...))
		}
		args = nil
	}
	for _, w := range word.FindAllString(line, -1) {
		switch {
		case strings.ContainsAny(w[:1], `|;&<>()`):
			calls()
		case strings.HasPrefix(w, `"$`): // "$(errand env)"
			list = append(list, commandLines(strings.Trim(w, `"$`))...)
		case len(args) == 0 && prefix.MatchString(w):
		default:
			args = append(args, strings.Trim(w, `"'`))
		}
	}
	calls()
	return list
}

// misread is why errand would refuse a command line; empty: it would not. How many
// arguments a command takes is for its own tests: the documents name it without them.
func misread(args []string) string {
	command, rest, err := tree().Find(args)
	if err != nil {
		return err.Error()
	}
	if err := command.ParseFlags(rest); err != nil {
		return err.Error()
	}
	if more := command.Flags().Args(); command.HasSubCommands() && len(more) > 0 {
		return "there is no command " + command.CommandPath() + " " + more[0]
	}
	return ""
}

func tree() *cobra.Command {
	root := (&cli{}).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("completion")
	root.InitDefaultVersionFlag()
	return root
}

// isFlag reports whether a command or one below it has a flag.
func isFlag(c *cobra.Command, name string) bool {
	for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
		if set.Lookup(name) != nil {
			return true
		}
	}
	for _, sub := range c.Commands() {
		if isFlag(sub, name) {
			return true
		}
	}
	return false
}
