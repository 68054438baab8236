package cli

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
)

func newOpen(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "open", Short: "Print a link that logs your browser in once", Args: cobra.NoArgs,
		Long: `Prints a link to the pages. It logs the browser that opens it in as you: as the owner if
you run it in the worker's folder (or with --data), otherwise as the person of your
token. The link works once, and only for a short time. If other machines reach errand,
it also prints the link for them.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			made, err := api.Call(cmd.Context(), c.API(), api.CreateLoginLink, api.CreateLoginLinkInput{})
			if err != nil {
				return err
			}
			link := made.Value
			if link.Path == "" {
				return console.ErrNotUnderstood
			}
			at := cmp.Or(link.PublicURL, c.Base) + link.Path
			var others []string // the link by the addresses for other machines
			for _, a := range link.Addresses {
				if other := a + link.Path; other != at {
					others = append(others, other)
				}
			}
			if c.JSON {
				out := map[string]any{"url": at, "expires": link.Expires}
				if len(others) > 0 {
					out["others"] = others
				}
				raw, err := json.Marshal(out)
				if err != nil {
					return err
				}
				return c.PrintJSON(raw)
			}
			fmt.Fprintln(c.Out, line(at))
			fmt.Fprintf(c.Err, "The link works once, until %s.\n", link.Expires.Local().Format("15:04"))
			if len(others) > 0 {
				fmt.Fprintln(c.Err, "From another machine:")
			}
			for _, other := range others {
				fmt.Fprintln(c.Err, "  "+line(other))
			}
			return nil
		},
	}
}
