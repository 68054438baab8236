package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newPause(c *cli) *cobra.Command {
	return newSwitch(c, "pause", "Let no model call begin until errand resume", "Paused: no model call begins until errand resume. Messages are accepted and wait.")
}

func newResume(c *cli) *cobra.Command {
	return newSwitch(c, "resume", "Let model calls begin again", "Model calls begin again.")
}

func newSwitch(c *cli, verb, short, text string) *cobra.Command {
	return &cobra.Command{
		Use: verb, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.Post(cmd.Context(), "/api/"+verb, nil)
			if err != nil {
				return err
			}
			if c.JSON {
				return c.PrintJSON(raw)
			}
			fmt.Fprintln(c.Out, text)
			return nil
		},
	}
}
