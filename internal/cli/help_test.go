package cli

import (
	"flag"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"

	"errand/internal/cli/console"
	"errand/internal/config"
)

// TestEveryCommandHasHelp proves that each command, and each flag of one, is listed
// where somebody looks for it, with a word on what it is for.
func TestEveryCommandHasHelp(t *testing.T) {
	f := newFake(t)
	n := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		n++
		path := strings.Fields(cmd.CommandPath())[1:]
		got := f.Errand(t, append(path, "--help")...)
		assert.Equal(t, 0, got.Code, cmd.CommandPath())
		assert.NotEmpty(t, cmd.Short, cmd.CommandPath())
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				assert.Contains(t, got.Out, "  "+sub.Name(), "the help of %q", cmd.CommandPath())
				walk(sub)
			}
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden {
				assert.Contains(t, got.Out, "--"+flag.Name, "the help of %q", cmd.CommandPath())
				assert.NotEmpty(t, flag.Usage, "--%s of %q", flag.Name, cmd.CommandPath())
			}
		})
	}
	c := &cli{Worker: &console.Worker{}}
	walk(c.root())
	assert.Greater(t, n, 50, "the commands that were looked at")
	assert.Empty(t, f.Requests, "help asks nobody")
}

// TestServeTakesTheFlagsOfTheWorker proves that what "go run ./worker" can be told,
// "errand serve" can be told too, and that what it cannot use is refused.
func TestServeTakesTheFlagsOfTheWorker(t *testing.T) {
	t.Chdir(t.TempDir())
	help := alone(t, "serve", "--help").Out
	set := flag.NewFlagSet("worker", flag.ContinueOnError)
	config.BindFlags(set)
	flags := 0
	set.VisitAll(func(f *flag.Flag) {
		flags++
		_, usage := flag.UnquoteUsage(f)
		assert.Contains(t, help, "--"+f.Name+" ")
		assert.Contains(t, strings.Join(strings.Fields(help), " "), usage)
	})
	assert.GreaterOrEqual(t, flags, 7)
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"serve --config none.yaml", 1, "none.yaml"},
		{"--data there serve --config none.yaml", 1, "none.yaml"},
		{"serve --log-level loud", 1, "loud"},
		{"serve --log-format=tape", 1, "tape"},
		{"serve --listen nowhere", 1, "nowhere"},
		{"serve --port-offset 70000", 1, "70000"},
		{"serve --port-offset some", 2, "some"},
		{"serve --nonsense", 2, "unknown flag: --nonsense; usage: errand serve [flags]; see errand serve --help"},
		{"serve now --config none.yaml", 2, `unknown command "now" for "errand serve"`},
		{"serve --json --config none.yaml", 2, "errand serve has no --json: it is for the commands that talk to errand"},
		{"--server 127.0.0.1:1 serve --config none.yaml", 2, "errand serve has no --server"},
		{"serve --token x --config none.yaml", 2, "errand serve has no --token"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			got := alone(t, strings.Fields(tt.args)...)
			assert.Equal(t, tt.code, got.Code)
			assert.Contains(t, got.Err, tt.want)
			assert.Empty(t, got.Out)
		})
	}
}

// TestUsage proves that what is wrong with a command line is said with what was meant, an
// example of the command, and where to read more.
func TestUsage(t *testing.T) {
	f := newFake(t)
	for args, want := range map[string]string{
		"tasks show":          "errand tasks show: an argument is missing; for example: errand tasks show t-7k3m9q2x; see errand tasks show --help\n",
		"tasks show a b":      "errand tasks show: too many arguments (put text with spaces in quotes); for example: errand tasks show t-7k3m9q2x",
		"tasks retry a b c d": "errand tasks retry: too many arguments",
		"tasks sohw x":        `errand: unknown command "sohw" for "errand tasks": there are list, show, result, steer, continue, cancel, retry (did you mean show?)` + "; see errand tasks --help\n",
		"chatt":               `errand: unknown command "chatt" for "errand" (did you mean chat?)` + "; see errand --help\n",
		"qqqqqqqqqq":          `errand: unknown command "qqqqqqqqqq" for "errand"` + "; see errand --help\n",
		"chat --wiat hello":   "errand: unknown flag: --wiat (did you mean --wait?); for example: errand chat ",
		"usage --days x":      `errand: --days: "x" is not a number; usage: errand usage`,
	} {
		t.Run(args, func(t *testing.T) {
			got := f.Errand(t, strings.Fields(args)...)
			assert.Equal(t, 2, got.Code)
			assert.Empty(t, got.Out)
			assert.Truef(t, strings.HasPrefix(got.Err, want), "%s", got.Err)
		})
	}
	assert.Empty(t, f.Requests)
}

// TestEveryCommandHasAnExample proves that each command that takes something shows how, and
// that errand understands what it shows.
func TestEveryCommandHasAnExample(t *testing.T) {
	n, named := 0, map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		_, path, _ := strings.Cut(cmd.CommandPath(), " ")
		named[path] = true
		if strings.Contains(cmd.Use, " ") {
			assert.NotEmpty(t, cmd.Example, cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			for _, args := range commandLines(line) {
				n++
				assert.Empty(t, misread(args), line)
			}
		}
	}
	walk((&cli{Worker: &console.Worker{}}).root())
	assert.Greater(t, n, 40)
	for path := range examples {
		assert.True(t, named[path], "there is no command %q", path)
	}
}
