package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

func newTokens(c *cli) *cobra.Command {
	return group("tokens", "Make, list and revoke the tokens by which programs act for you",
		newTokensList(c), newTokensAdd(c), newTokensRevoke(c))
}

// scopeHelp says what tokens can be for.
const scopeHelp = `
--scope says what the token is for, with commas between: read (look), chat (talk with
agents), delegate (send agents on tasks, read files of conversations, answer questions),
admin (all that a token can do). Without it, the token may what its person may. No token
approves anything: that is for a person.
The token goes into ERRAND_TOKEN, or after "Authorization: Bearer". errand keeps
only its hash: who has lost it makes another, and revokes this one.`

// A madeToken is how a token is asked for, by flags.
type madeToken struct {
	name  string
	days  int
	scope string
	said  func(flag string) bool
}

func (m *madeToken) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.name, "name", "", "what it is for, in your words")
	cmd.Flags().IntVar(&m.days, "days", 0, "how many days it holds (0: without end)")
	m.said = cmd.Flags().Changed
	cmd.Flags().StringVar(&m.scope, "scope", "", "what it is for: read, chat, delegate, admin; several with commas")
}

func (m *madeToken) body() (map[string]any, error) {
	if m.days < 0 {
		return nil, &console.Failure{Code: console.ExitUsage, Text: "--days is how long the token holds; 0: without end"}
	}
	body := map[string]any{"name": m.name, "days": m.days}
	if m.said("scope") {
		// A variable of a script that is empty is not to make a token for everything.
		if strings.Trim(m.scope, " ,") == "" {
			return nil, &console.Failure{Code: console.ExitUsage, Text: "--scope is empty: say what the token is for (read, chat, delegate, admin), or leave it out"}
		}
		body["scope"] = m.scope
	}
	return body, nil
}

// printToken shows a token that was just made.
func (c *cli) printToken(raw json.RawMessage, err error) error {
	type made struct {
		token
		Plain string `json:"token"`
	}
	t, done, err := console.One[made](&c.Console, raw, err)
	if done || err != nil {
		return err
	}
	// The token alone on stdout, so that TOKEN=$(errand tokens add) works.
	fmt.Fprintln(c.Out, line(t.Plain))
	fmt.Fprintf(c.Err, "This is token %s, %s. It is shown this once: keep it now.\n", line(t.ID), t.about(c.Began))
	return nil
}

func newTokensAdd(c *cli) *cobra.Command {
	var m madeToken
	cmd := &cobra.Command{
		Use: "add", Short: "Make a token by which a program acts for you; it is shown once", Long: "Makes a token of yours." + scopeHelp,
		Example: `  errand tokens add --scope delegate --days 90 --name editor`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			body, err := m.body()
			if err != nil {
				return err
			}
			return c.printToken(c.Post(cmd.Context(), "/api/me/tokens", body))
		},
	}
	m.flags(cmd)
	return cmd
}

func newTokensList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List your tokens: what they are for, until when, and when they were last used", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.Get(cmd.Context(), "/api/me/tokens")
			list, done, err := console.List[token](&c.Console, raw, err)
			if done || err != nil {
				return err
			}
			for _, t := range list {
				fmt.Fprintf(c.Out, "%s  %s\n", line(t.ID), t.about(c.Began))
			}
			return nil
		},
	}
}

func newTokensRevoke(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "revoke TOKEN-ID", Short: "Revoke a token of yours", Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 || c.connect() != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			raw, err := c.Get(cmd.Context(), "/api/me/tokens")
			var list []token
			if err != nil || json.Unmarshal(raw, &list) != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var ids []string
			for _, t := range list {
				ids = append(ids, choice(t.ID, cmp.Or(t.Name, t.Kind)))
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.revoke(cmd.Context(), client.Resource("me", "tokens", args[0]), args[0], "tokens list")
		},
	}
}

func newUsersToken(c *cli) *cobra.Command {
	var m madeToken
	cmd := &cobra.Command{
		Use: "token PERSON", Short: "Make a token by which a program acts for a person; it is shown once",
		Long: personHelp + scopeHelp + "\nYour own you make by errand tokens add.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := m.body()
			if err != nil {
				return err
			}
			raw, err := c.Post(cmd.Context(), client.Resource("people", args[0], "tokens"), body)
			return c.printToken(raw, c.nameMatches(cmd.Context(), args[0], err))
		},
	}
	m.flags(cmd)
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
			return c.revoke(cmd.Context(), client.Resource("tokens", args[0]), args[0], "users show PERSON")
		},
	}
}

// revoke ends a token at its path.
func (c *cli) revoke(ctx context.Context, path, id, hint string) error {
	raw, err := c.Remove(ctx, path)
	if err != nil {
		return client.WithHint(err, hint)
	}
	if c.JSON {
		return c.PrintJSON(raw)
	}
	fmt.Fprintf(c.Out, "Token %s is revoked: it lets nobody in any more.\n", line(id))
	return nil
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
