//go:build nodevserver

package cli

import (
	"github.com/spf13/cobra"
)

// newBench says why this build measures nothing: what it measures runs on the embedded
// server, and platforms of its own.
func newBench(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:                "bench",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return c.Failf("this build has no embedded Temporal server (build tag nodevserver), which a bench runs on")
		},
	}
}
