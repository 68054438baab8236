package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"errand/internal/cli/console"
)

func newOpen(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "open", Short: "Print a link that logs your browser in, once", Args: cobra.NoArgs,
		Long: `Prints a link to the pages. The browser that opens it is logged in as who you are to
errand: the owner, where this is run in the folder of the worker (or with --data),
and otherwise who your token says. It works once, and not for long.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.Post(cmd.Context(), "/api/me/link", nil)
			if err != nil {
				return err
			}
			var link struct {
				Path      string
				Expires   time.Time
				PublicURL string `json:"public_url"`
			}
			if err := json.Unmarshal(raw, &link); err != nil || link.Path == "" {
				return console.NotUnderstood()
			}
			at := cmp.Or(link.PublicURL, c.Base) + link.Path
			if c.JSON {
				raw, err := json.Marshal(map[string]any{"url": at, "expires": link.Expires})
				if err != nil {
					return err
				}
				return c.PrintJSON(raw)
			}
			fmt.Fprintln(c.Out, line(at))
			fmt.Fprintf(c.Err, "It logs one browser in, once, until %s.\n", link.Expires.Local().Format("15:04"))
			return nil
		},
	}
}
