package cli

import (
	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
)

func newAgents(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "agents", Short: "List the agents", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			agents, err := api.Call(cmd.Context(), c.API(), api.ListAgents, api.ListAgentsInput{})
			rows, done, err := console.List(&c.Console, agents, err)
			if done || err != nil {
				return err
			}
			t := &console.Table{Head: []string{"AGENT", "", "WHAT FOR"}, Loose: []int{2}}
			for _, a := range rows {
				t.Add(string(a.Name), map[bool]string{true: "primary"}[a.Primary], a.Description)
			}
			c.PrintTable(t)
			return nil
		},
	}
}
