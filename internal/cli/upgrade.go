package cli

import (
	"fmt"
	"github.com/spf13/cobra"

	"errand/internal/app"
	"errand/internal/temporal/devserver"
)

// The upgrade command moves only Temporal's database away. The store stays.
func newUpgrade(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade",
		Short: "Start with a new embedded Temporal database; keeps the old one beside it",
		Long: "Use it when the worker says that another version made its Temporal database. The file is renamed, not deleted.\n" +
			"Conversations, tasks and deliveries are in the store, and open ones continue from there.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, _ := c.dataFolder()
			unlock, err := app.LockData(dir)
			if err != nil {
				return err
			}
			defer unlock()
			moved, err := devserver.Replace(dir)
			if err != nil {
				return err
			}
			if moved == "" {
				fmt.Fprintf(c.Out, "There is no Temporal database in %s; nothing to do.\n", dir)
				return nil
			}
			fmt.Fprintf(c.Out, "The old database is now %s. Start the worker: open tasks and conversations continue from the store.\n", moved)
			return nil
		},
	}
}
