package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"

	"errand/internal/config"
	"errand/internal/ownerkey"
	"errand/internal/version"
)

// commands are in the order of the help. A new command has a constructor in its own file and a line
// here. A group is a struct that embeds cli; its subcommands are methods.
var commands = []func(*cli) *cobra.Command{
	newInit,
	newServe,
	newChat,
	newTasks,
	newDelegate,
	newOutbox,
	newSessions,
	newReminders,
	newQuestions,
	newMemory,
	newFiles,
	newAgents,
	newChannels,
	newMCP,
	newACP,
	newUsers,
	newTokens,
	newHooks,
	newUsage,
	newAudit,
	newMaintenance,
	newBackup,
	newRestore,
	newPause,
	newResume,
	newOpen,
	newDoctor,
	newConfig,
	newHealth,
	newUpgrade,
	newEnv,
	newVersion,
}

// cli holds the parts that all commands share: the console, the connection and the flags of errand
// itself.
type cli struct {
	console.Console
	*console.Worker // connected before a command runs

	server     string
	portOffset int
	token      string
	data       string
	ran        bool // the arguments were valid
}

// Run runs a command line and returns the exit code.
func Run(ctx context.Context, args []string, con console.Console) int {
	con.Style, con.Began = console.Style(con.Colours(con.OutTTY)), time.Now()
	c := &cli{Console: con, Worker: &console.Worker{}}
	root := c.root()
	root.SetArgs(args)
	root.SetIn(con.In)
	root.SetOut(con.Out)
	root.SetErr(con.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !c.ran {
		err = misuse(ctx, cmd, err)
	}
	return c.report(ctx, err)
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "errand",
		Short:         "Give agents errands that survive everything",
		Long:          "errand serve runs errand. The other commands talk to it: chat with agents, give them tasks, and see the results.",
		Version:       version.Number(),
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          help,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			c.ran = true
			return c.connect()
		},
	}
	root.SetVersionTemplate(versionText())
	root.CompletionOptions.HiddenDefaultCmd = true
	flags := root.PersistentFlags()
	flags.StringVar(&c.server, "server", "", "address of the worker (ERRAND_SERVER; default "+console.DefaultServer+")")
	flags.StringVar(&c.token, "token", "", "your token, from errand tokens add, or the worker's (better: ERRAND_TOKEN)")
	flags.StringVar(&c.data, "data", "", "the worker's data folder, whose key makes you the owner (ERRAND_DATA; default ./data)")
	flags.IntVar(&c.portOffset, "port-offset", 0, "the worker's --port-offset; it shifts every port except one that --server names")
	flags.BoolFunc("json", "print JSON: a list is one array, chat prints one object a line", c.setJSON)
	for _, command := range commands {
		root.AddCommand(command(c))
	}
	addExamples(root)
	return root
}

func (c *cli) setJSON(text string) (err error) {
	c.JSON, err = strconv.ParseBool(text)
	return err
}

func (c *cli) connect() error {
	offset := c.portOffset
	if c.server != "" {
		offset = 0 // as --listen overrides the worker's offset
	}
	base, err := console.ServerURL(cmp.Or(c.server, c.Getenv("ERRAND_SERVER"), console.DefaultServer), offset)
	if err != nil {
		return &console.Failure{Code: console.ExitUsage, Text: err.Error()}
	}
	token := c.token
	for _, name := range []string{"ERRAND_TOKEN", ownerkey.Env} {
		if token != "" {
			break
		}
		if token, err = config.Variable(c.Getenv, name); err != nil {
			return &console.Failure{Code: console.ExitUsage, Text: err.Error()}
		}
	}
	*c.Worker = *console.NewWorker(base, token)
	if c.Worker.Token == "" {
		c.useKey()
	}
	return nil
}

func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, RunE: help}
	g.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, s := range subs {
			names = append(names, s.Name())
		}
		return fmt.Errorf("unknown command %q for %q: there are %s", args[0], cmd.CommandPath(), strings.Join(names, ", "))
	}
	g.AddCommand(subs...)
	return g
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

func (c *cli) report(ctx context.Context, err error) int {
	if err == nil {
		return 0
	}
	var f *console.Failure
	var gone *console.ConnectError
	var unknown *api.UnknownAnswerError
	switch {
	case errors.As(err, &f):
	case ctx.Err() == nil && errors.As(err, &gone):
		f = &console.Failure{Code: console.ExitUnreachable, Text: gone.Error()}
	case ctx.Err() != nil:
		f = &console.Failure{Code: console.ExitFailed, Text: "interrupted"}
	case errors.As(err, &unknown):
		f = &console.Failure{Code: console.ExitFailed, Text: fmt.Sprintf("read the worker's answer (is it another version of errand?): %v", unknown.Err)}
	default:
		f = &console.Failure{Code: console.ExitFailed, Text: err.Error()}
	}
	if f.Text != "" {
		// Begin with the program's name, unless the sentence does.
		fmt.Fprintln(c.Err, "errand"+strings.TrimPrefix(": "+clean(f.Text), ": errand"))
	}
	return int(f.Code)
}
