package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/internal/ownerkey"
)

// commands are the subcommands, in the order that help shows them. Another one
// is a constructor in a file of its own, and a line here.
var commands = []func(*cli) *cobra.Command{
	newChat,
	newTasks,
	newDelegate,
	newOutbox,
	newSessions,
	newReminders,
	newMemory,
	newAgents,
	newChannels,
	newUsers,
	newUsage,
	newMaintenance,
	newPause,
	newResume,
	newOpen,
	newDoctor,
	newUpgrade,
	newEnv,
	newBench,
}

// A cli is one invocation: its console, its flags, and the worker it talks to.
type cli struct {
	console
	*worker // set before a command runs

	json       bool
	server     string
	portOffset int
	token      string
	data       string

	style style // for stdout
	began time.Time
	ran   bool // the command line was understood
}

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, con console) int {
	c := &cli{console: con, style: style(con.colours(con.outTTY)), began: time.Now()}
	root := c.root()
	root.SetArgs(args)
	root.SetIn(con.in)
	root.SetOut(con.out)
	root.SetErr(con.err)
	err := root.ExecuteContext(ctx)
	if err != nil && !c.ran {
		err = &failure{usage, fmt.Sprintf("%s; see errand --help", err)}
	}
	return c.report(ctx, err)
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "errand",
		Short:         "Give agents errands that survive everything",
		Long:          "errand talks to a running worker (go run ./worker): chat with agents, send them on errands, and see what became of them.",
		Version:       version(),
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          help,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			c.ran = true
			return c.connect()
		},
	}
	root.SetVersionTemplate("errand {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	flags := root.PersistentFlags()
	flags.StringVar(&c.server, "server", "", "address of the worker (ERRAND_SERVER; default "+defaultServer+")")
	flags.StringVar(&c.token, "token", "", "token that says who you are: one of errand users token, or the worker's (better: ERRAND_TOKEN)")
	flags.StringVar(&c.data, "data", "", "the worker's data folder, whose key makes you the owner (ERRAND_DATA; default ./data)")
	flags.IntVar(&c.portOffset, "port-offset", 0, "the worker's --port-offset")
	flags.BoolVar(&c.json, "json", false, "print JSON: a list is one array, chat prints one object a line")
	for _, command := range commands {
		root.AddCommand(command(c))
	}
	return root
}

// connect says where the worker is, by the flags and the environment.
func (c *cli) connect() error {
	base, err := serverURL(first(c.server, c.getenv("ERRAND_SERVER"), defaultServer), c.portOffset)
	if err != nil {
		return &failure{usage, err.Error()}
	}
	c.worker = newWorker(base, first(c.token, c.getenv("ERRAND_TOKEN"), c.getenv(ownerkey.Env)))
	if c.worker.token == "" {
		c.useKey()
	}
	return nil
}

// group is a command that only has subcommands.
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

// version is what the build knows about itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "(devel)" // as the worker says it
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 8 {
				v += " " + s.Value[:8]
			}
		}
	}
	return v + " " + info.GoVersion
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// report prints why a command failed and returns its exit code.
func (c *cli) report(ctx context.Context, err error) int {
	if err == nil {
		return 0
	}
	var f *failure
	var gone *connectError
	switch {
	case errors.As(err, &f):
	case ctx.Err() == nil && errors.As(err, &gone):
		f = &failure{unreachable, gone.Error()}
	case ctx.Err() != nil:
		f = &failure{failed, "interrupted"}
	default:
		f = &failure{failed, err.Error()}
	}
	if f.text != "" {
		// The name of the program, unless the sentence begins with it.
		fmt.Fprintln(c.err, "errand"+strings.TrimPrefix(": "+clean(f.text), ": errand"))
	}
	return int(f.code)
}
