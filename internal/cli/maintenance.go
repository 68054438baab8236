package cli

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

func newMaintenance(c *cli) *cobra.Command {
	return group("maintenance", "See what the nightly clean-up did, or begin one", newMaintenanceShow(c), newMaintenanceRun(c))
}

// A cleanUp is one run of the maintenance.
type cleanUp struct {
	ID       string
	Started  time.Time
	Finished time.Time
	Report   json.RawMessage
}

func newMaintenanceShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show the latest clean-ups and what each removed", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.get(cmd.Context(), resource("maintenance"))
			rows, done, err := list[cleanUp](c, raw, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.out, "No clean-up yet: one comes every night, and with errand maintenance run.")
				return nil
			}
			t := &table{head: []string{"STARTED", "TOOK", "WHAT IT DID"}}
			for _, r := range rows {
				took, did := "running", counts(r.Report)
				if !r.Finished.IsZero() {
					took, did = lasted(r.Finished.Sub(r.Started)), first(did, "nothing to do")
				}
				t.add(brief(r.Started, c.began), took, did)
			}
			t.write(c.out, c.style, c.width())
			return nil
		},
	}
}

func newMaintenanceRun(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "run", Short: "Clean up now; where a clean-up runs, that one goes on", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.post(cmd.Context(), resource("maintenance", "run"), nil)
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(raw)
			}
			fmt.Fprintln(c.out, "A clean-up begins: errand maintenance show tells what it did.")
			return nil
		},
	}
}
