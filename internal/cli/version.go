package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/version"
)

func newVersion(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, and the versions of the store's schema, Temporal and Go",
		Args:  cobra.NoArgs,
		// This replaces the root command's hook, which connects to a running worker.
		PersistentPreRunE: func(*cobra.Command, []string) error { c.ran = true; return nil },
		RunE: func(*cobra.Command, []string) error {
			if !c.JSON {
				fmt.Fprint(c.Out, versionText())
				return nil
			}
			raw, err := json.Marshal(struct {
				Version  string `json:"version"`
				Commit   string `json:"commit"`
				Schema   int    `json:"schema"`
				Temporal string `json:"temporal"`
				Go       string `json:"go"`
			}{version.Number(), version.Commit(), store.SchemaVersion(), devserver.Version, runtime.Version()})
			if err != nil {
				return err
			}
			return c.PrintJSON(raw)
		},
	}
}

func versionText() string {
	commit, temporal := cmp.Or(version.Commit(), "unknown"), cmp.Or(devserver.Version, "not included")
	return fmt.Sprintf("errand %s\ncommit   %s\nschema   %d\nTemporal %s\nGo       %s\n",
		version.Number(), commit, store.SchemaVersion(), temporal, runtime.Version())
}
