package cli

import (
	"flag"

	"github.com/spf13/cobra"

	"errand/internal/app"
	"errand/internal/cli/console"
	"errand/internal/config"
)

// The flags of serve are those of ./worker.
func newServe(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Run errand: the agents, the pages and, unless you have one, Temporal", Args: cobra.NoArgs,
		Long: `Runs errand until Ctrl-C. It is a complete installation: the Temporal server, its Web
UI, the store, the agents and the pages. errand.yaml, the environment and these flags
change the defaults.`,
		// This replaces the root command's hook, which connects to a running worker.
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"server", "token", "json"} {
				if cmd.Flags().Changed(name) {
					return console.Misusef("errand serve has no --%s: it is for the commands that talk to errand", name)
				}
			}
			c.ran = true
			return nil
		},
	}
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags := config.BindFlags(set)
	cmd.Flags().AddGoFlagSet(set)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return app.Run(cmd.Context(), *flags)
	}
	return cmd
}
