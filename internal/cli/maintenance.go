package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"errand/internal/cli/console"
)

func newMaintenance(c *cli) *cobra.Command {
	return group("maintenance", "See what the nightly clean-up did, or begin one", newMaintenanceShow(c), newMaintenanceRun(c))
}

func newMaintenanceShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show the latest clean-ups and what each removed", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runs, err := c.API().ListCleanUps(cmd.Context(), nil)
			rows, done, err := console.List(&c.Console, runs, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				c.Printlnf("No clean-up yet: one comes every night, and with errand maintenance run.")
				return nil
			}
			t := &console.Table{Head: []string{"STARTED", "TOOK", "WHAT IT DID"}}
			for _, r := range rows {
				took, did := c.Sayf("running"), c.counts(r.Report)
				if !r.Finished.IsZero() {
					took, did = console.Lasted(r.Finished.Sub(r.Started)), cmp.Or(did, c.Sayf("nothing to do"))
				}
				t.Add(c.Brief(r.Started), took, did)
			}
			c.PrintTable(t)
			return nil
		},
	}
}

func newMaintenanceRun(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "run", Short: "Clean up now; where a clean-up runs, that one goes on", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			begun, err := c.API().StartCleanUp(cmd.Context())
			if _, done, err := console.One(&c.Console, begun, err); done || err != nil {
				return err
			}
			c.Printlnf("A clean-up begins: errand maintenance show tells what it did.")
			return nil
		},
	}
}
