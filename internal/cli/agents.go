package cli

import (
	"github.com/spf13/cobra"

	"errand"
)

func newAgents(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "agents", Short: "List the agents", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			type agent struct {
				Name        errand.AgentName
				Description string
				Primary     bool
			}
			raw, err := c.get(cmd.Context(), "/api/agents")
			rows, done, err := list[agent](c, raw, err)
			if done || err != nil {
				return err
			}
			t := &table{head: []string{"AGENT", "", "WHAT FOR"}, loose: []int{2}}
			for _, a := range rows {
				t.add(string(a.Name), map[bool]string{true: "primary"}[a.Primary], a.Description)
			}
			t.write(c.out, c.style, c.width())
			return nil
		},
	}
}
