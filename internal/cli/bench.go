//go:build !nodevserver

package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"errand/internal/bench"
)

// newBench measures errand on this machine. It starts an installation of its own
// and touches no other.
func newBench(c *cli) *cobra.Command {
	var o bench.Options
	var asWorker, asModel, asClients bool
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure errand on this machine against the bare minimum of the same shape",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asWorker {
				return bench.Worker(cmd.Context())
			}
			if asModel {
				return bench.Scripted(cmd.Context())
			}
			if asClients {
				return bench.Clients(cmd.Context(), c.In, c.Out)
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			o.Out, o.PortOffset, o.Worker = c.Out, c.portOffset, []string{self, "bench", "--worker"}
			o.Model, o.Clients = []string{self, "bench", "--model"}, []string{self, "bench", "--clients"}
			return bench.Run(cmd.Context(), o)
		},
	}
	cmd.Flags().IntVar(&o.Rounds, "rounds", 200, "how often each thing is measured")
	cmd.Flags().IntVar(&o.Tasks, "tasks", 1000, "tasks in flight at once")
	cmd.Flags().IntVar(&o.Stored, "stored", 100_000, "stored sessions beside which turns, lists and searches are measured; -1: none")
	cmd.Flags().BoolVar(&o.OnlyStored, "only-stored", false, "measure nothing but that")
	cmd.Flags().BoolVar(&o.OnlyTurns, "only-turns", false, "measure nothing but turns and delegations against the bare program's")
	cmd.Flags().BoolVar(&o.OnlyTools, "only-tools", false, "measure nothing but tools and prompts")
	cmd.Flags().BoolVar(&o.OnlyMemory, "only-memory", false, "measure nothing but the memory of the process at rest, fresh and after 1,000 sessions")
	cmd.Flags().BoolVar(&o.OnlyTeams, "only-teams", false, "measure nothing but several agents asked at once, and questions that wait for people")
	cmd.Flags().BoolVar(&o.OnlyDoors, "only-doors", false, "measure nothing but what comes from programs: delegations over MCP, 1,000 clients that wait, the first token of an answer, the push of a peer")
	cmd.Flags().BoolVar(&o.OnlyPages, "only-pages", false, "measure nothing but the pages: how soon they are there, how they draw, and pages of 10,000 tasks")
	cmd.Flags().StringVar(&o.Browser, "browser", "", "the path of a Chromium in which the pages are measured")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "with --only-doors or --only-pages: fail where something is not what it must be")
	cmd.Flags().IntVar(&o.Waiting, "waiting", 1000, "tasks that wait for an answer over a restart")
	cmd.Flags().StringVar(&o.Channel, "channel", "", "measure nothing but an account on a platform that runs on this machine: "+strings.Join(bench.Channels(), ", "))
	cmd.Flags().StringVar(&o.Postgres, "postgres", "", "with --channel, also how long another worker takes over in; with --only-doors, also the first token from another worker; the URL of a PostgreSQL database where a schema may be made")
	cmd.Flags().BoolVar(&asWorker, "worker", false, "")
	cmd.Flags().BoolVar(&asModel, "model", false, "")
	cmd.Flags().BoolVar(&asClients, "clients", false, "")
	for _, flag := range []string{"worker", "model", "clients"} {
		if err := cmd.Flags().MarkHidden(flag); err != nil {
			panic(err) // they are defined above
		}
	}
	return cmd
}
