package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

func newUsersToken(c *cli) *cobra.Command {
	var name string
	var days int
	cmd := &cobra.Command{
		Use: "token PERSON", Short: "Make a token by which a program acts for a person; it is shown once",
		Long: personHelp + `
The token goes into ERRAND_TOKEN, or after "Authorization: Bearer". errand keeps
only its hash: who has lost it makes another, and revokes this one.`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			if days < 0 {
				return &console.Failure{Code: console.ExitUsage, Text: "--days is how long the token holds; 0: without end"}
			}
			raw, err := c.Post(cmd.Context(), client.Resource("people", args[0], "tokens"), map[string]any{"name": name, "days": days})
			type made struct {
				token
				Plain string `json:"token"`
			}
			t, done, err := console.One[made](&c.Console, raw, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			// The token alone on stdout, so that TOKEN=$(errand users token …) works.
			fmt.Fprintln(c.Out, line(t.Plain))
			fmt.Fprintf(c.Err, "This is token %s, %s. It is shown this once: keep it now.\n", line(t.ID), t.about(c.Began))
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "what it is for")
	cmd.Flags().IntVar(&days, "days", 0, "how many days it holds (0: without end)")
	return cmd
}

func newUsersRevoke(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "revoke TOKEN-ID", Short: "Revoke a token; errand users show names those of a person", Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return c.completeTokens(cmd)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := c.Remove(cmd.Context(), client.Resource("tokens", args[0]))
			if err != nil {
				return client.WithHint(err, "users show PERSON")
			}
			if c.JSON {
				return c.PrintJSON(raw)
			}
			fmt.Fprintf(c.Out, "Token %s is revoked: it lets nobody in any more.\n", line(args[0]))
			return nil
		},
	}
}

func (c *cli) completeTokens(cmd *cobra.Command) ([]string, cobra.ShellCompDirective) {
	if c.connect() != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_, people, err := c.people(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, p := range people {
		for _, t := range p.Tokens {
			ids = append(ids, choice(t.ID, p.Name+", "+cmp.Or(t.Name, t.Kind)))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
