package cli

import (
	"flag"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"

	"errand/internal/cli/client"
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
	c := &cli{Worker: &client.Worker{}}
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
		{"serve --nonsense", 2, "unknown flag: --nonsense; see errand --help"},
		{"serve now --config none.yaml", 2, `unknown command "now" for "errand serve"; see errand --help`},
		{"serve --json --config none.yaml", 2, "--json is for the commands that talk to errand: errand serve does not take it"},
		{"--server 127.0.0.1:1 serve --config none.yaml", 2, "--server is for"},
		{"serve --token x --config none.yaml", 2, "--token is for"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			got := alone(t, strings.Fields(tt.args)...)
			assert.Equal(t, tt.code, got.Code)
			assert.Contains(t, got.Err, tt.want)
			assert.Empty(t, got.Out)
		})
	}
}
