package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
)

type maintenanceCommands struct{ *cli }

func newMaintenance(shared *cli) *cobra.Command {
	c := maintenanceCommands{shared}
	return group("maintenance", "Show what the nightly clean-up did, or start one", c.newMaintenanceShow(), c.newMaintenanceRun())
}

func (c maintenanceCommands) newMaintenanceShow() *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show the latest clean-ups and what each removed", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runs, err := api.Call(cmd.Context(), c.API(), api.ListCleanUps, api.ListCleanUpsInput{})
			rows, done, err := console.List(&c.Console, runs, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "No clean-up yet: one runs every night, and errand maintenance run starts one.")
				return nil
			}
			t := &console.Table{Head: []string{"STARTED", "TOOK", "WHAT IT DID"}}
			for _, r := range rows {
				took, did := "running", counts(r.Report)
				if !r.Finished.IsZero() {
					took, did = console.Lasted(r.Finished.Sub(r.Started)), cmp.Or(did, "nothing to do")
				}
				t.Add(c.Brief(r.Started), took, did)
			}
			c.PrintTable(t)
			return nil
		},
	}
}

func (c maintenanceCommands) newMaintenanceRun() *cobra.Command {
	return &cobra.Command{
		Use: "run", Short: "Clean up now, unless a clean-up is already running", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			begun, err := api.Call(cmd.Context(), c.API(), api.StartCleanUp, api.None{})
			if _, done, err := console.One(&c.Console, begun, err); done || err != nil {
				return err
			}
			fmt.Fprintln(c.Out, "A clean-up has started. errand maintenance show shows what it did.")
			return nil
		},
	}
}
