package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"errand/internal/cli/console"
)

// healthTimeout is shorter than Docker's 30 s.
const healthTimeout = 5 * time.Second

// The health command is for containers, whose image has no shell.
func newHealth(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Check whether the worker is ready; the exit code says so", Args: cobra.NoArgs,
		Long: `Checks that the worker serves requests and that its store and Temporal answer.
Exit code 0: ready. 1: not ready; it prints what is missing. 3: nothing answers.
It needs no key. Use it for health checks of containers; errand doctor says more.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), healthTimeout)
			defer cancel()
			says, err := c.text(ctx, "/readyz")
			if gone := (*console.ConnectError)(nil); errors.As(err, &gone) {
				return &console.Failure{Code: console.ExitUnreachable, Text: fmt.Sprintf("nothing answers at %s", c.Base)}
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(c.Out, says)
			return nil
		},
	}
}
