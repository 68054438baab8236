package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
)

func newPause(c *cli) *cobra.Command {
	return newSwitch(c, api.Pause, "pause", "Pause all model calls until errand resume", func() {
		fmt.Fprintln(c.Out, "Paused: errand makes no model calls until errand resume. Messages are accepted and wait.")
	})
}

func newResume(c *cli) *cobra.Command {
	return newSwitch(c, api.Resume, "resume", "Resume model calls after errand pause", func() {
		fmt.Fprintln(c.Out, "Resumed: errand makes model calls again.")
	})
}

func newSwitch(c *cli, op api.Op[api.None, api.Paused], verb, short string, say func()) *cobra.Command {
	return &cobra.Command{
		Use: verb, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			paused, err := api.Call(cmd.Context(), c.API(), op, api.None{})
			if _, done, err := console.One(&c.Console, paused, err); done || err != nil {
				return err
			}
			say()
			return nil
		},
	}
}
