package cli

import (
	"github.com/spf13/cobra"

	"errand"
	"errand/internal/cli/console"
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
			raw, err := c.Get(cmd.Context(), "/api/agents")
			rows, done, err := console.List[agent](&c.Console, raw, err)
			if done || err != nil {
				return err
			}
			t := &console.Table{Head: []string{"AGENT", "", "WHAT FOR"}, Loose: []int{2}}
			for _, a := range rows {
				t.Add(string(a.Name), map[bool]string{true: "primary"}[a.Primary], a.Description)
			}
			t.Write(c.Out, c.Style, c.Width())
			return nil
		},
	}
}
