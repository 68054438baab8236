// Command bench measures errand on this machine against a bare program on Temporal of the
// same three workflows, on the same server with the same model, in the same run. It starts
// an installation of its own and touches no other.
//
//	go run ./internal/test/bench
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"errand/internal/app"
)

// The first argument of the processes that a run starts.
const (
	asWorker  = "worker"
	asModel   = "model"
	asClients = "clients"
)

func main() {
	if code, is := app.Job(os.Args[1:]); is {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	if len(args) == 1 {
		switch args[0] {
		case asWorker:
			return Worker(ctx)
		case asModel:
			return Scripted(ctx)
		case asClients:
			return Clients(ctx, os.Stdin, os.Stdout)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var o Options
	flags := o.flags()
	if err := flags.Parse(args); err != nil {
		panic(err) // it exits instead
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("bench takes no arguments: %s", strings.Join(flags.Args(), " "))
	}
	o.Out, o.Worker, o.Model, o.Clients = os.Stdout, []string{self, asWorker}, []string{self, asModel}, []string{self, asClients}
	return Run(ctx, o)
}

func (o *Options) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.IntVar(&o.Rounds, "rounds", 200, "how often each thing is measured")
	flags.IntVar(&o.Tasks, "tasks", 1000, "tasks in flight at once")
	flags.IntVar(&o.Stored, "stored", 100_000, "stored sessions beside which turns, lists and searches are measured; -1: none")
	flags.BoolVar(&o.OnlyStored, "only-stored", false, "measure nothing but that")
	flags.BoolVar(&o.OnlyTurns, "only-turns", false, "measure nothing but turns and delegations against the bare program's")
	flags.BoolVar(&o.OnlyTools, "only-tools", false, "measure nothing but tools and prompts")
	flags.BoolVar(&o.OnlyMemory, "only-memory", false, "measure nothing but the memory of the process at rest, fresh and after 1,000 sessions")
	flags.BoolVar(&o.OnlyTeams, "only-teams", false, "measure nothing but several agents asked at once, and questions that wait for people")
	flags.BoolVar(&o.OnlyDoors, "only-doors", false,
		"measure nothing but what comes from programs: delegations over MCP, 1,000 clients that wait, the first token of an answer, the push of a peer")
	flags.BoolVar(&o.OnlyPages, "only-pages", false, "measure nothing but the pages: how soon they are there, how they draw, and pages of 10,000 tasks")
	flags.BoolVar(&o.OnlyStarts, "only-starts", false, "measure nothing but how soon a process is ready, empty and beside open conversations")
	flags.IntVar(&o.Conversations, "conversations", 20_000, "open conversations beside which a start is measured")
	flags.StringVar(&o.Browser, "browser", "", "the path of a Chromium in which the pages are measured")
	flags.BoolVar(&o.Strict, "strict", false, "with --only-doors or --only-pages: fail where something is not what it must be")
	flags.IntVar(&o.Waiting, "waiting", 1000, "tasks that wait for an answer over a restart")
	flags.StringVar(&o.Channel, "channel", "", "measure nothing but an account on a platform that runs on this machine: "+strings.Join(Channels(), ", "))
	flags.StringVar(&o.Postgres, "postgres", "",
		"with --channel, also how long another worker takes over in; with --only-doors, also the first token from another worker; "+
			"the URL of a PostgreSQL database where a schema may be made")
	flags.IntVar(&o.PortOffset, "port-offset", 0, "shifts the ports of the installation")
	return flags
}
