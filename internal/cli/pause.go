package cli

import (
	"context"

	"github.com/spf13/cobra"

	api "errand/client"
	"errand/internal/cli/console"
)

func newPause(c *cli) *cobra.Command {
	return newSwitch(c, (*api.Client).Pause, "pause", "Pause all model calls until errand resume", func() {
		c.Printlnf("Paused: errand makes no model calls until errand resume. Messages are accepted and wait.")
	})
}

func newResume(c *cli) *cobra.Command {
	return newSwitch(c, (*api.Client).Resume, "resume", "Go on with model calls after errand pause", func() {
		c.Printlnf("Resumed: errand makes model calls again.")
	})
}

func newSwitch(c *cli, turn func(*api.Client, context.Context) (api.Answer[api.Paused], error), verb, short string, say func()) *cobra.Command {
	return &cobra.Command{
		Use: verb, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			paused, err := turn(c.API(), cmd.Context())
			if _, done, err := console.One(&c.Console, paused, err); done || err != nil {
				return err
			}
			say()
			return nil
		},
	}
}
